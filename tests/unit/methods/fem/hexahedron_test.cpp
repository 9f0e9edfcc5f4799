// SPDX-License-Identifier: Apache-2.0
// Trilinear hexahedra, and surfaces that ride on coarse ones.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "pliant/geometry/cell_shape.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/fem/body.hpp"
#include "pliant/methods/fem/build.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant::fem {
namespace hexahedron_test {

const Options hexahedra{.element = ElementKind::hexahedron, .stiffness = 1e5, .poisson = 0.3};

Model model_of(const Shape& shape, const Options& options = hexahedra) {
  auto model = make_model(shape, 1000, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

std::unique_ptr<Method> body_of(const Shape& shape, const Options& options = hexahedra,
                                Damping damping = {0, 0}) {
  auto body = build(shape, 1000, damping, options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

Points random_points(std::size_t count, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, scale);
  Points out(count);
  for (Vec3& p : out) p = Vec3(normal(random), normal(random), normal(random));
  return out;
}

Rotations unturned(const Model& model) {
  return Rotations(model.weight.size(), Eigen::Quaterniond::Identity());
}

/// A block of 27 cells whose inner nodes are anywhere near their places.
Shape uneven_block() {
  Shape shape = make_shape(BoxShape{.size = {0.6, 0.6, 0.6}, .nodes = {4, 4, 4}});
  const Points noise = random_points(64, 0.02, 5);
  Points x = shape.graph.positions;
  for (std::size_t i = 0; i < x.size(); ++i)
    if ((x[i].array() > 0.1).all() && (x[i].array() < 0.5).all()) x[i] += noise[i];
  return shape_from_cells(x, shape.graph.cells);
}

TEST(FemHexahedron, eight_points_a_cell_fill_every_shape_exactly_once) {
  for (const Shape& shape : {uneven_block(), make_shape(EllipsoidShape{}), make_shape(TorusShape{})}) {
    const Model model = model_of(shape);
    EXPECT_EQ(model.weight.size(), 8 * shape.graph.cells.size());
    EXPECT_NEAR(std::accumulate(model.weight.begin(), model.weight.end(), 0.0) /
                    std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0),
                1, 1e-12);
  }
}

TEST(FemHexahedron, passes_the_patch_test_on_uneven_cells) {
  // Under an affine motion every point has the same strain, and nodes inside feel no force.
  const Shape shape = uneven_block();
  const Model model = model_of(shape);
  Mat3 stretch;
  stretch << 1.1, 0.05, 0, 0.05, 0.95, 0.02, 0, 0.02, 1.02;
  const Mat3 turn = Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  Points x = shape.graph.positions;
  for (Vec3& p : x) p = turn * stretch * p + Vec3(3, 2, 1);
  const Mat3 strain = stretch - Mat3::Identity();
  const double density = model.mu * strain.squaredNorm() + 0.5 * model.lambda * std::pow(strain.trace(), 2);
  EXPECT_NEAR(energy(model, x, unturned(model)) / (0.216 * density), 1, 1e-10);
  Points g(x.size());
  gradient(model, x, unturned(model), g);
  int inside = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& X = shape.graph.positions[i];
    if ((X.array() < 0.1).any() || (X.array() > 0.5).any()) continue;
    EXPECT_NEAR(g[i].norm(), 0, 1e-9 * model.mu);
    ++inside;
  }
  EXPECT_EQ(inside, 8);
}

TEST(FemHexahedron, the_force_is_the_gradient_of_the_energy) {
  const Model model = model_of(uneven_block());
  Points x = model.rest;
  const Points noise = random_points(x.size(), 0.05, 2);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += noise[i];
  Points g(x.size());
  gradient(model, x, unturned(model), g);
  const Points direction = random_points(x.size(), 1, 3);
  double slope = 0;
  for (std::size_t i = 0; i < x.size(); ++i) slope += g[i].dot(direction[i]);
  const auto energy_at = [&](double s) {
    Points y = x;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += s * direction[i];
    return energy(model, y, unturned(model));
  };
  EXPECT_NEAR((energy_at(1e-6) - energy_at(-1e-6)) / 2e-6 / slope, 1, 1e-6);
}

TEST(FemHexahedron, no_motion_but_a_rigid_one_is_free_of_energy) {
  // One cell has 24 freedoms; with full quadrature 18 of them cost energy (no hourglass modes).
  const Shape cell = make_shape(BoxShape{.nodes = {2, 2, 2}});
  const Model model = model_of(cell, {.element = ElementKind::hexahedron, .model = Material::linear});
  Eigen::MatrixXd k(24, 24);
  for (int c = 0; c < 24; ++c) {
    Points x = model.rest, g(8);
    x[std::size_t(c / 3)][c % 3] += 1;
    gradient(model, x, unturned(model), g);
    for (int r = 0; r < 24; ++r) k(r, c) = g[std::size_t(r / 3)][r % 3];
  }
  const Eigen::VectorXd values = dense_eigenvalues(k);
  EXPECT_LT(std::abs(values[5]), 1e-9 * values[23]);
  EXPECT_GT(values[6], 1e-3 * values[23]);
}

// ---- a surface on coarse cells ----

struct FemEmbedded : testing::Test {
  Pool pool{1};
  StepInput input;
  TriMesh bar = [] {  // 1 x 1 x 4, round-ish
    TriMesh mesh = sphere_surface(12);
    for (Vec3& p : mesh.vertices) p = Vec3(0.5 * p.x(), 0.5 * p.y(), 2 * p.z());
    return mesh;
  }();
  Shape shape = *make_cell_shape(as_polygons(bar), {1, 1, 4}, pool);
  std::vector<Index> held;
  Points targets;
  FemEmbedded() { input.pool = &pool; }

  /// Vertices below z = -1, where they are, and those above 1, moved.
  void hold_ends(const Vec3& by) {
    held.clear();
    targets.clear();
    for (std::size_t i = 20; i < shape.graph.positions.size(); ++i) {
      const Vec3& X = shape.graph.positions[i];
      if (std::abs(X.z()) < 1) continue;
      held.push_back(Index(i));
      targets.push_back(X.z() < 0 ? X : Vec3(X + by));
    }
    input.held = held;
    input.targets = targets;
  }
  void run(Method& body, int steps) {
    for (int i = 0; i < steps; ++i) {
      const StepReport report = body.advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
  }
};

TEST_F(FemEmbedded, has_the_freedoms_of_its_cells_alone_and_the_mass_of_its_surface) {
  const auto body = body_of(shape);
  EXPECT_EQ(body->describe().freedoms, 60);
  const NodeState& now = body->nodes();
  EXPECT_EQ(now.x.size(), 20 + bar.vertices.size());
  EXPECT_NEAR(std::accumulate(now.mass.begin(), now.mass.end(), 0.0),
              1000 * enclosed_volume(bar.vertices, bar.triangles), 1e-9);
}

TEST_F(FemEmbedded, held_vertices_come_to_their_targets_and_the_surface_follows_the_cells) {
  const auto body = body_of(shape, hexahedra, {.mass = 5, .stiffness = 0});
  hold_ends({0, 0, 0.4});
  run(*body, 200);
  const NodeState& now = body->nodes();
  double worst = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    worst = std::max(worst, (now.x[std::size_t(held[k])] - targets[k]).norm());
  EXPECT_LT(worst, 0.1);  // the cells that it shares with the free part give way a little
  EXPECT_GT(body->elastic_energy(), 10);
  Points surface(bar.vertices.size()), followers(bar.vertices.size());
  body->surface(surface);
  gather(shape.followers, now.x, followers);
  for (std::size_t v = 0; v < surface.size(); ++v) EXPECT_NEAR((surface[v] - followers[v]).norm(), 0, 1e-12);
}

TEST_F(FemEmbedded, tetrahedra_are_refused) {
  const auto body = build(shape, 1000, {}, {});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().problems[0].place, "fem.element");
}

TEST_F(FemEmbedded, let_go_it_comes_back_and_a_grab_of_a_vertex_pulls_it) {
  const auto body = body_of(shape, hexahedra, {.mass = 5, .stiffness = 0});
  hold_ends({0, 0, 0.4});
  run(*body, 50);
  input.held = {};
  input.targets = {};
  run(*body, 300);
  EXPECT_LT(body->elastic_energy(), 1e-3);
  const Index vertex = 20;
  const Vec3 target = body->nodes().x[std::size_t(vertex)] + Vec3(0.5, 0, 0);
  const Grab grab{.node = vertex, .target = target, .stiffness = 1e5};
  input.grabs = {&grab, 1};
  run(*body, 200);
  EXPECT_LT((body->nodes().x[std::size_t(vertex)] - target).norm(), 0.02);
}

TEST_F(FemEmbedded, forces_on_vertices_give_their_momentum) {
  const auto body = body_of(shape);
  Points forces(shape.graph.positions.size(), Vec3::Zero());
  forces[30] = {3, 0, 0};
  forces.back() = {0, -2, 1};
  input.forces = forces;
  run(*body, 10);
  Vec3 momentum = Vec3::Zero();
  for (std::size_t i = 0; i < body->nodes().v.size(); ++i)
    momentum += body->nodes().mass[i] * body->nodes().v[i];
  EXPECT_NEAR((momentum - 10 * input.h * Vec3(3, -2, 1)).norm(), 0, 1e-4);
}

TEST_F(FemEmbedded, steps_allocate_nothing_and_a_saved_state_goes_on_bit_for_bit) {
  const auto body = body_of(shape), other = body_of(shape);
  hold_ends({0, 0.3, 0});
  run(*body, 3);
  const std::size_t before = allocations();
  run(*body, 3);
  EXPECT_EQ(allocations(), before);
  Writer writer;
  body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(other->load(reader));
  run(*body, 5);
  run(*other, 5);
  EXPECT_EQ(body->nodes().x, other->nodes().x);
}

}  // namespace hexahedron_test
}  // namespace pliant::fem
