// SPDX-License-Identifier: Apache-2.0
// A warning before a slender body in a cage bends much too stiffly (docs/methods/cage.md, Limits).
//
// Green coordinates are harmonic, and the displacement of a bent bar is not: with curvature c about x and the bar along
// z it is c (nu x y, (z^2 + nu (y^2 - x^2))/2, -y z), whose second coordinate has the Laplacian c. Of the harmonic ones
// near it, u = c (b x y, (z^2 - a y^2 - (1 - a) x^2)/2, -y z), a square bar has the least energy at
// a = 1/4 - nu, b = 1/4 + nu: 1 + 0.25/(1 + nu) of E I c^2/2. Polynomials of higher degree lower that to
// 1 + 0.211/(1 + nu).
#pragma once

#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/entry.hpp"

namespace pliant::cage {

/// Bending stiffness over that of beam theory in the limit of many cells, of a section `width` times as wide as thick:
/// 1 + w^2/((2 w^2 + w + 2)(1 + nu)), within 0.01 of the least energy of harmonic polynomials of degree 6.
double harmonic_bending_bias(double width, double poisson);

/// The same of N cells through the thickness, `aspect` times as long or as wide as high: (0.25 + 0.34 aspect^2) N^-2.8 more.
/// Fitted to docs/methods/cage/measured.md#bending.
double bending_bias(int cells, double aspect, double width, double poisson);

/// The warning, or nothing.
std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan);

}  // namespace pliant::cage
