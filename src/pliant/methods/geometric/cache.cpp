// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/cache.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/softness.hpp"

namespace pliant::geometric {

Cache::Cache(const Model& model, const Options& options, const State& state) {
  PLIANT_CHECK(options.linear_solver != LinearSolver::automatic);
  system.choose(options.linear_solver == LinearSolver::direct);
  if (system.direct()) stiffness = stiffness_matrix(model);
  order = streaming_order(model.adjacency);
  if (options.adaptive) sweeps.adapt(model, *options.adaptive);
  arrange(model, state, std::vector<unsigned char>(model.rest.size(), 0));
  diagonal.assign(std::size_t(sweeps.padded()), 0);
}

void Cache::arrange(const Model& model, const State& state, const std::vector<unsigned char>& held_now) {
  held = held_now;
  arrangement = geometric::arrange(order, held);
  sweeps.arrange(model, arrangement, state.rest_vectors);
  sheet.arrange(model, arrangement);
  load_rotations(state);
}

bool Cache::has_matrix(const Scheme& s, const std::vector<unsigned char>& held_now) const {
  return factored && held_now == held && coefficients == LinearSystem::Coefficients{s.mass, s.stiffness};
}

std::string Cache::factor(const Model& model, const Scheme& s, bool new_pattern, bool may_factor_hessian,
                          Pool& pool) {
  coefficients = {s.mass, s.stiffness};
  std::string trouble = system.factor(model, stiffness, arrangement, coefficients, new_pattern);
  factored = trouble.empty();
  if (factored) choose_hessian(model, s, new_pattern, may_factor_hessian, pool);
  for (Index k = 0; k < model.nodes(); ++k) diagonal[k] = float(s.mass * model.mass[arrangement.node[k]]);
  return trouble;
}

void Cache::choose_hessian(const Model& model, const Scheme& s, bool new_pattern, bool may, Pool& pool) {
  if (new_pattern) hessian_arranged = false;
  if (model.sheet) return choose_sheet_hessian(model, s, may, pool);
  const FactoredHessian::Coefficients c = hessian_coefficients(s);
  factors_hessian = may && system.direct() && !model.has_volume() &&
                    model.covariance == Covariance::consistent &&
                    FactoredHessian::may_pay(model, c, system.factor_work(), arrangement.free);
  if (factors_hessian) {
    if (!hessian_arranged) hessian.arrange(model, arrangement);
    hessian_arranged = true;
    factors_hessian = hessian.pays(model, arrangement, stiffness, c, pool);
  }
  if (factors_hessian) return;
  hessian = {};
  hessian_arranged = false;
}

namespace {

// Costs of one thread, ns: of a node in an iteration of the gradients by entries of A's factor; multiply-adds of
// H's factor done in one. H has the pattern of A, three numbers for each.
constexpr double node_ns = 120, entry_ns = 0.8, multiply_adds_in_ns = 10, of_a = 27;
// Conjugate gradients between two local/global steps: half the root of the softness leaves 2 % of a period.
constexpr double least_gradients = 8, most_sheet_gradients = 200;
// The power method that tells the softness factors H once: not above this many multiply-adds, a second or two.
// The number of gradients hardly grows with the mesh: larger ones take that of the largest measured.
constexpr double most_work = 2e10, unmeasured_gradients = 32;

double gradients_for(double softness) { return 0.5 * std::sqrt(softness); }

}  // namespace

void Cache::choose_sheet_hessian(const Model& model, const Scheme& s, bool may, Pool& pool) {
  const FactoredHessian::Coefficients c = hessian_coefficients(s);
  const double work = of_a * system.factor_work(), factor_ms = 1e-6 * work / multiply_adds_in_ns;
  const double solve_ms = 1e-6 * (node_ns * arrangement.free + entry_ns * double(system.factor_entries()));
  // No motion is softer than mass alone.
  double soft = 1 + 24 * c.stiffness * model.stiffness_ratio / c.mass;
  const bool measured =
      may && arrangement.free > 0 && work < most_work && gradients_for(soft) > least_gradients;
  factors_hessian = false;
  if (measured) {
    if (!hessian_arranged) sheet_hessian.arrange(model, arrangement, sheet);
    hessian_arranged = true;
    sheet.set_rest();
    if (sheet_hessian.factor(sheet, c, {}, pool))
      soft = softest_motion(model, arrangement, stiffness, c.mass, c.stiffness,
                            [&](std::span<double> v) { sheet_hessian.solve(v); });
    factors_hessian = factor_ms < solve_ms * gradients_for(soft);
  }
  const double most = measured ? most_sheet_gradients : unmeasured_gradients;
  gradients = int(std::clamp(gradients_for(soft), least_gradients, most));
  if (factors_hessian) return;
  sheet_hessian = {};
  hessian_arranged = false;
}

void Cache::load_rotations(const State& state) {
  if (sheet.on()) return;  // a step begins with those of the state
  for (std::size_t i = 0; i < arrangement.place.size(); ++i)
    sweeps.set_quaternion(arrangement.place[i], state.rotations.data() + 4 * i);
}

void Cache::store_rotations(State& state, Pool& pool) const {
  if (sheet.on()) return sheet.store(state.rotations, pool);
  for_blocks(pool, int(arrangement.node.size()), 1024, [&](int begin, int end) {
    for (Index k = begin; k < end; ++k)
      sweeps.quaternion(k, state.rotations.data() + 4 * std::size_t(arrangement.node[k]));
  });
}

}  // namespace pliant::geometric
