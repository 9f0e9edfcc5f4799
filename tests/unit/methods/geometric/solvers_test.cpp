// SPDX-License-Identifier: Apache-2.0
// The equation of a step and its solvers, without a body around them.
#include <gtest/gtest.h>

#include "pliant/methods/geometric/equation.hpp"
#include "pliant/methods/geometric/factored_newton.hpp"
#include "pliant/methods/geometric/local_global.hpp"
#include "pliant/methods/geometric/newton.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace solvers_test {

/// A bar that is clamped at one end and strained, and the equation of its next step.
struct StepOfABar {
  Model model = model_of(jittered(lattice({3, 3, 9}, 0.1, 0.02, 400), 0.01));
  Options options = [] {
    Options out;
    out.linear_solver = LinearSolver::direct;
    return out;
  }();
  Clamp clamped = clamp(model.rest);
  State state = state_at_rest(model, false);
  Cache cache{model, options, state};
  KeptVolume kept;
  Scratch scratch{model.rest.size(), std::size_t(cache.sweeps.padded())};
  Pool pool{2};
  StepInput input;
  Scheme scheme{Integrator::bdf2, 1.0 / 60, {.mass = 0.1, .stiffness = 0.001}, DampingFrame::corotated};
  StageWatch watch;
  StepReport report;
  Context context{input, scheme, pool, watch, report};
  Equation e{model, options, state, cache, kept, scratch, context};
  SolverVectors& v = scratch.vectors;

  explicit StepOfABar(double strain = 0.1) {
    for (std::size_t i = 0; i < model.rest.size(); ++i) {
      const Vec3& r = model.rest[i];
      state.nodes.x[i] += strain * r.z() * Vec3(r.z(), 0.3 * r.x(), -0.2 * r.y());
    }
    state.x_before = state.nodes.x;
    for (Index i : clamped.held) scratch.held[i] = 1;
    for (std::size_t n = 0; n < clamped.held.size(); ++n) clamped.targets[n] = state.nodes.x[clamped.held[n]];
    input.h = 1.0 / 60;
    input.gravity = {0, -9.81, 0};
    input.held = clamped.held;
    input.targets = clamped.targets;
    input.pool = &pool;
    cache.arrange(model, state, scratch.held);
    EXPECT_EQ(cache.factor(model, scheme, true, false, pool), "");
    e.predict(Past::straight);
    EXPECT_EQ(e.set_grabs(), "");
  }
  /// The norm of G(D) by A^-1, with new rotations.
  double left() {
    e.residual(&v.d, true, v.g);
    return std::sqrt(e.precondition(v.g, v.z));
  }
};

TEST(StepEquation, the_residual_is_inertia_loads_and_the_gradient_of_the_energy) {
  StepOfABar bar;
  bar.scheme = Scheme(Integrator::bdf2, 1.0 / 60, {.mass = 0.1, .stiffness = 0}, DampingFrame::corotated);
  ASSERT_EQ(bar.cache.factor(bar.model, bar.scheme, false, false, bar.pool), "");
  bar.e.predict(Past::straight);
  bar.e.residual(nullptr, true, bar.v.g);
  const Arrangement& arrangement = bar.cache.arrangement;
  Points x0(bar.model.rest.size());
  for (std::size_t i = 0; i < x0.size(); ++i)
    x0[i] = Eigen::Map<const Vec3>(bar.scratch.start.data() + 4 * std::size_t(arrangement.place[i]));
  Points g(x0.size());
  gradient(bar.model, x0, rotations_at(bar.model, x0), g);
  double size = 0;
  for (const Vec3& p : g) size = std::max(size, bar.scheme.elastic * p.norm());
  for (Index k = 0; k < arrangement.free; ++k) {
    const Index i = arrangement.node[k];
    const Vec3 expected = bar.scheme.elastic * (g[i] - bar.model.mass[i] * bar.input.gravity);  // v^ = 0
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(bar.v.g[4 * std::size_t(k) + c], expected[c], 1e-5 * size) << k;
  }
}

