// SPDX-License-Identifier: Apache-2.0
// A warning before a slender body in a box of few or long cells bends much too stiffly (docs/methods/cage.md,
// Limits).
#pragma once

#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/entry.hpp"

namespace pliant::cage {

/// Bending stiffness over that of beam theory: N cells through the thickness, `along` and `across` their edges
/// along the beam and through its thickness. Fitted to docs/methods/cage/measured.md#bending.
double bending_bias(int cells, double along, double across);

/// The warning, or nothing.
std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan);

}  // namespace pliant::cage
