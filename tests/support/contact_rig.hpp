// SPDX-License-Identifier: Apache-2.0
// A body, of the geometric method if no other is given, among colliders, for tests of contact.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant {

inline Collider plane_collider(double friction, const Vec3& normal = {0, 1, 0}, Motion motion = {}) {
  return Collider(PlaneCollider{{0, 0, 0}, normal}, std::move(motion), friction, 0);
}

/// gravity of an incline whose plane is y = 0, downhill +x.
inline Vec3 incline(double degrees) {
  const double angle = degrees * M_PI / 180;
  return 9.81 * Vec3(std::sin(angle), -std::cos(angle), 0);
}

/// Measured values, for docs/methods/contact.md: --gtest_output=json shows them.
inline void measured(const std::string& what, double value) {
  testing::Test::RecordProperty(what, fmt::format("{:.3g}", value));
}

class ContactRig {
 public:
  ContactRig(const Shape& shape, double modulus, geometric::Integrator integrator, double time_step,
             const Damping& damping = {.mass = 0, .stiffness = 0}, double density = 1000)
      : h(time_step) {
    geometric::Options method;
    method.stiffness = modulus;
    method.integrator = integrator;
    auto built = geometric::build(shape, density, damping, method);
    EXPECT_TRUE(built) << built.error().text();
    body = std::move(*built);
  }
  ContactRig(std::unique_ptr<Method> method, double time_step) : body(std::move(method)), h(time_step) {}

  /// The next step; false and a failure when it has trouble.
  bool step() {
    const double begin = h * steps, end = h * ++steps;
    for (Collider& collider : colliders) collider.aim(begin, end);
    StepInput input;
    input.h = h;
    input.gravity = gravity;
    input.colliders = colliders;
    input.held = held;
    input.targets = targets;
    input.contact = options;
    input.pool = pool.get();
    report = body->advance(input);
    deepest = std::max(deepest, report.penetration);
    impulse += report.contact_impulse;
    EXPECT_TRUE(report.ok()) << report.trouble;
    return report.ok();
  }

  double time() const { return h * steps; }
  const NodeState& nodes() const { return body->nodes(); }
  double mass() const { return total_mass(nodes()); }
  Vec3 momentum() const { return linear_momentum(nodes()); }
  Vec3 velocity() const { return momentum() / mass(); }
  Vec3 center() const { return centre_of_mass(nodes()); }
  Vec3 spin() const { return angular_momentum(nodes()); }
  double kinetic() const { return kinetic_energy(nodes()); }
  double energy() const { return kinetic() + body->elastic_energy() - mass() * gravity.dot(center()); }
  double fastest() const {
    double most = 0;
    for (const Vec3& v : nodes().v) most = std::max(most, v.norm());
    return most;
  }

  std::unique_ptr<Method> body;
  std::vector<Collider> colliders;
  std::vector<Index> held;
  Points targets;
  ContactOptions options;
  Vec3 gravity{0, -9.81, 0};
  double h;
  int steps = 0;
  std::unique_ptr<Pool> pool = std::make_unique<Pool>(1);
  StepReport report;
  double deepest = 0;  ///< penetration after any step so far, m
  Vec3 impulse{0, 0, 0};
};

}  // namespace pliant
