// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/physics/step.hpp"

namespace pliant {

/// What is wrong with a step's input for a body of so many nodes, or empty: time step, gravity, held nodes in
/// order and in range, finite targets, grabs and forces.
/// More may be grabbed than the nodes: vertices of a cage follow them.
std::string trouble_of(const StepInput& input, Index nodes, Index grabbed = 0);

}  // namespace pliant
