// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/operator.hpp"

#include "pliant/base/simd.hpp"
#include "pliant/methods/metric/conjugate_gradients.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace operator_test {

struct Case {
  std::string name;
  Options options;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const Integrator i : {Integrator::stable, Integrator::accurate, Integrator::lively, Integrator::paper})
    for (const Kind kind : {Kind::improved, Kind::original})
      out.push_back({std::to_string(int(i)) + (kind == Kind::improved ? " improved" : " original"),
                     with_strength(1, {.model = kind, .integrator = i})});
  return out;
}

/// Nodes 7 x 5 x 6 with a corner carved away.
NodeGraph carved() {
  NodeGraph graph = lattice_graph({7, 5, 6}, {1, 0.8, 1.2}), out;
  for (const Vec3& p : graph.positions)
    if (!(p.x() > 3.5 && p.y() > 1.9)) out.positions.push_back(p);
  out.volumes.assign(out.positions.size(), 1.0);
  return out;
}

Model model_of(const Options& options) {
  Result<Model> model = make_model(carved(), 1, options);
  EXPECT_TRUE(model);
  return std::move(*model);
}

void load(Operator& op, const Points& x, std::size_t held) {
  const std::size_t n = std::size_t(op.points());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t p = std::size_t(op.place(Index(i)));
    for (std::size_t c = 0; c < 3; ++c) op.x[c * n + p] = x[i][int(c)];
    op.mass[p] = 1, op.free[p] = i == held ? 0.0f : 1.0f;
  }
}

Floats vector_of(const Operator& op, const Points& v) {
  const std::size_t n = std::size_t(op.points());
  Floats out(3 * n, 0.0f);
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) out[c * n + std::size_t(op.place(Index(i)))] = float(v[i][int(c)]);
  return out;
}

double dot(const Floats& a, const Floats& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += double(a[k]) * b[k];
  return sum;
}

class EveryLevel : public testing::Test {
 protected:
  ~EveryLevel() override { set_simd_level(SimdLevel::avx512); }
  static std::vector<SimdLevel> levels() {
    std::vector<SimdLevel> out;
    for (const SimdLevel l : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512})
      if (set_simd_level(l) == l) out.push_back(l);
    return out;
  }
  Pool pool{1};

  /// Each definite matrix at shaken positions, node 17 held, on every instruction set.
  template <class Check>
  void with_shaken_matrices(Check&& check) {
    for (const SimdLevel level : levels())
      for (const Case& c : cases()) {
        if (c.options.integrator == Integrator::paper) continue;  // indefinite: its size serves
        set_simd_level(level);
        const Model model = model_of(c.options);
        const auto op = make_grid_operator(model, c.options.integrator);
        load(*op, shaken(model.rest, 0.2, 3), 17);
        MatrixForm form;
        form.integrator = c.options.integrator;
        form.scale = 0.01;
        op->evaluate(form, nullptr, pool);
        check(c, model, *op);
      }
  }
};
using MetricOperator = EveryLevel;

TEST_F(MetricOperator, kernels_give_the_forces_of_the_energy) {
  for (const SimdLevel level : levels())
    for (Case c : cases()) {
      set_simd_level(level);
      c.options.orientation = 2;
      const Model model = model_of(c.options);
      const auto op = make_grid_operator(model, c.options.integrator);
      std::vector<double> metrics(model.rest_metrics(), 1.1);
      for (const bool flowed : {false, true}) {
        const Points x = shaken(model.rest, 0.4, 11);
        load(*op, x, x.size());
        MatrixForm form;
        form.integrator = c.options.integrator;
        form.factor = 0.7;
        op->evaluate(form, flowed ? metrics.data() : nullptr, pool);
        Points f(x.size());
        forces(model, {0.7, flowed ? metrics : std::vector<double>{}}, x, f);
        double scale = 0, worst = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
          for (std::size_t k = 0; k < 3; ++k) {
            const double got = op->force[k * std::size_t(op->points()) + std::size_t(op->place(Index(i)))];
            worst = std::max(worst, std::abs(got - f[i][int(k)]));
            scale = std::max(scale, std::abs(f[i][int(k)]));
          }
        EXPECT_LT(worst, 1e-12 * scale) << c.name << " " << name(level);
        EXPECT_GT(op->pushed_cells(), 3) << "the orientation term takes part";
      }
    }
}

