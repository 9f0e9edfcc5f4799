// SPDX-License-Identifier: Apache-2.0
// A few nodes for all: the cost of a reduced step without the node count.
//   V(Z) = sum_i V_i(Z)  ~  sum over few nodes of w_i V_i(Z),   w_i > 0
// V_i the rows that node i owns. Every V_i is blind to rigid motion and never negative, so that the sum is an
// energy of the same kind whatever the weights: nothing drifts, nothing explodes; only its stiffness is off.
// The weights are trained: over states Z_t that the body takes at rest Hessian H with equal energy in every
// mode (up to about 0.6 rad of turning between neighbours' stars), the gradients are matched in the norm of
// H^-1, which counts the displacement an error of the force would make:
//   min_{w >= 0} sum_t |sum_i w_i g_i(Z_t) - g(Z_t)|^2_{H^-1} / |g(Z_t)|^2_{H^-1}
// by active sets (Lawson and Hanson's non-negative least squares), stopped at the wanted number of nodes.
#pragma once

#include "pliant/methods/geometric/reduced/basis.hpp"
#include "pliant/methods/geometric/reduced/model.hpp"

namespace pliant::geometric {

struct TrainedCubature {
  Cubature points;
  double error = 0;  ///< of the gradient over states that were not trained on, root mean square, relative
};

/// At most `count` nodes; fewer when the fit needs no more.
TrainedCubature train_cubature(const Model& model, const Basis& basis, int count);

}  // namespace pliant::geometric
