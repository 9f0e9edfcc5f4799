// SPDX-License-Identifier: Apache-2.0
// Energy and forces of a body in double precision, constraint by constraint (model.hpp): what the step's
// kernels are tested against. The orientation term, of cells below J0 of their rest volume V0:
//   E_J = eta_J (J0 - J)^2/2,  J = V/V0,   force on a corner: eta_J (J0 - J)/V0 dV/dr
#pragma once

#include <span>

#include "pliant/methods/metric/model.hpp"

namespace pliant::metric {

/// What changes over time in the constraints.
struct Strengths {
  double factor = 1;                     ///< on all eta
  std::span<const double> metrics = {};  ///< g of every constraint (Model::each_length); empty = 1
};

double energy(const Model& model, const Strengths& now, std::span<const Vec3> x);
/// Minus the gradient.
void forces(const Model& model, const Strengths& now, std::span<const Vec3> x, std::span<Vec3> out);

/// The signed volumes of all cells over those at rest: their sum, and how many are not above zero.
struct CellState {
  double volume_ratio = 1;
  int inverted = 0;
};
CellState cell_state(const Model& model, std::span<const Vec3> x);

}  // namespace pliant::metric