TEST_F(MetricOperator, matrices_are_symmetric_keep_the_momentum_and_agree_on_all_levels) {
  for (const Case& c : cases()) {
    const Model model = model_of(c.options);
    const Points x = shaken(model.rest, 0.15, 12);
    std::vector<double> products;
    for (const SimdLevel level : levels()) {
      set_simd_level(level);
      const auto op = make_grid_operator(model, c.options.integrator);
      load(*op, x, x.size());
      MatrixForm form;
      form.integrator = c.options.integrator;
      op->evaluate(form, nullptr, pool);
      const Floats u = vector_of(*op, shaken(Points(x.size(), Vec3::Zero()), 1, 1)),
                   v = vector_of(*op, shaken(Points(x.size(), Vec3::Zero()), 1, 2)),
                   one = vector_of(*op, Points(x.size(), Vec3(1, 2, 3)));
      Floats au(u.size()), av(u.size()), a1(u.size());
      const double uau = op->apply(u.data(), au.data(), pool);
      op->apply(v.data(), av.data(), pool);
      op->apply(one.data(), a1.data(), pool);
      EXPECT_NEAR(uau, dot(u, au), 1e-4 * std::abs(uau));
      EXPECT_NEAR(dot(v, au), dot(u, av), 2e-4 * std::abs(uau)) << c.name;
      for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(a1[k], one[k], 1e-2) << c.name;
      products.push_back(uau);
      // the paper's is what Terzopoulos printed: indefinite; the others never are
      if (c.options.integrator != Integrator::paper) {
        EXPECT_GT(uau, dot(u, u) * 0.999);
      }
    }
    for (const double p : products) EXPECT_NEAR(p, products[0], 1e-4 * std::abs(products[0]));
  }
}

TEST_F(MetricOperator, products_by_sums_are_those_by_differences_and_only_soft_matrices_take_them) {
  for (const SimdLevel level : levels())
    for (const double scale : {1e-2, 1e4}) {
      set_simd_level(level);
      const Model model = model_of(with_strength());
      const auto op = make_grid_operator(model, Integrator::stable);
      load(*op, shaken(model.rest, 0.1, 3), 17);
      MatrixForm form;
      form.scale = scale;
      op->evaluate(form, nullptr, pool);
      const Floats in = vector_of(*op, shaken(Points(model.rest.size(), Vec3(5, 0, -5)), 1, 5));
      Floats before(in.size()), after(in.size()), inverse(std::size_t(op->points()));
      op->apply(in.data(), before.data(), pool);
      const double over_mass = op->invert_diagonal({&inverse, 1}, pool);
      EXPECT_EQ(over_mass < 100, scale < 1) << over_mass;
      const double product = op->apply(in.data(), after.data(), pool);
      EXPECT_EQ(before == after, scale > 1);
      EXPECT_NEAR(dot(in, after), product, 1e-5 * product);
      for (std::size_t k = 0; k < in.size(); ++k) EXPECT_NEAR(before[k], after[k], 1e-5 * over_mass * 5);
      // the first residual and direction of a solve
      const Floats b = vector_of(*op, shaken(Points(model.rest.size(), Vec3::Zero()), 1, 8));
      Floats r(in.size()), p(in.size());
      op->start(in.data(), b.data(), inverse.data(), r.data(), p.data(), pool);
      const std::size_t n = std::size_t(op->points()), held = std::size_t(op->place(17));
      for (std::size_t k = 0; k < in.size(); ++k) {
        if (k % n == held) continue;
        EXPECT_NEAR(r[k], b[k] - after[k], 1e-5 * over_mass * 5);
        EXPECT_NEAR(p[k], inverse[k % n] * r[k], 1e-6 * std::abs(p[k]));
      }
    }
}

/// The Hessian along a direction by differences of the forces.
double curvature(const Model& model, const Points& x, const Points& d) {
  Points up = x, down = x, fu(x.size()), fd(x.size());
  const double s = 1e-5;
  for (std::size_t i = 0; i < x.size(); ++i) up[i] += s * d[i], down[i] -= s * d[i];
  forces(model, {}, up, fu);
  forces(model, {}, down, fd);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum -= d[i].dot(fu[i] - fd[i]) / (2 * s);
  return sum;
}

TEST_F(MetricOperator, stable_and_accurate_matrices_are_at_least_half_the_hessian_at_rest) {
  for (const Kind kind : {Kind::improved, Kind::original})
    for (const Integrator integrator : {Integrator::stable, Integrator::accurate}) {
      const Options options = with_strength(1, {.model = kind, .integrator = integrator});
      const Model model = model_of(options);
      const auto op = make_grid_operator(model, integrator);
      load(*op, model.rest, model.rest.size());
      MatrixForm form;
      form.integrator = integrator;
      op->evaluate(form, nullptr, pool);
      for (unsigned seed = 0; seed < 20; ++seed) {
        const Points d = shaken(Points(model.rest.size(), Vec3::Zero()), 1, seed);
        const Floats in = vector_of(*op, d);
        Floats out(in.size());
        const double matrix = op->apply(in.data(), out.data(), pool) - dot(in, in);
        const double hessian = curvature(model, model.rest, d);
        EXPECT_GE(matrix, (integrator == Integrator::accurate ? 0.999 : 0.5) * hessian);
        if (integrator == Integrator::accurate) {
          EXPECT_NEAR(matrix, hessian, 1e-3 * hessian);
        }
      }
    }
}

