// SPDX-License-Identifier: Apache-2.0
// Young's modulus of the lattice at small strain, along its axes. With cubic cells of volume V = h^3, uniform
// strain, and every set present (inside the body), the energy of a node's forward constraints is
//   lengths            s = 2 e_x                 eta_L (e_x^2 + ..)
//   face diagonals     s = e_x + e_y +- g_xy     eta_D/2 ((e_x + e_y)^2 + g_xy^2 + ..)
//   pillars            s = 2 e_x                 eta_P (e_x^2 + ..)
//   pillar diagonals   as face diagonals         eta_Q/2 (..)
//   spatial, linear    s = 2/3 (e_x + e_y + e_z +- ..)   eta_V (4/9 (tr e)^2 + 4/9 (g_xy^2 + ..))
//   spatial, squared   of third order: nothing
// so that, per V,
//   C11 = 2 (eta_L + eta_D + eta_P + eta_Q) + 8/9 eta_V',  C12 = C44 = eta_D + eta_Q + 8/9 eta_V'
// (eta_V' = eta_V where it is linear: Cauchy's relation C12 = C44, as of all central forces.) The original
// model: C11 = 2 eta_L, C12 = 0, C44 = eta_A. Then
//   E = (C11 - C12)(C11 + 2 C12)/(C11 + C12)
// Edges on the surface are as strong as those inside, as in the papers: a body of few cells is stiffer, by
// about one part in the number of cells across.
#pragma once

#include "pliant/methods/metric/options.hpp"

namespace pliant::metric {

struct CubicModuli {
  double c11 = 0, c12 = 0, c44 = 0;
};

/// Per volume V of a cell and unit strength.
CubicModuli moduli(const Options& options);

/// E V for unit strength: strength = stiffness V / this.
double young(const CubicModuli& c);

}  // namespace pliant::metric
