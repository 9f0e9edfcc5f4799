// SPDX-License-Identifier: Apache-2.0
// A warning before a body meets colliders so stiff, for its nodes and time step, that single precision cannot
// tell its contacts (docs/methods/contact.md, limits).
#pragma once

#include "pliant/methods/entry.hpp"
#include "pliant/methods/geometric/options.hpp"

namespace pliant::geometric {

/// The warning, or nothing.
std::optional<std::string> note_stiffness(const Options& options, const BodyPlan& plan,
                                          const StepPlan& steps);

}  // namespace pliant::geometric
