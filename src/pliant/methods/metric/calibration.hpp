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
// Isotropic, C11 - C12 = 2 C44, is eta_D + eta_Q = 2 (eta_L + eta_P): Poisson's ratio 1/4, the only one that
// central forces have; shear modulus 0.4 E. This is what the defaults in pascals are, 2 : 5 : 6 : 0.5.
//
// Cells that are no cubes, spacings h_i, without linear spatial and pillar diagonals: face diagonals of
//   eta_D,ij = m_ij V (h_i^2 + h_j^2)^2/(4 h_i^2 h_j^2)   have C12 = C44 = m_ij in their plane, and
//   2 (eta_L + eta_P)_i = V (C_ii - h_i^2 (m_ij/h_j^2 + m_ik/h_k^2))
// With m = C44 and C_ii = C11 of the cube the lattice is as isotropic as the cube. Where a length would be
// weaker than a tenth of E, the m of its planes are lowered; C_ii is set so that (C^-1)_ii = 1/E.
#pragma once

#include "pliant/base/types.hpp"
#include "pliant/methods/metric/options.hpp"

namespace pliant::metric {

struct CubicModuli {
  double c11 = 0, c12 = 0, c44 = 0;
};

/// Per volume V of a cell and unit strength.
CubicModuli moduli(const Options& options);

/// E V for unit strength: strength = stiffness V / this.
double young(const CubicModuli& c);

/// eta of the sets of a lattice, J.
struct SetStrengths {
  std::array<double, 3> length{0, 0, 0}, pillar{0, 0, 0};  ///< per axis
  std::array<double, 3> face{0, 0, 0};                     ///< of the planes xy, xz, yz
  double spatial = 0, pillar_diagonal = 0, angle = 0;
  double orientation = 0;
};

/// Of cells with these spacings, m. The options have a strength along the axes: young(moduli) > 0.
SetStrengths set_strengths(const Options& options, const Vec3& spacing);

}  // namespace pliant::metric
