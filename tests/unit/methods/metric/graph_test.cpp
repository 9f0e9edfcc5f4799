// SPDX-License-Identifier: Apache-2.0
// Length constraints on the edges of any graph: `lattice: mesh`.
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/metric/build.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace graph_test {

Model graph_model(const Options& options) {
  const Shape torus = make_shape(TorusShape{.nodes = {5, 24}});
  Result<Model> model = make_model(torus.graph, 1000, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

TEST(MetricGraph, its_operator_gives_the_forces_of_the_energy_and_a_symmetric_matrix) {
  Pool pool(1);
  for (const Integrator integrator : {Integrator::stable, Integrator::accurate, Integrator::paper}) {
    const Model model = graph_model({.lattice = Lattice::mesh, .integrator = integrator});
    const auto op = make_graph_operator(model, integrator);
    const std::size_t n = std::size_t(op->points());
    const Points x = shaken(model.rest, 0.05, 3);
    for (std::size_t i = 0; i < x.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) op->x[c * n + i] = x[i][int(c)];
      op->mass[i] = op->free[i] = 1;
    }
    MatrixForm form;
    form.integrator = integrator;
    form.scale = 1e-3;
    op->evaluate(form, nullptr, pool);
    Points f(x.size());
    forces(model, {}, x, f);
    double scale = 0, worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        worst = std::max(worst, std::abs(op->force[c * n + i] - f[i][int(c)]));
        scale = std::max(scale, std::abs(f[i][int(c)]));
      }
    EXPECT_LT(worst, 1e-11 * scale);
    EXPECT_GT(op->pushed_cells(), 0);
    Floats u(3 * n, 0.0f), v(3 * n, 0.0f), au(3 * n), av(3 * n);
    const Points a = shaken(Points(x.size(), Vec3::Zero()), 1, 1),
                 b = shaken(Points(x.size(), Vec3::Zero()), 1, 2);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        u[c * n + i] = float(a[i][int(c)]), v[c * n + i] = float(b[i][int(c)]);
    op->apply(u.data(), au.data(), pool);
    op->apply(v.data(), av.data(), pool);
    double uav = 0, vau = 0, size = 0;
    for (std::size_t k = 0; k < u.size(); ++k)
      uav += double(u[k]) * av[k], vau += double(v[k]) * au[k], size += std::abs(double(v[k]) * au[k]);
    EXPECT_NEAR(uav, vau, 1e-5 * size);
  }
}

/// E section/length (length e)^2/2 of a rod; share = section/length.
TEST(MetricGraph, an_edge_has_the_energy_of_a_rod_of_its_section_at_small_strain) {
  NodeGraph graph;
  graph.positions = {Vec3(0, 0, 0), Vec3(0, 2, 0)};
  graph.volumes = {1, 1};
  graph.edges = {{0, 1, 0.3}};
  const Result<Model> model = make_model(graph, 1, {.lattice = Lattice::mesh, .stiffness = 5000});
  ASSERT_TRUE(model);
  const double e = 1e-6;
  const Points x{Vec3(0, 0, 0), Vec3(0, 2 * (1 + e), 0)};
  EXPECT_NEAR(energy(*model, {}, x), 5000 * 0.3 * (2 * e) * (2 * e) / 2, 1e-5 * 5000 * e * e);
}

TEST(MetricGraph, the_accurate_matrix_is_the_hessian_at_rest_and_its_diagonal_is_inverted) {
  Pool pool(1);
  const Model model = graph_model({.lattice = Lattice::mesh, .integrator = Integrator::accurate});
  const auto op = make_graph_operator(model, Integrator::accurate);
  const std::size_t n = std::size_t(op->points());
  for (std::size_t i = 0; i < model.rest.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) op->x[c * n + i] = model.rest[i][int(c)];
    op->mass[i] = op->free[i] = 1;
  }
  MatrixForm form;
  form.integrator = Integrator::accurate;
  form.scale = 1e-3;
  op->evaluate(form, nullptr, pool);
  const Points d = shaken(Points(model.rest.size(), Vec3::Zero()), 1, 1);
  Points up = model.rest, down = model.rest, fu(d.size()), fd(d.size());
  Floats in(3 * n, 0.0f), out(3 * n);
  double curvature = 0, size = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    up[i] += 1e-6 * d[i], down[i] -= 1e-6 * d[i];
    size += d[i].squaredNorm();
    for (std::size_t c = 0; c < 3; ++c) in[c * n + i] = float(d[i][int(c)]);
  }
  forces(model, {}, up, fu);
  forces(model, {}, down, fd);
  for (std::size_t i = 0; i < d.size(); ++i) curvature -= d[i].dot(fu[i] - fd[i]) / 2e-6;
  EXPECT_NEAR(op->apply(in.data(), out.data(), pool), size + form.scale * curvature,
              1e-3 * form.scale * curvature);
  std::array<Floats, 6> inverse;
  for (Floats& f : inverse) f.assign(n, 0.0f);
  op->invert_diagonal(inverse, pool);
  std::fill(in.begin(), in.end(), 0.0f);
  Vec3 column;
  in[7] = 1;
  op->apply(in.data(), out.data(), pool);
  for (std::size_t c = 0; c < 3; ++c) column[int(c)] = out[c * n + 7];
  EXPECT_NEAR(inverse[0][7] * column[0] + inverse[1][7] * column[1] + inverse[2][7] * column[2], 1, 1e-4);
  EXPECT_NEAR(inverse[1][7] * column[0] + inverse[3][7] * column[1] + inverse[4][7] * column[2], 0, 1e-4);
}

TEST(MetricGraph, a_squashed_ring_comes_back_at_any_step) {
  const Shape torus = make_shape(TorusShape{.nodes = {5, 24}});
  for (const double h : {0.005, 0.1}) {
    auto made = build(torus, 1000, {.mass = 2, .stiffness = 0}, {.lattice = Lattice::mesh, .stiffness = 1e5});
    ASSERT_TRUE(made);
    Method& body = **made;
    Points x = torus.graph.positions;
    for (Vec3& p : x) p.y() *= 0.5, p.x() *= 1.3;
    body.place(x, Points(x.size(), Vec3::Zero()));
    const double start = body.elastic_energy();
    Pool pool(1);
    StepInput input;
    input.h = h;
    input.pool = &pool;
    for (int k = 0; k < int(20 / h); ++k) ASSERT_TRUE(body.advance(input).ok());
    EXPECT_LT(body.elastic_energy(), 1e-4 * start) << h;
    EXPECT_EQ(body.inverted_cells(), 0);
  }
}

TEST(MetricGraph, what_needs_axes_is_refused) {
  const Shape torus = make_shape(TorusShape{.nodes = {5, 24}});
  EXPECT_FALSE(build(torus, 1000, {}, {.model = Kind::original, .lattice = Lattice::mesh}));
  EXPECT_FALSE(build(torus, 1000, {}, {.lattice = Lattice::mesh, .length = 0}));
  const auto refused = build(torus, 1000, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("lattice"), std::string::npos);
}

}  // namespace graph_test
}  // namespace pliant::metric
