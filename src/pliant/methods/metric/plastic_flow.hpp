// SPDX-License-Identifier: Apache-2.0
// Plasticity of the rest metric: the same yield and creep law as for other methods (physics/plasticity.hpp),
// on the length of every constraint. With l = |r_b - r_a|/H, rest length l0 = sqrt(g) and the strain
// rho = |l - l0|/l0: the share kappa(rho) of l - l0 becomes rest, g = (l0 + kappa (l - l0))^2, within the
// cap.
#pragma once

#include "pliant/methods/metric/model.hpp"

namespace pliant::metric {

/// Over a step of h at the positions x. Returns the constraints that flowed.
int flow(const Model& model, const PlasticLaw& law, double h, const Points& x, std::vector<double>& metrics);

}  // namespace pliant::metric
