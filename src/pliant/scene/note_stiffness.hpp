// SPDX-License-Identifier: Apache-2.0
// A warning before a body meets colliders so stiff, for its nodes and time step, that single precision cannot
// tell its contacts (docs/methods/contact.md, limits).
#pragma once

#include "pliant/scene/spec.hpp"

namespace pliant {

/// h: time step, s; substeps: of a frame now.
void note_stiffness(const BodySpec& body, const Shape& shape, double h, int substeps,
                    std::vector<std::string>& notes);

}  // namespace pliant
