// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/preconditioner.hpp"

#include "pliant/base/check.hpp"

namespace pliant::metric {
namespace {

constexpr Index few_nodes = 2000;  // below, a solve is over before a cycle has started its levels

}  // namespace

bool multigrid_possible(const Model& model, Integrator integrator) {
  if (integrator == Integrator::accurate) return model.on_grid && model.angles.empty();
  return model.on_grid && integrator != Integrator::paper;
}

std::unique_ptr<Preconditioner> make_preconditioner(Operator& matrix, const Options& options) {
  const bool possible = multigrid_possible(matrix.model(), matrix_of(options));
  const bool asked = options.preconditioner == Preconditioning::multigrid;
  PLIANT_CHECK(possible || !asked);  // build.cpp refuses it
  const bool tried =
      options.preconditioner == Preconditioning::automatic && matrix.model().nodes() >= few_nodes;
  if (asked || (possible && tried)) return make_multigrid(matrix, asked);
  return make_jacobi(matrix, matrix_of(options));
}

}  // namespace pliant::metric
