// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/cache.hpp"

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/energy.hpp"

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

void Cache::load_rotations(const State& state) {
  for (std::size_t i = 0; i < arrangement.place.size(); ++i)
    sweeps.set_quaternion(arrangement.place[i], state.rotations.data() + 4 * i);
}

void Cache::store_rotations(State& state, Pool& pool) const {
  for_blocks(pool, int(arrangement.node.size()), 1024, [&](int begin, int end) {
    for (Index k = begin; k < end; ++k)
      sweeps.quaternion(k, state.rotations.data() + 4 * std::size_t(arrangement.node[k]));
  });
}

}  // namespace pliant::geometric
