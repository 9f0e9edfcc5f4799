// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/cells.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <numeric>
#include <random>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/methods/meshless/model.hpp"

namespace pliant::meshless {
namespace cells_test {

constexpr double tolerance = 1e-10;

struct Built {
  Shape shape;
  MovingLeastSquares mls;
  Model model;
};

Built build(Shape shape, double gamma, Pool& pool, Options options = {}) {
  options.support = gamma;
  MovingLeastSquares mls(shape.graph.positions, inner_pairs(shape.graph), mls_options(shape, options), pool);
  Result<Model> model = make_model(shape, mls, 1000, options, pool);
  EXPECT_TRUE(model);
  return {std::move(shape), std::move(mls), std::move(*model)};
}

const BoxShape box{.size = {1, 1, 2}, .nodes = {5, 5, 9}, .corner = {0.5, -2, 1}};

Shape jittered(double amount) {
  Shape shape = make_shape(box);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (Vec3& p : shape.graph.positions)
    for (int c = 0; c < 3; ++c) p[c] += amount * 0.25 * unit(random);
  return shape;
}

/// With nodes twice as near in a ball that reaches through the surface, and four times as near inside of that.
Flesh finer(Shape shape, double gamma) {
  Options options;
  options.kappa = 0;
  options.support = gamma;
  options.finer = {{.near = Near::point, .joint = "", .point = {0.6, -1.5, 1.8}, .radius = 0.5, .ratio = 2},
                   {.near = Near::point, .joint = "", .point = {1, -1.5, 1.9}, .radius = 0.15, .ratio = 4}};
  return make_flesh(std::move(shape), options);
}

class PatchTest : public testing::TestWithParam<std::tuple<double, double, bool>> {};

/// u = A X + b under the tractions of its constant stress, four nodes held at the exact values: the solution
/// is u everywhere [notes, section 2].
TEST_P(PatchTest, constant_strain_is_exact_for_any_layout_of_nodes) {
  const auto [gamma, jitter, refined] = GetParam();
  Pool pool(2);
  Options options;
  options.kappa = 0;
  Flesh flesh{jittered(jitter), options};
  if (refined) flesh = finer(jittered(jitter), gamma);
  const Built built = build(flesh.shape, gamma, pool, flesh.options);
  const Model& model = built.model;
  const Index n = model.nodes();
  Mat3 a;
  a << 0.1, 0.03, -0.02, 0.05, -0.08, 0.01, 0.02, 0.04, 0.06;
  const Mat3 strain = 0.5 * (a + a.transpose());
  const Mat3 stress = 2 * model.mu * strain + model.lambda * strain.trace() * Mat3::Identity();
  const auto exact = [&](const Vec3& x) -> Vec3 { return a * x + Vec3(0.1, -0.2, 0.3); };

  // The matrix, and the residual of the exact field: loads on the faces of the boundary cells balance it.
  const SymmetricMatrix k = block_matrix(model, std::vector<double>(std::size_t(n), 0), 1, {}, 0);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(3 * n);
  const Vec3 low = box.corner, high = box.corner + box.size;
  MlsValues at;
  for (Index c = 0; c < model.cells.count(); ++c)
    for (int side = 0; side < 6; ++side) {
      const Vec3 e = model.cells.edge_of(c);
      Vec3 x = model.cells.centre[c], normal = Vec3::Zero();
      const int axis = side / 2;
      normal[axis] = side % 2 == 0 ? -1 : 1;
      x += 0.5 * e[axis] * normal;
      if (std::abs(x[axis] - low[axis]) > 1e-9 && std::abs(x[axis] - high[axis]) > 1e-9) continue;
      Index anchor = 0;
      for (Index i = 0; i < n; ++i)
        if ((model.rest[i] - x).norm() < (model.rest[anchor] - x).norm()) anchor = i;
      built.mls.evaluate(x, std::span(&anchor, 1), at);
      const Vec3 traction = stress * normal * e.prod() / e[axis];
      for (std::size_t i = 0; i < at.node.size(); ++i)
        load.segment<3>(3 * at.node[i]) += at.value[i] * traction;
    }
  Eigen::VectorXd u(3 * n);
  for (Index i = 0; i < n; ++i) u.segment<3>(3 * i) = exact(model.rest[i]);
  std::vector<Eigen::Triplet<double>> entries;
  for (Index r = 0; r < k.rows(); ++r)
    for (Index m = k.begin[r]; m < k.begin[r + 1]; ++m) {
      entries.emplace_back(r, k.column[m], k.value[m]);
      if (k.column[m] < r) entries.emplace_back(k.column[m], r, k.value[m]);
    }
  Eigen::SparseMatrix<double> matrix(3 * n, 3 * n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  EXPECT_LT((matrix * u - load).norm(), tolerance * load.norm());

  // Four nodes at the exact values, all others solved for.
  const std::vector<Index> fixed{0, 4, 20, n - 1};
  std::vector<Index> place(std::size_t(3 * n), -1);
  Index unknowns = 0;
  for (Index i = 0; i < n; ++i)
    if (std::find(fixed.begin(), fixed.end(), i) == fixed.end())
      for (int c = 0; c < 3; ++c) place[std::size_t(3 * i + c)] = unknowns++;
  Eigen::VectorXd b = Eigen::VectorXd::Zero(unknowns);
  std::vector<Eigen::Triplet<double>> inner;
  for (const auto& t : entries) {
    const Index i = place[std::size_t(t.row())], j = place[std::size_t(t.col())];
    if (i >= 0 && j >= 0) inner.push_back({i, j, t.value()});
    if (i >= 0 && j < 0) b[i] -= t.value() * u[t.col()];
  }
  for (Index r = 0; r < 3 * n; ++r)
    if (place[std::size_t(r)] >= 0) b[place[std::size_t(r)]] += load[r];
  Eigen::SparseMatrix<double> free(unknowns, unknowns);
  free.setFromTriplets(inner.begin(), inner.end());
  const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factor(free);
  ASSERT_EQ(factor.info(), Eigen::Success);
  const Eigen::VectorXd solved = factor.solve(b);
  for (Index r = 0; r < 3 * n; ++r)
    if (place[std::size_t(r)] >= 0) {
      ASSERT_NEAR(solved[place[std::size_t(r)]], u[r], tolerance);
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, PatchTest,
                         testing::Combine(testing::Values(1.3, 1.5), testing::Values(0.0, 0.2),
                                          testing::Values(false)));
INSTANTIATE_TEST_SUITE_P(FinerNodes, PatchTest,
                         testing::Combine(testing::Values(1.3), testing::Values(0.0, 0.2),
                                          testing::Values(true)));

TEST(Cells, are_halved_where_nodes_are_finer) {
  Pool pool(2);
  const Flesh flesh = finer(make_shape(box), 1.3);
  const Built built = build(flesh.shape, 1.3, pool, flesh.options);
  const Cells& cells = built.model.cells;
  EXPECT_NEAR(built.mls.spacing(), 0.25, 1e-12) << "of the nodes outside the balls";
  std::array<double, 3> volume{};
  std::array<int, 3> count{};
  for (Index c = 0; c < cells.count(); ++c) {
    volume[std::size_t(cells.halved[std::size_t(c)])] += cells.weight[std::size_t(c)];
    ++count[std::size_t(cells.halved[std::size_t(c)])];
  }
  EXPECT_NEAR(volume[0] + volume[1] + volume[2], 2, 1e-12);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_GT(count[k], 0);
    EXPECT_NEAR(volume[k] / count[k], std::pow(0.125 / (1 << k), 3), 1e-12);
  }
  EXPECT_EQ(cells.constant, 0);
  const auto& m = built.model.mass;
  EXPECT_NEAR(std::accumulate(m.begin(), m.end(), 0.0), 2000, 1e-6);
  EXPECT_GT(*std::min_element(m.begin(), m.end()), 0);
}

TEST(Cells, weights_sum_to_the_volume_and_masses_to_the_mass) {
  Pool pool(2);
  for (const Shape& shape :
       {make_shape(box), make_shape(EllipsoidShape{.nodes = 9}), make_shape(TorusShape{.nodes = {5, 24}})}) {
    const Built built = build(shape, 1.3, pool);
    const double volume = std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
    const auto& w = built.model.cells.weight;
    EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0) / volume, 1, 1e-12);
    const auto& m = built.model.mass;
    EXPECT_NEAR(std::accumulate(m.begin(), m.end(), 0.0) / (1000 * volume), 1, 1e-12);
    EXPECT_GT(*std::min_element(m.begin(), m.end()), 0);
    EXPECT_EQ(built.model.cells.constant, 0);
  }
}

TEST(Cells, a_box_has_eight_cells_of_half_the_spacing_a_node) {
  Pool pool(1);
  const Built built = build(make_shape(box), 1.3, pool);
  EXPECT_EQ(built.model.cells.count(), 8 * 8 * 16);
  EXPECT_NEAR((built.model.cells.edge - Vec3::Constant(0.125)).norm(), 0, 1e-12);
  EXPECT_EQ(built.model.cells.lonely, 0);
}

TEST(Cells, only_rigid_motion_costs_nothing) {
  Pool pool(2);
  Options options;
  options.kappa = 0;
  const Built built = build(make_shape(BoxShape{.size = {1, 1, 1}, .nodes = {4, 4, 4}}), 1.3, pool, options);
  const Index n = built.model.nodes();
  const SymmetricMatrix k = block_matrix(built.model, std::vector<double>(std::size_t(n), 0), 1, {}, 0);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(3 * n, 3 * n);
  for (Index r = 0; r < k.rows(); ++r)
    for (Index m = k.begin[r]; m < k.begin[r + 1]; ++m)
      dense(r, k.column[m]) = dense(k.column[m], r) = k.value[m];
  const Eigen::VectorXd values = dense_eigenvalues(dense);
  int zeros = 0;
  for (Index r = 0; r < 3 * n; ++r) zeros += std::abs(values[r]) < 1e-9 * values[3 * n - 1];
  EXPECT_EQ(zeros, 6);
}

/// Two bars side by side, a twentieth of the nodes' spacing apart, joined by a bridge at one end.
PolygonMesh tuning_fork(double gap) {
  PolygonMesh mesh;
  const double inner = gap / 2, z0 = 0, z1 = 0.5, z2 = 3;
  // The outline in the x-z plane, extruded along y.
  const std::vector<std::array<double, 2>> outline{{-1, z0},    {1, z0},      {1, z2},      {inner, z2},
                                                   {inner, z1}, {-inner, z1}, {-inner, z2}, {-1, z2}};
  const Index n = Index(outline.size());
  for (const double y : {0.0, 1.0})
    for (const auto& [x, z] : outline) mesh.vertices.push_back({x, y, z});
  const auto quad = [&](Index a, Index b, Index c, Index d) {
    mesh.corner.insert(mesh.corner.end(), {a, b, c, d});
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  };
  for (Index k = 0; k < n; ++k) {
    const Index l = (k + 1) % n;
    quad(k, k + n, l + n, l);
  }
  for (const bool top : {false, true}) {
    const Index o = top ? n : 0;
    const std::vector<std::array<Index, 4>> faces{{0, 1, 4, 5}, {1, 2, 3, 4}, {0, 5, 6, 7}};
    for (const auto& f : faces)
      top ? quad(o + f[3], o + f[2], o + f[1], o + f[0]) : quad(f[0], f[1], f[2], f[3]);
  }
  return mesh;
}

/// The fingers, with nodes nearer to one another around the middle of the gap.
Flesh finer_fork(const Shape& shape) {
  Options options;
  options.finer = {{.near = Near::point, .joint = "", .point = {0, 0.5, 2}, .radius = 0.6, .ratio = 2}};
  return make_flesh(shape, options);
}

TEST(Cells, two_fingers_side_by_side_do_not_stick) {
  Pool pool(2);
  Result<MeshShape> made = make_mesh_shape(tuning_fork(0.02), {.nodes = 700, .solid = true}, pool);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_GT(made->report.spacing, 0.2) << "the gap is narrow against the nodes";
  for (const bool refined : {false, true}) {
    const Flesh flesh = refined ? finer_fork(made->shape) : Flesh{made->shape, {}};
    const Built built = build(flesh.shape, 1.3, pool, flesh.options);
    const Model& model = built.model;
    int mixed = 0, far = 0;
    for (Index c = 0; c < model.cells.count(); ++c) {
      // Near the bridge the fingers are one body.
      if (model.cells.centre[c].z() < 0.5 + 2.5 * made->report.spacing) continue;
      ++far;
      bool left = false, right = false;
      for (Index k = model.cells.begin[c]; k < model.cells.begin[c + 1]; ++k)
        (model.rest[model.cells.node[k]].x() < 0 ? left : right) = true;
      mixed += left && right;
    }
    EXPECT_GT(far, refined ? 1000 : 500);
    EXPECT_EQ(mixed, 0);
  }
}

TEST(Cells, finer_nodes_in_a_mesh_keep_its_mass_and_bear_nothing_at_rest) {
  Pool pool(2);
  Result<MeshShape> made = make_mesh_shape(tuning_fork(0.02), {.nodes = 700, .solid = true}, pool);
  ASSERT_TRUE(made) << made.error().text();
  const Flesh flesh = finer_fork(made->shape);
  EXPECT_GT(flesh.shape.graph.positions.size(), 1.2 * made->shape.graph.positions.size());
  auto method = meshless::build(flesh.shape, 1000, {}, flesh.options);
  ASSERT_TRUE(method) << method.error().text();
  const NodeState& nodes = (*method)->nodes();
  const double volume = 2 * 1 * 0.5 + 2 * (1 - 0.01) * 2.5;
  EXPECT_NEAR(std::accumulate(nodes.mass.begin(), nodes.mass.end(), 0.0) / (1000 * volume), 1, 1e-6);
  EXPECT_GT(*std::min_element(nodes.mass.begin(), nodes.mass.end()), 0);
  Points force(nodes.x.size());
  (*method)->elastic_forces(force);
  for (const Vec3& f : force) EXPECT_LT(f.norm(), 1e-6 * flesh.options.stiffness * 1e-4);
  // A surface vertex follows the nodes around it: a linear field is shown exactly.
  Mat3 a;
  a << 1.1, 0.2, 0, -0.1, 0.9, 0.3, 0, 0.1, 1;
  Points x = nodes.x, still(x.size(), Vec3::Zero()), surface(flesh.shape.surface.vertices.size());
  for (Vec3& p : x) p = a * p;
  (*method)->place(x, still);
  (*method)->surface(surface);
  for (std::size_t v = 0; v < surface.size(); ++v)
    EXPECT_LT((surface[v] - a * flesh.shape.surface.vertices[v]).norm(), 1e-9);
}

TEST(Cells, the_surface_of_a_finger_does_not_follow_the_other) {
  Pool pool(2);
  Result<MeshShape> made = make_mesh_shape(tuning_fork(0.02), {.nodes = 700, .solid = true}, pool);
  ASSERT_TRUE(made) << made.error().text();
  const Flesh flesh = make_flesh(made->shape, {});
  auto method = meshless::build(flesh.shape, 1000, {}, flesh.options);
  ASSERT_TRUE(method) << method.error().text();
  Points x = (*method)->nodes().x, v(x.size(), Vec3::Zero()), surface(flesh.shape.surface.vertices.size());
  for (Vec3& p : x)
    if (p.x() < 0) p.y() += 1;
  (*method)->place(x, v);
  (*method)->surface(surface);
  int moved = 0, kept = 0;
  for (std::size_t k = 0; k < surface.size(); ++k) {
    const Vec3& rest = flesh.shape.surface.vertices[k];
    if (rest.z() < 2.9) continue;  // the ends of the fingers
    const double way = surface[k].y() - rest.y();
    EXPECT_NEAR(way, rest.x() < 0 ? 1 : 0, 1e-9) << rest.transpose();
    ++(rest.x() < 0 ? moved : kept);
  }
  EXPECT_GE(moved, 4);
  EXPECT_GE(kept, 4);
}

TEST(Cells, a_sheet_is_refused) {
  Pool pool(1);
  const Shape sheet = make_shape(SheetShape{});
  const MovingLeastSquares mls(sheet.graph.positions, inner_pairs(sheet.graph), {6, 1.3}, pool);
  EXPECT_FALSE(make_cells(sheet, mls, {}, pool));
}

}  // namespace cells_test
}  // namespace pliant::meshless
