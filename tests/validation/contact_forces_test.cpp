// SPDX-License-Identifier: Apache-2.0
// Contact forces as a user reads them (sim/contact_forces.hpp) against closed forms.
#include "pliant/sim/contact_forces.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace contact_forces_test {

/// A box of 1000 kg/m^3 and 0.2 m on a plane that is tilted by so many degrees, and what it does.
Scene box_on_plane(const std::string& method, double degrees, double height = 0, double friction = 0.5) {
  const double a = degrees * std::numbers::pi / 180;
  const ParsedScene parsed = parse_scene(
      fmt::format(
          R"({{"gravity": [{}, {}, 0], "bodies": [{{"name": "box", "method": "{}", "{}": {{"stiffness": 1e6}},
        "damping": {{"mass": 0, "stiffness": 0.01}},
        "shape": {{"box": {{"size": [0.2, 0.2, 0.2], "nodes": [3, 3, 3], "corner": [0, {}, 0]}}}}}}],
        "colliders": [{{"plane": {{"friction": {}}}}}]}})",
          9.81 * std::sin(a), -9.81 * std::cos(a), method, method, height, friction),
      "box.json", {});
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(scene) << scene.error().text();
  return std::move(*scene);
}

double mass(const Scene& scene) {
  double sum = 0;
  for (const double m : scene.simulation.bodies()[0].method().nodes().mass) sum += m;
  return sum;
}
Vec3 momentum(const Scene& scene) {
  const NodeState& s = scene.simulation.bodies()[0].method().nodes();
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < s.x.size(); ++i) sum += s.mass[i] * s.v[i];
  return sum;
}
struct Sums {
  double normal = 0, friction = 0;
  Vec3 force{0, 0, 0};
};
Sums sums(const Scene& scene) {
  Sums out;
  Vec3 friction = Vec3::Zero();
  for (const ContactForce& c : contact_forces(scene.simulation)) {
    out.normal += c.normal_force;
    friction += c.friction;
    out.force += c.normal_force * c.normal + c.friction;
  }
  out.friction = friction.norm();
  return out;
}
void run(Scene& scene, int steps) {
  for (int i = 0; i < steps; ++i) {
    const auto failure = scene.simulation.step();
    ASSERT_FALSE(failure) << failure->text();
  }
}

const char* const methods[] = {"geometric", "metric", "cage", "meshless"};

TEST(ContactForces, of_a_box_at_rest_carry_its_weight) {
  for (const char* method : methods) {
    Scene scene = box_on_plane(method, 0);
    run(scene, 90);
    const double weight = mass(scene) * 9.81;
    EXPECT_NEAR(sums(scene).normal / weight, 1, 1e-3) << method;
    EXPECT_LT(sums(scene).friction / weight, 1e-3) << method;
    for (const ContactForce& c : contact_forces(scene.simulation)) {
      EXPECT_GE(c.normal_force, 0);
      EXPECT_EQ(c.collider, 0);
      EXPECT_NEAR(c.place.y(), 0, 1e-3) << method;
      EXPECT_NEAR(c.gap, c.place.y(), 1e-9) << method;
      EXPECT_EQ(c.normal, Vec3(0, 1, 0));
    }
  }
}

TEST(ContactForces, of_a_sliding_box_are_at_the_limit_of_friction) {
  for (const char* method : methods) {
    Scene scene = box_on_plane(method, 35, 0, 0.3);
    run(scene, 40);
    // The step's own momentum is not yet that of a steady slide for every scheme: several steps are summed.
    double normal = 0, friction = 0;
    for (int i = 0; i < 20; ++i) {
      run(scene, 1);
      normal += sums(scene).normal;
      friction += sums(scene).friction;
    }
    EXPECT_NEAR(friction / normal, 0.3, 0.003) << method;
    EXPECT_NEAR(normal / 20 / (mass(scene) * 9.81 * std::cos(35 * std::numbers::pi / 180)), 1, 0.02)
        << method;
  }
}

TEST(ContactForces, over_an_impact_are_the_change_of_momentum) {
  for (const char* method : methods) {
    Scene scene = box_on_plane(method, 0, 0.3);
    const double h = 1.0 / 60, weight = mass(scene) * 9.81;
    Vec3 before = momentum(scene), impulse = Vec3::Zero();
    double most = 0;
    std::vector<double> largest;
    for (int i = 0; i < 40; ++i) {
      run(scene, 1);
      impulse += h * (sums(scene).force - weight * Vec3(0, 1, 0));
      largest_normal_forces(scene.simulation, largest);
      most = std::max(most, largest[0]);
    }
    // A multistep scheme owes up to a step's force at either end.
    EXPECT_LT((momentum(scene) - before - impulse).norm(), 2 * weight * h) << method;
    EXPECT_GT(most, weight / 9) << method << ": 9 points of a box of 27 nodes touch";
  }
}

}  // namespace contact_forces_test
}  // namespace pliant