TEST(StepEquation, the_hessian_is_symmetric_positive_and_below_the_preconditioner) {
  StepOfABar bar;
  bar.e.residual(nullptr, true, bar.v.g);
  const Points a = random_points(bar.model.rest.size(), 1, 3), b = random_points(bar.model.rest.size(), 1, 4);
  Floats p(bar.v.p.size(), 0), q(p), hp(p), hq(p), back(p);
  for (Index k = 0; k < bar.cache.arrangement.free; ++k)
    for (int c = 0; c < 3; ++c)
      p[4 * std::size_t(k) + c] = float(a[k][c]), q[4 * std::size_t(k) + c] = float(b[k][c]);
  const double php = bar.e.hessian(p, hp);
  bar.e.hessian(q, hq);
  const double size = std::sqrt(bar.e.dot(hp, hp) * bar.e.dot(q, q));
  EXPECT_NEAR(bar.e.dot(q, hp), bar.e.dot(p, hq), 1e-5 * size);
  EXPECT_GT(php, 0);
  EXPECT_NEAR(php, bar.e.dot(p, hp), 1e-5 * php);
  // H <= A: hp . A^-1 hp <= p . H p
  bar.e.solve(hp, back);
  EXPECT_LE(bar.e.dot(hp, back), php * (1 + 1e-4));
}

TEST(StepSolvers, conjugate_gradients_solve_the_linear_model) {
  StepOfABar bar;
  bar.options.tolerance = 1e-3;
  const double rho = begin_newton(bar.e, bar.v);
  ASSERT_GT(rho, 0);
  EXPECT_TRUE(conjugate_gradients(bar.e, bar.v, rho, most_gradients));
  EXPECT_GT(bar.report.iterations, 1);
  bar.e.residual(nullptr, true, bar.v.g);
  Floats hd(bar.v.d.size(), 0), z(hd);
  bar.e.hessian(bar.v.d, hd);
  bar.e.add(1, bar.v.g, hd);  // G(0) + H D
  bar.e.solve(hd, z);
  EXPECT_LT(bar.e.dot(hd, z), 1e-4 * rho);
}

TEST(StepSolvers, all_end_where_the_residual_is_small) {
  StepOfABar newton_bar, local, accelerated;
  for (StepOfABar* bar : {&newton_bar, &local, &accelerated})
    std::fill(bar->v.d.begin(), bar->v.d.end(), 0.0f);
  const double start = local.left();

  for (int k = 0; k < 200; ++k) local_global_step(local.e, local.v);
  EXPECT_LT(local.left(), 1e-3 * start);

  accelerated_local_global(accelerated.e, accelerated.v);
  EXPECT_LT(accelerated.left(), 0.02 * start);

  newton(newton_bar.e, newton_bar.v, begin_newton(newton_bar.e, newton_bar.v));
  EXPECT_FALSE(newton_bar.report.violent);
  EXPECT_LT(newton_bar.left(), 0.2 * start);
}

TEST(StepSolvers, a_newton_step_by_the_factor_is_that_of_the_gradients) {
  StepOfABar bar;
  bar.cache.hessian.arrange(bar.model, bar.cache.arrangement);
  bar.options.tolerance = 1e-5;
  const double rho = begin_newton(bar.e, bar.v);
  ASSERT_TRUE(conjugate_gradients(bar.e, bar.v, rho, most_gradients));
  const Floats by_gradients = bar.v.d;
  begin_newton(bar.e, bar.v);
  const std::optional<double> share = add_newton_step(bar.e, bar.v, 1e9);
  ASSERT_TRUE(share.has_value());
  EXPECT_EQ(*share, 1);
  Floats difference = bar.v.d;
  bar.e.add(-1, by_gradients, difference);
  EXPECT_LT(bar.e.dot(difference, difference), 1e-6 * bar.e.dot(bar.v.d, bar.v.d));
}

}  // namespace solvers_test
}  // namespace pliant::geometric
