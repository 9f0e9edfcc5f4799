// SPDX-License-Identifier: Apache-2.0
// Bones in finite elements, and the rotations that they diffuse.
#include "pliant/methods/fem/rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "pliant/methods/fem/body.hpp"
#include "pliant/methods/fem/build.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant::fem {
namespace rig_test {

const Shape bar = make_shape(BoxShape{.size = {1, 1, 4}, .nodes = {5, 5, 17}, .corner = {-0.5, -0.5, 0}});

/// Three joints on the axis; turns in degrees about x, there from the start.
Options with_bones(double at_root, double at_middle, Turning rotations = Turning::diffused) {
  Options options{.rotations = rotations, .stiffness = 1000, .integrator = Integrator::euler};
  options.tolerance = 1e-8;
  options.bones.emplace();
  options.bones->radius = 0.3;
  for (const double height : {0.0, 2.0, 4.0}) {
    Joint joint;
    joint.name = std::to_string(height);
    joint.parent = Index(options.bones->skeleton.joints.size()) - 1;
    joint.position = {0, 0, height};
    const double turn = height == 0 ? at_root : height == 2 ? at_middle : 0;
    joint.turns.times = {0}, joint.turns.turns = {Vec3(turn * M_PI / 180, 0, 0)};
    options.bones->skeleton.joints.push_back(joint);
  }
  return options;
}

struct Posed {
  std::unique_ptr<Method> method;
  Relaxation settled;
  Body& body() { return static_cast<Body&>(*method); }
};

Posed posed(const Options& options) {
  auto made = build(bar, 1, {0, 0}, options);
  EXPECT_TRUE(made) << made.error().text();
  Posed out{std::move(*made), {}};
  Pool pool(2);
  RelaxMemory memory;
  for (int k = 0; k < 20; ++k) {
    const int before = out.settled.steps;
    out.settled = out.method->relax({.time = 1, .contact = {}, .pool = &pool}, 1e-6, memory);
    EXPECT_TRUE(out.settled.trouble.empty()) << out.settled.trouble;
    out.settled.steps += before;
    if (out.settled.residual <= 1e-6 || out.settled.stuck) break;
  }
  return out;
}

TEST(FemRig, bones_at_rest_move_nothing) {
  Posed still = posed(with_bones(0, 0));
  EXPECT_EQ(still.body().elastic_energy(), 0);
  EXPECT_EQ(still.method->nodes().x, bar.graph.positions);
}

TEST(FemRig, bones_that_turn_as_one_turn_the_body_without_strain) {
  Posed turned = posed(with_bones(130, 0));
  const Mat3 turn = Eigen::AngleAxisd(130 * M_PI / 180, Vec3::UnitX()).toRotationMatrix();
  for (std::size_t i = 0; i < bar.graph.positions.size(); ++i)
    ASSERT_LT((turned.method->nodes().x[i] - turn * bar.graph.positions[i]).norm(), 1e-4);
  EXPECT_LT(turned.body().elastic_energy(), 1e-4);
}

TEST(FemRig, nodes_of_the_bones_are_where_these_are) {
  Options options = with_bones(0, 90);
  options.bones->zone = 0;
  Posed bent = posed(options);
  const Rig& rig = bent.body().rig();
  ASSERT_GT(rig.nodes().size(), 40u);
  const Mat3 turn = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()).toRotationMatrix();
  const Vec3 joint(0, 0, 2);
  int followed = 0;
  for (const Index i : rig.nodes()) {
    const Vec3& X = bar.graph.positions[std::size_t(i)];
    if (std::abs(X.z() - 2) < 0.3) continue;  // turned half way
    const Vec3 there = X.z() < 2 ? X : Vec3(joint + turn * (X - joint));
    EXPECT_LT((bent.method->nodes().x[std::size_t(i)] - there).norm(), 1e-6);
    ++followed;
  }
  EXPECT_GT(followed, 20);
}

TEST(FemRig, a_pose_with_diffused_rotations_is_one_linear_solve) {
  Posed diffused = posed(with_bones(0, 90)), polar = posed(with_bones(0, 90, Turning::polar));
  EXPECT_LE(diffused.settled.steps, 3) << "each solves to a thousandth";
  EXPECT_GT(polar.settled.steps, 5);
  EXPECT_EQ(diffused.method->inverted_cells(), 0);
}

TEST(FemRig, forces_are_the_gradient_of_the_energy_at_given_rotations) {
  Posed bent = posed(with_bones(0, 90));
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const Points at = bent.method->nodes().x, still(at.size(), Vec3::Zero());
  Points direction(at.size()), force(at.size());
  for (Vec3& d : direction) d = Vec3(normal(random), normal(random), normal(random));
  bent.method->elastic_forces(force);
  const auto energy_at = [&](double t) {
    Points x = at;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += t * direction[i];
    bent.method->place(x, still);
    return bent.method->elastic_energy();
  };
  double work = 0;
  for (std::size_t i = 0; i < at.size(); ++i) work -= force[i].dot(direction[i]);
  EXPECT_NEAR(work, (energy_at(1e-4) - energy_at(-1e-4)) / 2e-4, 1e-6 * std::abs(work));
}

