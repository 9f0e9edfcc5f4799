// SPDX-License-Identifier: Apache-2.0
// Plasticity of the rest metric: the same yield and creep law as for other methods (physics/plasticity.hpp).
// Material flows in shape, not in volume. With J of the cells around a node (V/V0 of their sums), the metric
// of a constraint without its change of volume, and its strain, are
//   g' = J^(-2/3) |r_b - r_a|^2/H^2,   rho = |sqrt(g') - sqrt(g)|/sqrt(g)
// A node flows by the largest rho of its constraints (squared sets count for nothing: they are soft), a
// constraint by the mean kappa(rho) of its nodes: g <- g + kappa (g' - g), within the cap. One kappa for all
// directions makes g a mixture of two metrics, which is one: constraints still fit together. Both have the
// volume V0, and the mixture has it to second order in the strain that flows. Without cells (lattice: mesh)
// there is no volume: J = 1.
#pragma once

#include "pliant/methods/metric/model.hpp"

namespace pliant::metric {

/// Per node; never read across steps.
struct FlowScratch {
  std::vector<double> volume, rest_volume;  ///< of its cells, m^3; then volume has J^(-2/3)
  std::vector<double> share;                ///< rho, then kappa
};

/// Over a step of h at the positions x. Returns the constraints that flowed.
int flow(const Model& model, const PlasticLaw& law, double h, const Points& x, std::vector<double>& metrics,
         FlowScratch& scratch);

}  // namespace pliant::metric
