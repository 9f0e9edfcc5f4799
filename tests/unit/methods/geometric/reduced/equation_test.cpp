// SPDX-License-Identifier: Apache-2.0
// The equation of a reduced step and its solvers, without a body around them.
#include "pliant/methods/geometric/reduced/equation.hpp"

#include <gtest/gtest.h>

#include "pliant/methods/geometric/reduced/local_global.hpp"
#include "pliant/methods/geometric/reduced/newton.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace equation_test {

constexpr double h = 1.0 / 60;  // s

ReducedModel modal_bar() {
  Model model = model_of(jittered(lattice({3, 3, 8}, 0.1, 1, 2e3), 0.01));
  Result<Basis> basis = make_basis(model, {}, Reduction{.modal = 4}, {});
  EXPECT_TRUE(basis) << basis.error().text();
  Cubature all = every_node(model);
  return make_reduced_model(std::move(model), std::move(*basis), std::move(all));
}

Coordinates random_coordinates(const ReducedModel& model, double scale, unsigned seed) {
  const Points points = random_points(std::size_t(model.columns()), scale, seed);
  Coordinates out(model.columns(), 3);
  for (Eigen::Index a = 0; a < out.rows(); ++a) out.row(a) = points[std::size_t(a)].transpose();
  return out;
}

/// A step of a bar that is strained and moves.
struct Step {
  ReducedModel model = modal_bar();
  Options options;
  ReducedState state = state_at_rest(model, false);
  ReducedCache cache{model, options, state};
  ReducedScratch scratch{model};
  Pool pool{1};
  StepInput input;
  Scheme scheme{options.integrator, h, {.mass = 0.1, .stiffness = 0.001}, options.damping_frame};
  StageWatch watch;
  StepReport report;
  Context context{input, scheme, pool, watch, report};
  ReducedEquation equation{model, options, state, cache, scratch, context};

  Step() {
    input.h = h;
    input.pool = &pool;
    input.gravity = {0, -9.81, 0};
    state.z = random_coordinates(model, 0.01, 1);
    state.v = random_coordinates(model, 0.1, 2);
    EXPECT_EQ(cache.holds.take(model, input), "");
    EXPECT_EQ(equation.set_matrix(), "");
    equation.predict(Past::straight);
  }

  /// G . A^-1 G at D.
  double left(const Coordinates& d) {
    Coordinates g = scratch.base, z = g;
    equation.residual(scratch.start + d, true, g);
    equation.solve(g, z);
    return dot(g, z);
  }
};

TEST(ReducedEquation, the_hessian_lies_between_zero_and_the_matrix) {
  Step step;
  step.left(Coordinates::Zero(step.model.columns(), 3));
  for (unsigned seed = 3; seed < 13; ++seed) {
    const Coordinates p = random_coordinates(step.model, 0.01, seed);
    Coordinates hp = p, ap = p;
    EXPECT_GT(step.equation.hessian(p, hp), 0);
    multiply(step.cache.matrix.matrix(), p, ap);
    EXPECT_GT(dot(p, hp), 0);
    EXPECT_LE(dot(p, hp), dot(p, ap));
  }
}

TEST(ReducedEquation, conjugate_gradients_solve_its_linear_model) {
  Step step;
  ReducedVectors& v = step.scratch.vectors;
  step.equation.residual(step.scratch.start, true, v.g);
  const Coordinates g = v.g;
  const double rho = begin_gradients(step.equation, v);
  conjugate_gradients(step.equation, v, rho,
                      [&](double now) { return now < 1e-10 * rho || step.report.iterations == 100; });
  EXPECT_LT(step.report.iterations, 100);
  Coordinates hd = g;
  step.equation.hessian(v.d, hd);
  EXPECT_LT((hd + g).norm(), 1e-4 * g.norm());
}

TEST(ReducedEquation, newton_and_local_global_iterations_solve_it) {
  Step newton_step, local_step, violent_step;
  const double start = newton_step.left(Coordinates::Zero(newton_step.model.columns(), 3));
  newton(newton_step.equation, newton_step.scratch.vectors);
  EXPECT_FALSE(newton_step.report.violent);
  EXPECT_LT(newton_step.left(newton_step.scratch.vectors.d), 1e-2 * start);
  local_step.options.iterations = 50;
  local_global(local_step.equation, local_step.scratch.vectors);
  EXPECT_LT(local_step.left(local_step.scratch.vectors.d), 1e-2 * start);
  accelerated_local_global(violent_step.equation, violent_step.scratch.vectors);
  EXPECT_LT(violent_step.left(violent_step.scratch.vectors.d), 1e-2 * start);
}

}  // namespace equation_test
}  // namespace pliant::geometric
