// SPDX-License-Identifier: Apache-2.0
// A rigid body among colliders, against theory.
#include "pliant/methods/rigid/contact.hpp"

#include <algorithm>
#include <random>

#include "pliant/geometry/surface_graph.hpp"
#include "tests/support/contact_rig.hpp"
#include "tests/support/test_surfaces.hpp"
#include "tests/unit/methods/rigid/bodies.hpp"

namespace pliant::rigid {
namespace rigid_contact_test {

constexpr double g = 9.81;

ContactRig rig_of(const Shape& shape, double h = 1.0 / 60) { return {body_of(shape), h}; }

Shape block() {
  return make_shape(BoxShape{.size = {0.8, 0.2, 0.8}, .nodes = {5, 2, 5}, .corner = {-0.4, 0, -0.4}});
}
Shape cube(double height) {
  return make_shape(BoxShape{.size = {0.5, 0.5, 0.5}, .nodes = {3, 3, 3}, .corner = {-0.25, height, -0.25}});
}
/// Turned and moved about its centre.
void put(Method& body, const Mat3& turn, const Vec3& shift, const Vec3& velocity = {0, 0, 0},
         const Vec3& turning = {0, 0, 0}) {
  const Vec3 centre = centre_of_mass(body.nodes());
  Points x = body.nodes().x, v;
  for (Vec3& p : x) {
    const Vec3 arm = turn * (p - centre);
    p = centre + arm + shift;
    v.push_back(velocity + turning.cross(arm));
  }
  body.place(x, v);
}

/// The friction angle of 0.5 is 26.565 degrees.
TEST(RigidContact, sticks_below_the_friction_angle_and_slides_above_it) {
  for (const double degrees : {20.0, 26.5, 26.6, 30.0, 40.0}) {
    ContactRig r = rig_of(block());
    r.gravity = incline(degrees);
    r.colliders.push_back(plane_collider(0.5));
    while (r.time() < 2) ASSERT_TRUE(r.step());
    const double along = std::sin(degrees * M_PI / 180) - 0.5 * std::cos(degrees * M_PI / 180);
    const double wanted = std::max(0.0, g * along * 2);
    // In 2 s: 1e-5 of g where it slides.
    EXPECT_NEAR(r.velocity().x(), wanted, wanted > 0 ? 2e-4 : 1e-6) << degrees;
    EXPECT_LE(r.deepest, 1e-4 * 0.8);
  }
}

TEST(RigidContact, lets_a_box_rest_still_with_its_weight_on_the_ground) {
  ContactRig r = rig_of(cube(0.01));
  r.colliders.push_back(plane_collider(0.5));
  while (r.time() < 2) ASSERT_TRUE(r.step());
  r.impulse.setZero();
  for (int k = 0; k < 60; ++k) ASSERT_TRUE(r.step());
  measured("rest_speed", r.fastest());
  EXPECT_LT(r.fastest(), 1e-6);
  EXPECT_LT((r.impulse - Vec3(0, r.mass() * g, 0)).norm() / (r.mass() * g), 1e-5);
}

/// 5/7 g sin: a solid ball that does not slip. What carries it is the vertex that is lowest at the end of the step, v h/2
/// ahead of the centre when it is pushed: that arm costs (a t/2) (h/2 R) cot 20 = 1.1 % of the speed in 0.4 s. Another
/// 0.3 % are rolling resistance (contact/rolling.hpp).
TEST(RigidContact, rolls_a_ball_with_five_sevenths_of_the_slope) {
  Pool pool(1);
  const auto made = make_surface_shape(as_polygons(sphere_surface(120, 1, {0, 1, 0})), {}, pool);
  ASSERT_TRUE(made);
  ContactRig r = rig_of(made->shape);
  r.gravity = incline(20);
  r.colliders.push_back(plane_collider(0.5));
  while (r.time() < 0.399) ASSERT_TRUE(r.step());
  const double ratio = r.velocity().x() / (r.time() * g * std::sin(20 * M_PI / 180) * 5 / 7);
  measured("acceleration_over_theory", ratio);
  EXPECT_NEAR(ratio, 1, 0.02);
}

TEST(RigidContact, gains_no_energy_when_a_box_falls_on_its_corner) {
  for (const double h : {1.0 / 240, 1.0 / 60, 1.0 / 30}) {
    ContactRig r = rig_of(cube(0.5), h);
    put(*r.body, Eigen::AngleAxisd(0.9, Vec3(1, 0, 0.7).normalized()).toRotationMatrix(), {0, 0.4, 0});
    r.colliders.push_back(plane_collider(0.5));
    double before = r.energy();
    const double drop = r.mass() * g * 0.5;
    double most = 0;
    while (r.time() < 4) {
      ASSERT_TRUE(r.step());
      most = std::max(most, (r.energy() - before) / drop);
      before = r.energy();
    }
    measured(fmt::format("gain_at_{:.0f}", 1 / h), most);
    measured(fmt::format("rest_speed_at_{:.0f}", 1 / h), r.fastest());
    EXPECT_LT(most, 2e-3) << h;
    EXPECT_LT(r.fastest(), 1e-5) << h;
    EXPECT_NEAR(r.center().y(), 0.25, 1e-3) << "flat on the ground, " << h;
  }
}

/// What digs in is moved out after the step, away from where the velocities lead: a jump.
TEST(RigidContact, hardly_jumps_out_of_what_it_hits) {
  double most = 0;
  for (const double rate : {0.0, 10.0, -20.0}) {
    ContactRig r = rig_of(cube(0.3));
    put(*r.body, Mat3::Identity(), {0, 0, 0}, {1, -4, 0}, {0.2 * rate, 0, rate});
    r.colliders.push_back(plane_collider(0.5));
    while (r.time() < 1) {
      const Vec3 before = r.center();
      ASSERT_TRUE(r.step());
      if (r.report.contacts > 0) most = std::max(most, (r.center() - before - r.h * r.velocity()).norm());
    }
  }
  measured("jump", most);
  EXPECT_LT(most, 5e-4);  // m; measured 2.3e-4
}

/// e v is what a ball leaves with: it climbs to e^2 of the height it fell from.
TEST(RigidContact, rebounds_with_the_restitution_of_the_collider) {
  for (const double e : {0.0, 0.5, 0.9}) {
    ContactRig r =
        rig_of(make_shape(EllipsoidShape{.radii = {0.25, 0.25, 0.25}, .nodes = 9, .center = {0, 1.25, 0}}),
               1.0 / 240);
    r.colliders.push_back(Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, e));
    const double low = r.center().y() - 1;
    double highest = 0;
    bool hit = false;
    while (r.time() < 0.9) {
      ASSERT_TRUE(r.step());
      hit = hit || !r.impulse.isZero(0);
      if (hit) highest = std::max(highest, r.center().y() - low);
    }
    measured(fmt::format("height_at_{}", e), highest);
    EXPECT_NEAR(highest, e * e, 0.03) << e;
  }
}

/// A rod that is pushed along the ground, leaning forward, with much friction: Painleve's paradox. A velocity of the
/// end of a step always exists.
TEST(RigidContact, has_an_answer_where_rigid_friction_has_none) {
  const Shape rod =
      make_shape(BoxShape{.size = {0.02, 1, 0.02}, .nodes = {2, 2, 2}, .corner = {-0.01, 0, -0.01}});
  for (const double lean : {-1.0, -0.6, 0.6, 1.0})
    for (const double friction : {1.0, 3.0, 100.0}) {
      ContactRig r = rig_of(rod);
      const Mat3 turn = Eigen::AngleAxisd(lean, Vec3(0, 0, 1)).toRotationMatrix();
      put(*r.body, turn, {0, 0.5 * std::cos(lean) - 0.5 + 0.02, 0}, {5, 0, 0});
      r.colliders.push_back(plane_collider(friction));
      const double start = r.energy();
      while (r.time() < 2) {
        ASSERT_TRUE(r.step());
        ASSERT_LT(r.energy(), start + 0.01 * std::abs(start)) << lean << ", " << friction;
      }
    }
}

TEST(RigidContact, never_gains_by_tumbling_however_fast_it_spins) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for (const double rate : {3.0, 30.0, 1000.0}) {
    ContactRig r = rig_of(racket_shape());
    const Vec3 w = rate * Vec3(normal(random), normal(random), normal(random)).normalized();
    put(*r.body, Mat3::Identity(), {0, 0.8, 0}, {1, -3, 0}, w);
    r.colliders.push_back(plane_collider(0.5));
    r.colliders.push_back(Collider(BoxCollider{{2, 0.2, 0}, {0.4, 0.4, 2}}, {}, 0.3, 0));
    const double start = r.energy();
    double most = start;
    while (r.time() < 5) {
      ASSERT_TRUE(r.step());
      most = std::max(most, r.energy());
    }
    measured(fmt::format("most_over_start_at_{}", rate), most / start);
    EXPECT_LT(most, 1.001 * start) << rate;
    EXPECT_TRUE(all_finite(r.nodes()));
  }
}

