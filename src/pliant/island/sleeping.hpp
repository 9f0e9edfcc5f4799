// SPDX-License-Identifier: Apache-2.0
// Islands that have come to rest sleep: they are not stepped, and cost nothing. The bodies of an island fall asleep
// together when none of their nodes has moved faster than 1e-4 of its body's size a second for half a second, and
// nothing that changes with time acts on them: no handle that still moves, no hold that is still to be released, no
// grab, no force besides gravity, no collider that moves near them. They wake together when
//   - a body that is awake comes so near that both would step together
//   - a collider moves near one of them
//   - one of them is changed (Simulation::body), or what all bodies share: gravity, step length, colliders, forces
// What is asleep keeps its state as it is, its small velocities included, and its contacts.
#pragma once

#include <span>

#include "pliant/contact/collider.hpp"
#include "pliant/island/member.hpp"

namespace pliant {

inline constexpr double quiet_time = 0.5;  ///< s

/// After a step of length h: counts for how long the body has been at rest.
void note_rest(Member& member, double h);
/// A collider moves in this step within the reach of the body.
bool collider_stirs(const Member& member, std::span<const Collider> colliders);
/// What the body tells of steps that are not made.
StepReport report_asleep(const StepReport& last);

}  // namespace pliant
