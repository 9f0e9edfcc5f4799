// SPDX-License-Identifier: Apache-2.0
// Meshless flesh among colliders: what the invariants of all methods do not say.
#include <gtest/gtest.h>

#include "pliant/contact/collider.hpp"
#include "tests/support/meshless_bar.hpp"

namespace pliant::meshless {
namespace contact_test {

constexpr double h = 1.0 / 60;

/// A body on the plane y = 0.
struct OnFloor {
  std::unique_ptr<Method> body;
  std::vector<Collider> colliders;
  Vec3 gravity{0, -9.81, 0};
  StepReport report;
  Pool pool{1};
  int steps = 0;

  OnFloor(std::unique_ptr<Method> made, double friction, double restitution) : body(std::move(made)) {
    colliders.push_back(Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, friction, restitution));
  }
  void step() {
    ++steps;
    for (Collider& collider : colliders) collider.aim((steps - 1) * h, steps * h);
    report = body->advance({.h = h,
                            .time = steps * h,
                            .gravity = gravity,
                            .colliders = colliders,
                            .contact = {},
                            .pool = &pool});
    ASSERT_TRUE(report.ok()) << report.trouble;
  }
  Vec3 velocity() const {
    Vec3 sum = Vec3::Zero();
    for (std::size_t i = 0; i < body->nodes().v.size(); ++i)
      sum += body->nodes().mass[i] * body->nodes().v[i];
    return sum / mass();
  }
  double mass() const {
    double sum = 0;
    for (const double m : body->nodes().mass) sum += m;
    return sum;
  }
};

std::unique_ptr<Method> block(double height, const Options& options, const Damping& damping = {0, 0.01}) {
  Flesh flesh = make_flesh(
      make_shape(BoxShape{.size = {0.4, 0.2, 0.4}, .nodes = {5, 4, 5}, .corner = {-0.2, height, -0.2}}),
      options);
  auto made = build(flesh.shape, 1000, damping, flesh.options);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

Options stiff() {
  Options options;
  options.stiffness = 1e6;
  return options;
}

TEST(MeshlessContact, friction_holds_a_block_on_a_slope_below_its_coefficient_and_lets_it_slide_above) {
  const double friction = 0.4;
  for (const double slope : {0.9 * friction, 1.5 * friction}) {
    OnFloor scene(block(0, stiff()), friction, 0);
    const double angle = std::atan(slope);
    scene.gravity = 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
    for (int k = 0; k < 60; ++k) scene.step();
    const double slid = 9.81 * (std::sin(angle) - friction * std::cos(angle)) * 60 * h;
    if (slope < friction)
      EXPECT_LT(std::abs(scene.velocity().x()), 1e-3);
    else
      EXPECT_NEAR(scene.velocity().x() / slid, 1, 0.05);
  }
}

TEST(MeshlessContact, a_bouncing_block_comes_back_with_its_restitution) {
  for (const double restitution : {0.0, 0.7}) {
    // Stiff and undamped within; what elasticity gives back comes on top of the restitution.
    OnFloor scene(block(0.5, stiff(), {0, 0.002}), 0, restitution);
    double down = 0, up = 0;
    for (int k = 0; k < 40; ++k) {
      scene.step();
      down = std::min(down, scene.velocity().y());
      if (down < -2) up = std::max(up, scene.velocity().y());
    }
    EXPECT_LT(down, -2.8);
    if (restitution > 0)
      EXPECT_NEAR(up / -down, restitution, 0.25);
    else
      EXPECT_LT(up / -down, 0.3);
  }
}

TEST(MeshlessContact, a_block_that_begins_in_the_floor_is_lifted_out_without_a_push) {
  OnFloor scene(block(-0.02, stiff()), 0.5, 0);
  for (int k = 0; k < 30; ++k) {
    scene.step();
    EXPECT_LT(scene.velocity().y(), 0.3);
  }
  EXPECT_LT(scene.report.penetration, 1e-3);
  EXPECT_NEAR(scene.report.contact_impulse.y(), scene.mass() * 9.81 * h, 0.05 * scene.mass() * 9.81 * h);
}

TEST(MeshlessContact, flesh_on_a_bone_that_presses_it_on_the_floor_is_flattened_and_bears_the_bone) {
  // The bar lies along z, its bone 0.5 above its lower side, which the bone carries 0.1 into the floor.
  Bar bar{bar_flesh({.corner = {-0.5, 0.05, 0}}), nullptr};
  Options options = bar.flesh.options;
  MoveKeys& moves = options.bones->skeleton.joints[0].moves;
  moves.interpolation = Interpolation::linear;
  moves.times = {0, 0.5};
  moves.moves = {Vec3(0, 0, 0), Vec3(0, -0.15, 0)};
  auto made = build(bar.flesh.shape, 1, {5, 0.01}, options);
  ASSERT_TRUE(made) << made.error().text();
  bar.method = std::move(*made);
  OnFloor scene(std::move(bar.method), 0.5, 0);
  scene.gravity = Vec3::Zero();
  for (int k = 0; k < 90; ++k) scene.step();
  EXPECT_LT(scene.report.penetration, 2e-3);
  // Roughly E times the strain below the bone times the area: 1000 * 0.2 * 4.
  const double force = scene.report.contact_impulse.y() / h;
  EXPECT_GT(force, 200);
  EXPECT_LT(force, 1600);
  Points surface(bar.flesh.shape.surface.vertices.size());
  scene.body->surface(surface);
  double low = 1, high = 0;
  for (const Vec3& p : surface) low = std::min(low, p.y()), high = std::max(high, p.y());
  EXPECT_NEAR(low, 0, 2e-3);
  // The bone is where it belongs: it takes its flesh 0.15 down, and some of it wells up around the thin bone.
  EXPECT_GT(high, 0.89);
  EXPECT_LT(high, 0.99);
}

}  // namespace contact_test
}  // namespace pliant::meshless
