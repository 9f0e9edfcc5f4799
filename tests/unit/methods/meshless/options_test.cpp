// SPDX-License-Identifier: Apache-2.0
// What the options of meshless flesh do.
#include <gtest/gtest.h>

#include "pliant/base/archive.hpp"
#include "tests/support/meshless_bar.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace options_test {

constexpr double degree = 3.14159265358979323846 / 180;

TEST(MeshlessOptions, mass_damping_slows_flesh_on_bones) {
  Options soft = bar_material();
  soft.stiffness = 1e-6;
  soft.integrator = Integrator::euler;
  const double h = 0.05, alpha = 4;
  Bar bar = make_bar({}, soft, {alpha, 0});
  const Points x = bar.method->nodes().x, v(x.size(), Vec3(0, 1, 0));
  bar.method->place(x, v);
  Pool pool(1);
  ASSERT_TRUE(bar.method->advance({.h = h, .time = h, .contact = {}, .pool = &pool}).ok());
  for (const Vec3& now : bar.method->nodes().v) EXPECT_NEAR(now.y(), 1 / (1 + h * alpha), 2e-3);
}

/// Mean speed along z at the free end of a bar that is pinned at the other and pulled, after one step.
double speed_after_pull(double beta) {
  Options options = bar_material();
  options.rotations = Rotations::polar;
  options.iterations = 60, options.tolerance = 1e-8;
  const Shape shape = make_shape(BoxShape{.size = {1, 1, 2}, .nodes = {4, 4, 7}});
  auto made = build(shape, 1, {0, beta}, options);
  EXPECT_TRUE(made) << made.error().text();
  std::vector<Index> held;
  Points targets, v;
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i) {
    const Vec3& p = shape.graph.positions[std::size_t(i)];
    if (p.z() < 1e-9) held.push_back(i), targets.push_back(p);
    v.push_back(Vec3(0, 0, p.z()));
  }
  (*made)->place(shape.graph.positions, v);
  Pool pool(1);
  EXPECT_TRUE(
      (*made)->advance({.h = 1e-3, .held = held, .targets = targets, .contact = {}, .pool = &pool}).ok());
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (v[i].z() > 2 - 1e-9) sum += (*made)->nodes().v[i].z(), ++count;
  return sum / count;
}

TEST(MeshlessOptions, stiffness_damping_slows_what_deforms) {
  const double free = speed_after_pull(0), damped = speed_after_pull(0.1);
  EXPECT_NEAR(free, 2, 0.2);
  EXPECT_LT(damped, 0.9 * free);
  EXPECT_GT(damped, 0);
}

// Linear elasticity: a turn by a small angle costs nothing, whatever kappa says. At cells kappa resists it.
TEST(MeshlessOptions, kappa_has_no_share_in_the_forms_of_the_papers) {
  for (const Warping warping : {Warping::cell, Warping::node, Warping::row, Warping::none}) {
    Options options = bar_material();
    options.warping = warping;
    options.kappa = 1;
    Bar bar = make_bar({}, options);
    Points x = bar.body().model().rest;
    const Points still(x.size(), Vec3::Zero());
    for (Vec3& p : x) p += Vec3(0, 0, 0.01).cross(p);
    bar.method->place(x, still);
    const double turned = bar.method->elastic_energy();
    if (warping == Warping::cell)
      EXPECT_GT(turned, 0.01);
    else
      EXPECT_LT(turned, 1e-9) << "warping " << int(warping);
  }
}

TEST(MeshlessOptions, refinements_lower_the_energy_of_a_bend_on_thick_bones) {
  for (const bool in_steps : {false, true}) {
    double energy[2];
    for (const int refinements : {0, 3}) {
      Options options = bar_material();
      options.kappa = 0;
      options.refinements = refinements;
      options.iterations = 30, options.tolerance = 1e-5;
      Bar bar = make_bar({.bend = 90, .radius = 0.3}, options, {3, 0.05});
      Pool pool(2);
      if (in_steps) {
        for (int k = 1; k <= 25; ++k)
          ASSERT_TRUE(bar.method->advance({.h = 0.1, .time = 0.1 * k, .contact = {}, .pool = &pool}).ok());
      } else {
        const auto settled = relax_once(*bar.method, {.time = 10, .contact = {}, .pool = &pool}, 1e-4);
        ASSERT_TRUE(settled.trouble.empty()) << settled.trouble;
        EXPECT_EQ(settled.steps, 1 + refinements);
      }
      energy[refinements > 0] = corotational_energy(bar.body().model(), bar.method->nodes().x);
    }
    EXPECT_LT(energy[1], 0.9 * energy[0]) << (in_steps ? "steps" : "statics");
  }
}

