// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/conjugate_gradients.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace multigrid_test {

/// A lattice with a corner carved away, its first layers held, shaken, and stiff.
struct Problem {
  Model model;
  std::unique_ptr<Operator> matrix;
  Pool pool{1};

  Problem(std::array<int, 3> nodes, bool held, Options options = with_strength()) {
    NodeGraph all = lattice_graph(nodes), carved;
    for (const Vec3& p : all.positions)
      if (!(p.x() > 0.6 * nodes[0] && p.y() > 0.5 * nodes[1])) carved.positions.push_back(p);
    carved.volumes.assign(carved.positions.size(), 1.0);
    Result<Model> made = make_model(carved, 1, options);
    EXPECT_TRUE(made);
    model = std::move(*made);
    matrix = make_grid_operator(model, options.integrator);
    const Points x = shaken(model.rest, 0.1, 3);
    const std::size_t n = std::size_t(matrix->points());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::size_t p = std::size_t(matrix->place(Index(i)));
      for (std::size_t c = 0; c < 3; ++c) matrix->x[c * n + p] = x[i][int(c)];
      matrix->mass[p] = 1, matrix->free[p] = held && model.rest[i].z() < 0.5 ? 0.0f : 1.0f;
    }
    MatrixForm form;
    form.integrator = options.integrator;
    form.scale = 100;  // diagonals of 10^5
    matrix->evaluate(form, nullptr, pool);
  }

  Floats random(unsigned seed) const {
    std::mt19937 numbers(seed);
    std::normal_distribution<float> normal;
    Floats out(3 * std::size_t(matrix->points()), 0.0f);
    for (std::size_t c = 0; c < 3; ++c)
      for (Index i = 0; i < model.nodes(); ++i) {
        const std::size_t p = std::size_t(matrix->place(i));
        out[c * std::size_t(matrix->points()) + p] = normal(numbers) * matrix->free[p];
      }
    return out;
  }

  int solve(Preconditioner& preconditioner, const Floats& b, Floats& x, double tolerance, Pool& threads) {
    preconditioner.prepare(*matrix, threads);
    x.assign(b.size(), 0.0f);
    ConjugateGradients gradients;
    const auto outcome = gradients.solve(*matrix, preconditioner, b, x, tolerance, 2000, threads);
    EXPECT_FALSE(outcome.broke);
    return outcome.iterations;
  }
};

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += double(a[k]) * b[k];
  return sum;
}

Options accurately() { return with_strength(1, {.integrator = Integrator::accurate}); }

TEST(MetricMultigrid, is_symmetric_and_positive) {
  for (const bool held : {false, true})
    for (const std::array<int, 3> nodes :
         {std::array{9, 8, 7}, std::array{16, 5, 3}, std::array{1, 12, 6}, std::array{8, 8, 8}}) {
      Problem problem(nodes, held, nodes[0] == 8 ? accurately() : with_strength());
      const auto cycle = make_multigrid(*problem.matrix, true);
      cycle->prepare(*problem.matrix, problem.pool);
      const Floats a = problem.random(1), b = problem.random(2);
      Floats pa(a.size(), 0.0f), pb(a.size(), 0.0f);
      const double aa = cycle->apply(a.data(), pa.data(), problem.pool);
      const double bb = cycle->apply(b.data(), pb.data(), problem.pool);
      EXPECT_GT(aa, 0);
      EXPECT_NEAR(aa, dot(a, pa), 1e-5 * aa);
      EXPECT_NEAR(dot(a, pb), dot(b, pa), 1e-5 * std::sqrt(aa * bb));
    }
}

TEST(MetricMultigrid, needs_no_more_iterations_on_a_finer_lattice_and_fewer_than_jacobi) {
  for (const bool held : {false, true}) {
    int iterations[2], jacobi[2];
    for (int k = 0; k < 2; ++k) {
      Problem problem(k == 0 ? std::array{20, 20, 20} : std::array{40, 40, 40}, held);
      const Floats b = problem.random(4);
      Floats x;
      iterations[k] = problem.solve(*make_multigrid(*problem.matrix, true), b, x, 1e-3, problem.pool);
      jacobi[k] = problem.solve(*make_jacobi(*problem.matrix, Integrator::stable), b, x, 1e-3, problem.pool);
    }
    std::printf("%s: multigrid %d and %d iterations, jacobi %d and %d\n", held ? "held" : "free",
                iterations[0], iterations[1], jacobi[0], jacobi[1]);
    EXPECT_LE(iterations[1], iterations[0] + 1);
    EXPECT_LT(4 * iterations[1], jacobi[1]);
  }
}

TEST(MetricMultigrid, of_the_accurate_matrix_needs_few_iterations_at_any_size) {
  int iterations[2], jacobi[2];
  for (int k = 0; k < 2; ++k) {
    Problem problem(k == 0 ? std::array{16, 16, 16} : std::array{32, 32, 32}, true, accurately());
    const Floats b = problem.random(4);
    Floats x;
    iterations[k] = problem.solve(*make_multigrid(*problem.matrix, true), b, x, 1e-3, problem.pool);
    jacobi[k] = problem.solve(*make_jacobi(*problem.matrix, Integrator::accurate), b, x, 1e-3, problem.pool);
  }
  std::printf("accurate: multigrid %d and %d iterations, jacobi %d and %d\n", iterations[0], iterations[1],
              jacobi[0], jacobi[1]);
  EXPECT_LE(iterations[1], iterations[0] + 6);
  EXPECT_LT(3 * iterations[1], jacobi[1]);
}

TEST(MetricMultigrid, gives_the_answer_of_jacobi_for_any_number_of_threads) {
  for (const Options& options : {with_strength(), accurately()}) {
    Problem problem({21, 18, 20}, true, options);
    const Floats b = problem.random(6);
    Floats by_jacobi, by_cycles, by_three;
    problem.solve(*make_jacobi(*problem.matrix, options.integrator), b, by_jacobi, 1e-6, problem.pool);
    problem.solve(*make_multigrid(*problem.matrix, true), b, by_cycles, 1e-6, problem.pool);
    Pool three(3);
    problem.solve(*make_multigrid(*problem.matrix, true), b, by_three, 1e-6, three);
    EXPECT_EQ(by_cycles, by_three);
    Floats difference = by_cycles;
    for (std::size_t k = 0; k < difference.size(); ++k) difference[k] -= by_jacobi[k];
    EXPECT_LT(dot(difference, difference), 1e-7 * dot(by_jacobi, by_jacobi));
  }
}

TEST(MetricMultigrid, is_taken_where_the_matrix_is_stiff_and_the_body_large) {
  Problem problem({20, 20, 20}, false);
  const auto automatic = make_multigrid(*problem.matrix, false);
  automatic->prepare(*problem.matrix, problem.pool);
  EXPECT_EQ(automatic->name(), "multigrid");
  MatrixForm soft;
  soft.scale = 1e-4;
  problem.matrix->evaluate(soft, nullptr, problem.pool);
  automatic->prepare(*problem.matrix, problem.pool);
  EXPECT_EQ(automatic->name(), "jacobi");
  EXPECT_NE(automatic->scales(), nullptr);
  Problem small({5, 5, 5}, false);
  const auto of_small = make_preconditioner(*small.matrix, with_strength());
  of_small->prepare(*small.matrix, small.pool);
  EXPECT_EQ(of_small->name(), "jacobi");
}

}  // namespace multigrid_test
}  // namespace pliant::metric