/// A preconditioner that is wrong still solves, only later: so against the matrix itself.
TEST_F(MetricOperator, the_inverted_diagonal_is_that_of_the_matrix) {
  with_shaken_matrices([&](const Case& c, const Model& model, Operator& op) {
    const std::size_t n = std::size_t(op.points());
    std::array<Floats, 6> inverse;
    for (Floats& f : inverse) f.assign(n, 0.0f);
    op.invert_diagonal(inverse, pool);
    Floats in(3 * n, 0.0f), out(3 * n);
    for (const Index i : {0, 1, 40, 77, int(model.nodes()) - 1}) {
      const std::size_t p = std::size_t(op.place(i));
      Mat3 block, inverted = inverse[0][p] * Mat3::Identity();
      for (int a = 0; a < 3; ++a) {
        in[std::size_t(a) * n + p] = 1;
        op.apply(in.data(), out.data(), pool);
        in[std::size_t(a) * n + p] = 0;
        for (int b = 0; b < 3; ++b) block(b, a) = out[std::size_t(b) * n + p];
      }
      if (op.blocks())
        inverted << inverse[0][p], inverse[1][p], inverse[2][p],  //
            inverse[1][p], inverse[3][p], inverse[4][p],          //
            inverse[2][p], inverse[4][p], inverse[5][p];
      EXPECT_LT((block * inverted - Mat3::Identity()).norm(), 1e-4) << c.name << " node " << i;
    }
    for (const Floats& f : inverse) EXPECT_EQ(f[std::size_t(op.place(17))], 0) << "held";
  });
}

TEST_F(MetricOperator, the_accurate_matrix_lets_a_body_at_rest_turn_freely) {
  const Options options = with_strength(1, {.integrator = Integrator::accurate});
  const Model model = model_of(options);
  const auto op = make_grid_operator(model, Integrator::accurate);
  load(*op, model.rest, model.rest.size());
  MatrixForm form;
  form.integrator = Integrator::accurate;
  op->evaluate(form, nullptr, pool);
  Points turn;
  for (const Vec3& p : model.rest) turn.push_back(Vec3(1, -2, 0.5).cross(p));
  const Floats in = vector_of(*op, turn);
  Floats out(in.size());
  EXPECT_NEAR(op->apply(in.data(), out.data(), pool) / dot(in, in), 1, 1e-4);
}

TEST_F(MetricOperator, conjugate_gradients_solve_with_held_rows_left_out) {
  with_shaken_matrices([&](const Case& c, const Model& model, Operator& op) {
    const auto jacobi = make_jacobi(op, c.options.integrator);
    jacobi->prepare(op, pool);
    Points d = shaken(Points(model.rest.size(), Vec3::Zero()), 1, 5);
    const Floats wanted = vector_of(op, d);
    Floats b(wanted.size()), x(wanted.size(), 0.0f), left(wanted.size());
    op.apply(wanted.data(), b.data(), pool);
    const std::size_t held = std::size_t(op.place(17));
    for (std::size_t k = 0; k < 3; ++k)
      x[k * std::size_t(op.points()) + held] = wanted[k * std::size_t(op.points()) + held];
    ConjugateGradients gradients;
    const auto outcome = gradients.solve(op, *jacobi, b, x, 1e-6, 500, pool);
    EXPECT_FALSE(outcome.broke);
    for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], wanted[k], 1e-4) << c.name;
  });
}

TEST_F(MetricOperator, the_papers_matrix_breaks_the_solve_under_compression) {
  const Options options = with_strength(10, {.integrator = Integrator::paper});
  const Model model = model_of(options);
  const auto op = make_grid_operator(model, Integrator::paper);
  Points x = model.rest;
  for (Vec3& p : x) p *= 0.7;
  load(*op, x, x.size());
  MatrixForm form;
  form.integrator = Integrator::paper;
  op->evaluate(form, nullptr, pool);
  const auto jacobi = make_jacobi(*op, Integrator::paper);
  jacobi->prepare(*op, pool);
  const Floats b = vector_of(*op, shaken(Points(x.size(), Vec3::Zero()), 1, 5));
  Floats d(b.size(), 0.0f);
  ConjugateGradients gradients;
  EXPECT_TRUE(gradients.solve(*op, *jacobi, b, d, 1e-5, 50, pool).broke);
}

}  // namespace operator_test
}  // namespace pliant::metric
