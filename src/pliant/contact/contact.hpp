// SPDX-License-Identifier: Apache-2.0
// A contact: one surface vertex of a body and one feature of a collider, for one step.
#pragma once

#include <compare>

#include "pliant/base/types.hpp"

namespace pliant {

/// Tells a contact again in the next step; the order of the solver's sweeps.
struct ContactKey {
  Index vertex = 0, collider = 0, feature = 0;
  auto operator<=>(const ContactKey&) const = default;
};

struct Contact {
  ContactKey key;
  Vec3 normal{0, 1, 0};    ///< from the collider to the body, at the end of the step
  Vec3 velocity{0, 0, 0};  ///< of the collider's material, m/s
  double friction = 0;     ///< Coulomb's coefficient
  double restitution = 0;
  double gap = 0;  ///< over the contact plane at the beginning of the step, m
};

/// What a body remembers of a contact: the solver's warm start.
struct ContactMemory {
  ContactKey key;
  Index unused = 0;     ///< no bytes without a value: memories are compared and hashed as bytes
  Vec3 force{0, 0, 0};  ///< N
};

/// The side of a collider a vertex was on (Collider::query); only sheets and dirty meshes have one.
struct SideMemory {
  Index collider = 0, vertex = 0;
  Index side = 0;
};

}  // namespace pliant
