// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/model.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/rigid/build.hpp"
#include "pliant/methods/rigid/state.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant::rigid {
namespace rigid_model_test {

Model model_of(const Shape& shape, const Options& options = {}) {
  auto made = make_model(shape, 1000, options);
  EXPECT_TRUE(made) << made.error().text();
  return made ? *made : Model{};
}

/// m/12 (b^2 + c^2), on eight corners as on many nodes.
TEST(RigidModel, of_a_box_has_its_mass_centre_and_inertia_on_any_nodes) {
  for (const int nodes : {2, 5}) {
    const Model box = model_of(
        make_shape(BoxShape{.size = {0.4, 0.3, 1.2}, .nodes = {nodes, nodes, nodes}, .corner = {3, -2, 1}}));
    EXPECT_NEAR(box.mass, 144, 1e-10);
    EXPECT_LT((box.centre - Vec3(3.2, -1.85, 1.6)).norm(), 1e-13);
    const Vec3 wanted = 12 * Vec3(0.09 + 1.44, 0.16 + 1.44, 0.16 + 0.09);
    EXPECT_LT((box.inertia - Mat3(wanted.asDiagonal())).norm(), 1e-11);
  }
}

/// The polyhedron of 13 nodes across has 0.97 of the ball's volume, and 0.95 of its inertia.
TEST(RigidModel, of_a_ball_is_that_of_the_ball_and_not_of_its_polyhedron) {
  const Model ball = model_of(make_shape(EllipsoidShape{.radii = {0.5, 0.5, 0.5}, .nodes = 13}));
  const double mass = 1000 * std::numbers::pi / 6;
  EXPECT_NEAR(ball.mass / mass, 1, 1e-9);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(ball.inertia(k, k) / (0.4 * mass * 0.25), 1, 2e-3);
}

/// m (R^2 + 3/4 r^2) about its axis.
TEST(RigidModel, of_a_torus_is_that_of_the_torus) {
  const Model torus =
      model_of(make_shape(TorusShape{.ring_radius = 1, .tube_radius = 0.35, .nodes = {5, 24}}));
  EXPECT_NEAR(torus.inertia(1, 1) / (torus.mass * (1 + 0.75 * 0.35 * 0.35)), 1, 0.02);  // measured 0.011
}

TEST(RigidModel, of_a_given_mass_has_the_same_centre_and_an_inertia_in_proportion) {
  const Shape shape = make_shape(BoxShape{.size = {1, 2, 3}, .nodes = {2, 2, 2}});
  const Model by_density = model_of(shape), by_mass = model_of(shape, {.mass = 12});
  EXPECT_EQ(by_mass.mass, 12);
  EXPECT_LT((by_mass.inertia - by_density.inertia * (12 / 6000.0)).norm(), 1e-12);
  EXPECT_EQ(by_mass.centre, by_density.centre);
}

TEST(RigidModel, tells_the_inertia_about_any_point) {
  const Model box = model_of(make_shape(BoxShape{.size = {1, 0.2, 0.2}, .nodes = {2, 2, 2}}));
  const Mat3 about_end = box.inertia_about({-0.5, 0, 0});
  EXPECT_NEAR(about_end(1, 1), 40 * (1.0 / 3 + 0.04 / 12), 1e-12);
  EXPECT_NEAR(about_end(0, 0), 40 * 0.08 / 12, 1e-12);
}

TEST(RigidModel, has_points_that_weigh_and_turn_as_the_body_does) {
  const Model torus = model_of(make_shape(TorusShape{.nodes = {5, 24}, .center = {1, 2, 3}}));
  State state = state_at_rest(torus);
  state.motion.turn = Eigen::AngleAxisd(1, Vec3(1, 2, 3).normalized());
  state.motion.velocity = {1, -2, 0.5};
  const Vec3 w{0.3, -1, 2};
  state.motion.spin = state.motion.inertia(torus) * w;
  move_mass(torus, state.motion, state.nodes.within);
  EXPECT_NEAR(total_mass(state.nodes) / torus.mass, 1, 1e-14);
  EXPECT_LT((centre_of_mass(state.nodes) - torus.centre).norm(), 1e-13);
  EXPECT_LT((linear_momentum(state.nodes) / torus.mass - Vec3(1, -2, 0.5)).norm(), 1e-13);
  EXPECT_LT((angular_momentum(state.nodes) - state.motion.spin).norm(), 1e-12 * state.motion.spin.norm());
  EXPECT_NEAR(kinetic_energy(state.nodes) / (torus.mass * 5.25 / 2 + w.dot(state.motion.spin) / 2), 1, 1e-13);
}

TEST(RigidModel, refuses_what_encloses_nothing_and_says_what_to_do) {
  const auto sheet = make_model(make_shape(SheetShape{}), 1000, {});
  ASSERT_FALSE(sheet);
  EXPECT_EQ(sheet.error().problems[0].place, "shape");
  EXPECT_EQ(sheet.error().problems[0].found, "an open surface");
  EXPECT_NE(sheet.error().problems[0].hint.find("close its holes"), std::string::npos);
  Shape flat = make_shape(BoxShape{.nodes = {2, 2, 2}});
  for (Vec3& p : flat.surface.vertices) p.y() = 0;
  const auto squashed = make_model(flat, 1000, {});
  ASSERT_FALSE(squashed);
  EXPECT_EQ(squashed.error().problems[0].found, "a surface that encloses no volume");
}

TEST(RigidModel, takes_a_surface_that_is_inside_out) {
  Shape shape = make_shape(BoxShape{.size = {1, 2, 3}, .nodes = {2, 2, 2}});
  const Model right = model_of(shape);
  for (Triangle& t : shape.surface.triangles) std::swap(t[0], t[1]);
  EXPECT_LT((model_of(shape).inertia - right.inertia).norm(), 1e-9);
}

}  // namespace rigid_model_test
}  // namespace pliant::rigid