TEST(MeshlessOptions, thick_bones_carry_the_nodes_within_them_but_for_the_joint) {
  Bar bar = make_bar({.bend = 90, .radius = 0.3});
  const Rig& rig = bar.body().rig();
  Rig::Scratch scratch;
  rig.pose(10, scratch);
  Points places(std::size_t(rig.rows().rows()));
  gather(rig.rows(), bar.body().model().rest, places);
  ASSERT_GT(rig.rows().rows(), rig.samples() + 30);
  const Vec3 joint(0, 0, 2);
  const Mat3 turn = Eigen::AngleAxisd(90 * degree, Vec3::UnitX()).toRotationMatrix();
  for (std::size_t k = std::size_t(rig.samples()); k < places.size(); ++k) {
    const Vec3& X = places[k];
    EXPECT_LT(X.head<2>().norm(), 0.3 + 1e-9);
    EXPECT_GE(std::abs(X.z() - 2), 0.3 - 1e-9) << "the crook stays pliable";
    const Vec3 there = X.z() < 2 ? X : Vec3(joint + turn * (X - joint));
    EXPECT_LT((scratch.targets[k] - there).norm(), 1e-6);
  }
}

TEST(MeshlessOptions, joints_are_rounded_over_half_the_width_of_the_limb) {
  Bones bones;
  bones.skeleton = bar_skeleton({});
  const Shape shape = make_shape(BoxShape{.size = {1, 1, 4}, .nodes = {5, 5, 17}, .corner = {-0.5, -0.5, 0}});
  EXPECT_NEAR(bone_setting(bones, shape, 0.25).samples.zone, 0.5, 1e-9);
  EXPECT_NEAR(bone_setting(bones, shape, 0.25).samples.spacing, 0.25, 1e-12);
}

TEST(MeshlessOptions, a_sample_that_no_node_gives_way_to_is_joined_to_the_nodes_around_it) {
  const Shape shape = make_shape(BoxShape{.size = {1, 1, 1}, .nodes = {5, 5, 5}});
  const Vec3 between(0.375, 0.375, 0.375);
  const Shape with = with_samples(shape, {between});
  ASSERT_EQ(with.graph.positions.size(), shape.graph.positions.size() + 1);
  int edges = 0;
  for (const auto& e : with.graph.edges)
    edges += with.graph.positions[std::size_t(e.a)] == between ||
             with.graph.positions[std::size_t(e.b)] == between;
  EXPECT_GE(edges, 4);
}

TEST(MeshlessOptions, rotations_that_cancel_leave_cells_as_they_were) {
  Bar bar = make_bar({.across = 4, .twist = 1440, .time = 1});
  Pool pool(1);
  int kept = 0;
  for (int k = 0; k <= 36; ++k) {
    kept +=
        bar.method->advance({.h = 1.0 / 36, .time = k / 36.0, .contact = {}, .pool = &pool}).kept_rotations;
  }
  EXPECT_GT(kept, 0);
  for (const Vec3& x : bar.method->nodes().x) ASSERT_TRUE(x.allFinite());
}

TEST(MeshlessOptions, statics_end_at_rest_and_let_go_of_grabs) {
  Bar bar = make_bar({.bend = 45});
  Pool pool(1);
  const Points x = bar.method->nodes().x;
  bar.method->place(x, Points(x.size(), Vec3(1, 2, 3)));
  const auto plain = relax_once(*bar.method, {.time = 10, .contact = {}, .pool = &pool}, 1e-6);
  ASSERT_TRUE(plain.trouble.empty()) << plain.trouble;
  for (const Vec3& v : bar.method->nodes().v) ASSERT_EQ(v, Vec3(0, 0, 0));
  const Points there = bar.method->nodes().x;
  const std::vector<Grab> grabs{{.node = 0, .target = Vec3(-3, 0, 0), .stiffness = 1e3}};
  ASSERT_TRUE(relax_once(*bar.method, {.time = 10, .grabs = grabs, .contact = {}, .pool = &pool}, 1e-6)
                  .trouble.empty());
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_LT((bar.method->nodes().x[i] - there[i]).norm(), 1e-4);
}

TEST(MeshlessOptions, a_grab_draws_flesh_to_its_target) {
  Bar bar = make_bar({}, bar_material(), {5, 0.05});
  const Model& model = bar.body().model();
  Index corner = 0;
  for (Index i = 0; i < model.nodes(); ++i)
    if ((model.rest[std::size_t(i)] - Vec3(0.5, 0.5, 4)).norm() < 1e-9) corner = i;
  const Vec3 target(0.8, 0.5, 4);
  const std::vector<Grab> grabs{{.node = corner, .target = target, .stiffness = 1e4}};
  Pool pool(1);
  for (int k = 1; k <= 80; ++k)
    ASSERT_TRUE(
        bar.method->advance({.h = 0.05, .time = 0.05 * k, .grabs = grabs, .contact = {}, .pool = &pool})
            .ok());
  Points field(model.rest.size());
  gather(model.at_nodes, bar.method->nodes().x, field);
  EXPECT_LT((field[std::size_t(corner)] - target).norm(), 0.03);
}

