// SPDX-License-Identifier: Apache-2.0
// Young's modulus means the same on a box lattice and on meshes of any budget; bodies from real meshes come
// back to their shape after a squash.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/selection.hpp"
#include "tests/support/mesh_samples.hpp"
#include "tests/support/models.hpp"
#include "tests/support/rigid_fit.hpp"

namespace pliant {
namespace mesh_bar_test {

constexpr double side = 0.4, length = 2;

Shape mesh_bar(int nodes) {
  Pool pool(1);
  MeshShapeOptions options;
  options.nodes = nodes;
  auto made = make_mesh_shape(samples::box({0, 0, 0}, {side, side, length}), options, pool);
  EXPECT_TRUE(made);
  return std::move(made->shape);
}

/// How far gravity along `pull` moves the far face of the bar, held at the face z = 0, at rest: the surface
/// there if it is embedded, so that both kinds of bodies are asked at the same place.
double hang(const Shape& shape, const Vec3& pull) {
  geometric::Options options;
  options.stiffness = 5e7;
  options.integrator = geometric::Integrator::euler;
  options.tolerance = 1e-6;
  auto body = geometric::build(shape, 1000, Damping{0, 0}, options);
  EXPECT_TRUE(body);
  const auto held = select_nodes({SelectBox{{Vec3(-1, -1, -1e-6), Vec3(1, 1, 1e-6)}}}, shape);
  EXPECT_GT(held.size(), 20u);
  Points targets;
  for (const Index i : held) targets.push_back(shape.graph.positions[i]);
  Pool pool(1);
  StepInput input;
  input.h = 1;
  input.gravity = 9.81 * pull;
  input.held = held;
  input.targets = targets;
  input.pool = &pool;
  for (int step = 0; step < 14; ++step) {
    const StepReport report = (*body)->advance(input);
    EXPECT_TRUE(report.ok()) << report.trouble;
  }
  Points surface(shape.surface.vertices.size());
  (*body)->surface(surface);
  double sum = 0;
  int count = 0;
  for (std::size_t v = 0; v < surface.size(); ++v)
    if (shape.surface.vertices[v].z() > length - 1e-9)
      sum += (surface[v] - shape.surface.vertices[v]).dot(pull), ++count;
  return sum / count;
}

TEST(MeshBar, bends_and_stretches_as_the_box_lattice_within_five_percent_at_2000_and_20000_nodes) {
  const Shape lattice = make_shape(BoxShape{.size = {side, side, length}, .nodes = {13, 13, 61}});
  const Shape coarse = mesh_bar(2000), fine = mesh_bar(20000);
  const double bent = hang(lattice, -Vec3::UnitY()), bent_coarse = hang(coarse, -Vec3::UnitY()),
               bent_fine = hang(fine, -Vec3::UnitY());
  EXPECT_NEAR(bent_coarse / bent, 1, 0.05);
  EXPECT_NEAR(bent_fine / bent, 1, 0.05);
  EXPECT_NEAR(bent_fine / bent_coarse, 1, 0.05);
  const double pulled = hang(lattice, Vec3::UnitZ());
  EXPECT_NEAR(hang(coarse, Vec3::UnitZ()) / pulled, 1, 0.05);
  EXPECT_NEAR(hang(fine, Vec3::UnitZ()) / pulled, 1, 0.05);
}

TEST(MeshBar, sags_as_beam_theory_says_within_five_percent_at_1000_and_3000_nodes) {
  // Bending and shear of a cantilever under its weight, G = E/2.
  const double modulus = 5e7, weight = 1000 * 9.81;
  const double theory = weight * std::pow(length, 4) * 12 / (8 * modulus * side * side) +
                        weight * length * length / (2 * 5.0 / 6 * modulus / 2);
  for (const int nodes : {1000, 3000}) {
    const double drop = hang(mesh_bar(nodes), -Vec3::UnitY());
    std::printf("mesh bar of about %d nodes: sags by %.3f of theory\n", nodes, drop / theory);
    EXPECT_NEAR(drop / theory, 1, 0.05) << nodes;
  }
}

TEST(MeshBar, lengthens_by_its_weight_as_theory_says_however_it_lies_in_space) {
  for (const double degrees : {0.0, 30.0, 45.0}) {
    const Mat3 turn = Eigen::AngleAxisd(degrees * M_PI / 180, Vec3(1, 1, 0).normalized()).toRotationMatrix();
    PolygonMesh mesh = samples::box({0, 0, 0}, {side, side, length});
    for (Vec3& v : mesh.vertices) v = turn * v;
    MeshShapeOptions options;
    options.nodes = 3000;
    Pool pool(1);
    auto made = make_mesh_shape(mesh, options, pool);
    ASSERT_TRUE(made);
    Shape& shape = made->shape;
    for (Points* points : {&shape.graph.positions, &shape.surface.vertices})
      for (Vec3& p : *points) p = turn.transpose() * p;
    const double theory = 1000 * 9.81 * length * length / (2 * 5e7), longer = hang(shape, Vec3::UnitZ());
    std::printf("mesh bar turned by %.0f degrees: lengthens by %.3f of theory\n", degrees, longer / theory);
    EXPECT_NEAR(longer / theory, 1, 0.05) << degrees;
  }
}

TEST(MeshBar, real_meshes_recover_from_a_squash_to_two_fifths_of_their_height) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  for (const char* name : {"bear.off", "blobby.off", "cactus.off", "cube.off", "elephant.off", "elk.off",
                           "hand.off", "head.off", "knot1.off", "pig.stl", "plane.off", "turbine.off"}) {
    SCOPED_TRACE(name);
    const Result<PolygonMesh> mesh = read_polygons(model_folder() / name);
    ASSERT_TRUE(mesh);
    Pool pool(1);
    PolygonMesh unit = *mesh;
    const double size = diagonal(unit.vertices);
    for (Vec3& p : unit.vertices) p /= size;
    MeshShapeOptions options;
    options.nodes = 400;
    auto made = make_mesh_shape(unit, options, pool);
    ASSERT_TRUE(made);
    geometric::Options method;
    method.stiffness = 1e6;
    auto body = geometric::build(made->shape, 1000, Damping{2, 0}, method);
    ASSERT_TRUE(body);
    const Points& rest = made->shape.graph.positions;
    std::mt19937 random(1);
    std::uniform_real_distribution<double> noise(-0.15, 0.15);
    Points x, v(rest.size(), Vec3::Zero());
    for (const Vec3& X : rest)
      x.push_back(Vec3(X.x(), 0.4 * X.y(), X.z()) +
                  made->report.spacing * Vec3(noise(random), noise(random), noise(random)));
    (*body)->place(x, v);
    StepInput input;
    input.pool = &pool;
    for (int step = 0; step < 300; ++step) ASSERT_TRUE((*body)->advance(input).ok());
    const NodeState& nodes = (*body)->nodes();
    EXPECT_LT(shape_error(nodes.x, rest, nodes.mass), 0.02);
  }
}

}  // namespace mesh_bar_test
}  // namespace pliant