/// The bar, and a block of its own beside it, without a bone.
Shape with_block_beside() {
  Shape out = bar;
  const Shape block = make_shape(BoxShape{.size = {1, 1, 1}, .nodes = {4, 4, 4}, .corner = {3, 0, 0}});
  const Index first = Index(bar.graph.positions.size());
  const NodeGraph& from = block.graph;
  NodeGraph& to = out.graph;
  to.positions.insert(to.positions.end(), from.positions.begin(), from.positions.end());
  to.volumes.insert(to.volumes.end(), from.volumes.begin(), from.volumes.end());
  for (NodeGraph::Edge edge : from.edges) {
    edge.a += first, edge.b += first;
    to.edges.push_back(edge);
  }
  for (auto cell : from.cells) {
    for (Index& node : cell) node += first;
    to.cells.push_back(cell);
  }
  return out;
}

// Held by rotations of rest it would swell to several times its volume.
TEST(FemRig, a_part_without_a_bone_spins_at_its_volume_and_is_not_told_as_cancelled_rotations) {
  const Shape shape = with_block_beside();
  Options options = with_bones(0, 0);
  options.integrator = Integrator::bdf2;
  auto made = build(shape, 1, {0, 0}, options);
  ASSERT_TRUE(made) << made.error().text();
  Body& body = static_cast<Body&>(**made);
  const Model& model = body.model();
  EXPECT_EQ(std::count(model.given_rotation.begin(), model.given_rotation.end(), 0), 10 * 27);
  Points v(shape.graph.positions.size(), Vec3::Zero());
  for (std::size_t i = bar.graph.positions.size(); i < v.size(); ++i)
    v[i] = Vec3(0, 0, 3).cross(shape.graph.positions[i] - Vec3(3.5, 0.5, 0.5));
  body.place(shape.graph.positions, v);
  Pool pool(1);
  for (int k = 1; k <= 60; ++k) {
    const StepReport report = body.advance({.h = 0.02, .time = 0.02 * k, .contact = {}, .pool = &pool});
    ASSERT_TRUE(report.ok()) << report.trouble;
    ASSERT_EQ(report.kept_rotations, 0) << k;
    double volume = 0;
    for (Index e = 0; e < model.elements(); ++e)
      if (!model.is_given(e))
        volume +=
            model.element(e).weight * deformation_gradient(model.element(e), body.nodes().x).determinant();
    ASSERT_NEAR(volume, 1, 0.02) << k;
  }
}

TEST(FemRig, settings_that_do_not_go_together_are_refused) {
  Options options{.rotations = Turning::diffused};
  EXPECT_FALSE(build(bar, 1, {}, options)) << "no skeleton";
  options = with_bones(0, 0);
  options.element = ElementKind::hexahedron;
  EXPECT_FALSE(build(bar, 1, {}, options));
  options = with_bones(0, 0);
  options.model = Material::linear;
  EXPECT_FALSE(build(bar, 1, {}, options));
}

TEST(FemRig, a_step_with_bones_allocates_nothing_after_warm_up_and_is_the_same_on_two_threads) {
  for (const Turning rotations : {Turning::polar, Turning::diffused}) {
    Options options = with_bones(0, 60, rotations);
    options.integrator = Integrator::bdf2;
    auto alone = build(bar, 1, {0, 0}, options), together = build(bar, 1, {0, 0}, options);
    ASSERT_TRUE(alone && together);
    Pool one(1), two(2);
    const std::vector<Index> held{0, 1};  // beside those of the bones
    const Points targets{bar.graph.positions[0], bar.graph.positions[1]};
    StepInput input{.h = 0.02, .held = held, .targets = targets, .contact = {}, .pool = &one};
    std::size_t before = 0;
    for (int k = 0; k < 8; ++k) {
      if (k == 4) before = allocations();
      input.time = 0.02 * (k + 1);
      ASSERT_TRUE((*alone)->advance(input).ok());
    }
    EXPECT_EQ(allocations(), before);
    input.pool = &two;
    for (int k = 0; k < 8; ++k) {
      input.time = 0.02 * (k + 1);
      ASSERT_TRUE((*together)->advance(input).ok());
    }
    EXPECT_EQ((*alone)->nodes().x, (*together)->nodes().x);
    EXPECT_EQ((*alone)->nodes().x[0], targets[0]) << "a pin holds";
  }
}

}  // namespace rig_test
}  // namespace pliant::fem
