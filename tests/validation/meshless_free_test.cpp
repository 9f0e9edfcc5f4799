// SPDX-License-Identifier: Apache-2.0
// Meshless bodies without bones, free: they roll and spin as rigid ones do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pliant/contact/collider.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "tests/support/contact_rig.hpp"

namespace pliant {
namespace meshless_free_test {

constexpr double radius = 0.25, h = 1.0 / 60;

std::unique_ptr<Method> ball(double stiffness) {
  meshless::Options options;
  options.stiffness = stiffness;
  meshless::Flesh flesh = meshless::make_flesh(
      make_shape(EllipsoidShape{.radii = {radius, radius, radius}, .nodes = 11, .center = {0, radius, 0}}),
      options);
  auto body = meshless::build(flesh.shape, 1000, {.mass = 0, .stiffness = 0}, flesh.options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

Vec3 mean_velocity(const NodeState& nodes) {
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < nodes.x.size(); ++i) sum += nodes.mass[i] * nodes.v[i], mass += nodes.mass[i];
  return sum / mass;
}

TEST(MeshlessFree, a_stiff_ball_rolls_down_an_incline_like_a_rigid_one) {
  const auto body = ball(1e6);
  double inertia = 0, mass = 0;
  for (std::size_t i = 0; i < body->nodes().x.size(); ++i) {
    const Vec3 p = body->nodes().x[i] - Vec3(0, radius, 0);
    inertia += body->nodes().mass[i] * (p.x() * p.x() + p.y() * p.y());
    mass += body->nodes().mass[i];
  }
  const double slope = 20 * M_PI / 180;
  const Vec3 gravity = 9.81 * Vec3(std::sin(slope), -std::cos(slope), 0);
  const double rigid = gravity.x() / (1 + inertia / (mass * radius * radius));
  std::vector<Collider> colliders{plane_collider(0.5)};
  Pool pool(1);
  for (int i = 1; i <= 90; ++i) {
    for (Collider& collider : colliders) collider.aim((i - 1) * h, i * h);
    ASSERT_TRUE(body->advance({.h = h,
                               .time = i * h,
                               .gravity = gravity,
                               .colliders = colliders,
                               .contact = {},
                               .pool = &pool})
                    .ok());
  }
  const double over = mean_velocity(body->nodes()).x() / (90 * h) / rigid;
  measured("over_rigid", over);
  EXPECT_GE(over, 0.94);
  EXPECT_LE(over, 1.04);
}

TEST(MeshlessFree, a_spinning_ball_keeps_spin_and_shape) {
  const auto body = ball(1e5);
  Points v;
  const Vec3 w(0, 6, 0);  // 6 degrees a step
  for (const Vec3& x : body->nodes().x) v.push_back(w.cross(x - Vec3(0, radius, 0)));
  const Points rest = body->nodes().x;
  body->place(rest, v);
  Pool pool(1);
  double farthest = 0;
  for (int i = 1; i <= 120; ++i) {
    ASSERT_TRUE(
        body->advance({.h = h, .time = i * h, .gravity = Vec3::Zero(), .contact = {}, .pool = &pool}).ok());
    for (const Vec3& x : body->nodes().x) farthest = std::max(farthest, (x - Vec3(0, radius, 0)).norm());
  }
  Vec3 spin = Vec3::Zero(), start = Vec3::Zero();
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Vec3 c(0, radius, 0);
    spin += body->nodes().mass[i] * (body->nodes().x[i] - c).cross(body->nodes().v[i]);
    start += body->nodes().mass[i] * (rest[i] - c).cross(v[i]);
  }
  measured("farthest_over_radius", farthest / radius);
  EXPECT_LT((spin - start).norm(), 1e-10 * start.norm());
  EXPECT_LT(farthest, 1.1 * radius);  // the field is at the surface, the outermost parameters are beyond it
}

TEST(MeshlessFree, a_falling_ball_is_not_strained) {
  const auto body = ball(1e5);
  Pool pool(1);
  for (int i = 1; i <= 30; ++i)
    ASSERT_TRUE(
        body->advance({.h = h, .time = i * h, .gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool}).ok());
  measured("elastic_energy", body->elastic_energy());
  EXPECT_LT(body->elastic_energy(), 1e-14);  // J; falling, the ball has 790 J
}

}  // namespace meshless_free_test
}  // namespace pliant