/// Length and volume, over those of rest, of a bar that was stretched to 1.3 and let go.
std::array<double, 2> after_stretch(double cap, Warping warping = Warping::cell) {
  Options options = bar_material();
  options.warping = warping;
  options.plasticity = Plasticity{{.yield = 0.02, .creep = 20, .cap = cap}};
  options.rotations = Rotations::polar;
  options.iterations = 20;
  const Shape shape = make_shape(BoxShape{.size = {0.5, 0.5, 2}, .nodes = {4, 4, 13}});
  auto made = build(shape, 1, {2, 0}, options);
  EXPECT_TRUE(made);
  Points x = shape.graph.positions;
  for (Vec3& p : x) p.z() *= 1.3;
  (*made)->place(x, Points(x.size(), Vec3::Zero()));
  Pool pool(1);
  for (int k = 0; k < 90; ++k)
    EXPECT_TRUE((*made)->advance({.h = 1.0 / 30, .contact = {}, .pool = &pool}).ok());
  Points surface(shape.surface.vertices.size());
  (*made)->surface(surface);
  double low = 10, high = -10;
  for (const Vec3& p : surface) low = std::min(low, p.z()), high = std::max(high, p.z());
  return {(high - low) / 2, enclosed_volume(surface, shape.surface.triangles) / 0.5};
}

TEST(MeshlessOptions, plastic_flesh_keeps_its_volume_and_flows_no_further_than_its_cap) {
  const auto [length, volume] = after_stretch(0.9);
  EXPECT_GT(length, 1.02);
  EXPECT_NEAR(volume, 1, 0.01);
  EXPECT_LT(after_stretch(0.03)[0], length - 0.01);
}

// What is told as flowed must show: a stretched bar stays longer wherever its rotations take hold.
TEST(MeshlessOptions, plastic_flesh_stays_longer_with_every_warping) {
  const double elastic = after_stretch(0)[0];
  for (const Warping warping : {Warping::cell, Warping::node, Warping::row, Warping::none})
    EXPECT_GT(after_stretch(0.9, warping)[0], elastic + 0.02) << "warping " << int(warping);
}

TEST(MeshlessOptions, elastic_forces_know_the_plastic_strain_with_every_warping) {
  for (const Warping warping : {Warping::cell, Warping::node, Warping::row, Warping::none}) {
    Options options = bar_material();
    options.warping = warping;
    options.plasticity = Plasticity{{.yield = 0.02, .creep = 20, .cap = 0.9}};
    Bar bar = make_bar({.across = 4, .bend = 60, .time = 0.3}, options);
    Pool pool(1);
    int yields = 0;
    for (int k = 1; k <= 12; ++k)
      yields += bar.method->advance({.h = 1.0 / 30, .time = k / 30.0, .contact = {}, .pool = &pool}).yields;
    ASSERT_GT(yields, 0);
    // Back at rest only what flowed still pulls.
    Bar fresh = make_bar({.across = 4}, options);
    const Points& rest = bar.body().model().rest;
    double most = 0;
    for (Bar* b : {&fresh, &bar}) {
      Points force(rest.size());
      for (int k = 0; k < 2; ++k) {  // turns at nodes are those of the last step
        ASSERT_EQ(b->body().drive_joint({.joint = 1, .turn = {0, 0, 0}, .move = {0, 0, 0}}), "");
        b->method->advance({.h = 1e-9, .time = 1, .contact = {}, .pool = &pool});
      }
      b->method->place(rest, Points(rest.size(), Vec3::Zero()));
      b->method->elastic_forces(force);
      most = 0;
      for (const Vec3& f : force) most = std::max(most, f.norm());
      if (b == &fresh) {
        EXPECT_LT(most, 1e-3) << "warping " << int(warping);
      }
    }
    EXPECT_GT(most, 0.1) << "warping " << int(warping);
  }
}

TEST(MeshlessOptions, a_driven_joint_leaves_its_keys_and_is_saved) {
  Bar bar = make_bar({.bend = 90}), other = make_bar({.bend = 90});
  ASSERT_EQ(bar.body().drive_joint({.joint = 1, .turn = {0, 0, 0}, .move = {0, 0, 0}}), "");
  Pool pool(1);
  const StepInput input{.h = 0.02, .time = 10, .contact = {}, .pool = &pool};
  Writer writer;
  bar.method->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(other.method->load(reader));
  ASSERT_EQ(other.body().driven_joints().size(), 1u);
  for (Bar* b : {&bar, &other}) {
    ASSERT_TRUE(relax_once(*b->method, input, 1e-6).trouble.empty());
    for (std::size_t i = 0; i < b->method->nodes().x.size(); ++i)
      ASSERT_LT((b->method->nodes().x[i] - b->body().model().rest[i]).norm(), 1e-3);
  }
}

}  // namespace options_test
}  // namespace pliant::meshless