/// g (1 - cos a) d of a door that falls open: held on a hinge, stopped by the ground.
TEST(RigidContact, stops_a_body_on_a_hinge) {
  const Shape flap =
      make_shape(BoxShape{.size = {1, 0.1, 0.5}, .nodes = {3, 2, 3}, .corner = {0, 0.3, -0.25}});
  ContactRig r = rig_of(flap);
  for (Index i = 0; i < Index(flap.graph.positions.size()); ++i)
    if (const Vec3& x = flap.graph.positions[std::size_t(i)]; x.x() < 1e-9 && x.y() < 0.31)
      r.held.push_back(i), r.targets.push_back(x);
  ASSERT_EQ(r.held.size(), 3u);
  r.colliders.push_back(plane_collider(0.5));
  while (r.time() < 3) ASSERT_TRUE(r.step());
  double low = 1;
  for (const Vec3& x : r.nodes().x) low = std::min(low, x.y());
  EXPECT_NEAR(low, 0, 2e-4);
  EXPECT_LT(r.fastest(), 1e-6);
  for (std::size_t k = 0; k < r.held.size(); ++k)
    EXPECT_EQ(r.nodes().x[std::size_t(r.held[k])], r.targets[k]);
}

TEST(RigidContact, is_carried_by_a_conveyor) {
  ContactRig r = rig_of(cube(0));
  const pliant::Motion motion{{{.time = 0}, {.time = 100, .translate = {30, 0, 0}}}, Ease::linear};
  r.colliders.push_back(plane_collider(0.5, {0, 1, 0}, motion));
  while (r.time() < 1) ASSERT_TRUE(r.step());
  EXPECT_NEAR(r.velocity().x(), 0.3, 1e-5);
}

}  // namespace rigid_contact_test
}  // namespace pliant::rigid
