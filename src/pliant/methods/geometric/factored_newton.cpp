// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/factored_newton.hpp"

#include <cmath>

#include "pliant/methods/geometric/local_global.hpp"
#include "pliant/methods/geometric/newton.hpp"

namespace pliant::geometric {
namespace {

constexpr int most_factors = 8;  // of a step

}  // namespace

bool factored_newton(Equation& e, SolverVectors& v, double rho) {
  const double enough = e.model.sheet ? sheet_enough(e, std::sqrt(0.1) * e.options.tolerance, rho) : rho;
  bool ends = false;
  e.add(-1, v.z, v.d);
  e.report().factored_hessian = true;
  for (int k = 0; k < most_factors; ++k) {
    e.exact_residual(v.d, v.g);
    const std::optional<double> share = add_newton_step(e, v, violent_turn);
    if (!share) return false;
    ++e.report().iterations;
    const double left = local_global_step(e, v);
    ends = *share == 1;
    if (ends && (!e.model.sheet || left <= enough)) return true;
  }
  e.report().breakdowns = ends;
  return ends;
}

std::optional<double> add_newton_step(Equation& e, SolverVectors& v, double most) {
  if (!e.factor_hessian()) return std::nullopt;
  e.solve_hessian(v.g, v.z);
  e.redirect(0, v.p, v.z);
  e.clear_turns();
  e.hessian(v.p, v.hp);  // for the turns
  e.add_turn(1);
  const double turn = e.largest_turn(), share = turn > most ? most / turn : 1;
  e.add(share, v.p, v.d);
  return share;
}

}  // namespace pliant::geometric
