// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/physics/step.hpp"

namespace pliant {

/// What is wrong with a step's input for a body of so many nodes, or empty: time step, gravity, held nodes in
/// order and in range, finite targets, grabs and forces.
std::string trouble_of(const StepInput& input, Index nodes);

}  // namespace pliant
