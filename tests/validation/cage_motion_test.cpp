// SPDX-License-Identifier: Apache-2.0
// Caged bodies in flight: free fall, and the flips of a tennis racket.
#include <gtest/gtest.h>

#include <Eigen/SVD>

#include <cmath>

#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant::cage {
namespace cage_motion_test {

/// All different moments of inertia; spun about the middle one, z, it flips over and over.
std::unique_ptr<Method> racket() {
  const Shape shape = make_shape(BoxShape{.size = {1, 0.2, 0.6}, .nodes = {11, 3, 7}});
  auto body = build(with_quadrature(shape, 220), 1000, {.mass = 0, .stiffness = 0},
                    {.cells = {2, 1, 2}, .stiffness = 1e7});
  EXPECT_TRUE(body) << body.error().text();
  return body ? std::move(*body) : nullptr;
}

struct Rigid {
  Vec3 centre{0, 0, 0}, angular{0, 0, 0};
  Mat3 inertia = Mat3::Zero();
};
Rigid rigid(const NodeState& now) {
  Rigid out;
  double mass = 0;
  for (std::size_t i = 0; i < now.x.size(); ++i) out.centre += now.mass[i] * now.x[i], mass += now.mass[i];
  out.centre /= mass;
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    const Vec3 r = now.x[i] - out.centre;
    out.inertia += now.mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    out.angular += now.mass[i] * r.cross(now.v[i]);
  }
  return out;
}

/// When a rigid body of this inertia, spun by w, flips: its spin along the axis z of the body changes sign.
std::vector<double> flips_of_euler(const Mat3& inertia, const Vec3& w, double seconds) {
  const Mat3 inverse = inertia.inverse();
  Vec3 m = inertia * w;
  std::vector<double> out;
  const double dt = 1e-4;
  const auto rate = [&](const Vec3& at) { return Vec3(at.cross(inverse * at)); };
  for (int k = 0; k < int(seconds / dt); ++k) {
    const Vec3 a = rate(m), b = rate(m + dt / 2 * a), c = rate(m + dt / 2 * b), d = rate(m + dt * c);
    const Vec3 next = m + dt / 6 * (a + 2 * b + 2 * c + d);
    if (next.z() * m.z() < 0) out.push_back(dt * k);
    m = next;
  }
  return out;
}

TEST(CageMotion, a_tennis_racket_flips_when_eulers_equations_say) {
  const std::unique_ptr<Method> body = racket();
  const Points rest = body->nodes().x;
  const Vec3 w{0.3, 0, 6}, centre = rigid(body->nodes()).centre;
  Points v = rest;
  for (Vec3& p : v) p = w.cross(p - centre);
  body->place(rest, v);
  const Rigid start = rigid(body->nodes());
  const std::vector<double> theory = flips_of_euler(start.inertia, w, 10);
  const auto axis = [&] {  // z of the body
    Mat3 spread = Mat3::Zero();
    const NodeState& now = body->nodes();
    const Vec3 c = rigid(now).centre;
    for (std::size_t i = 0; i < rest.size(); ++i)
      spread += now.mass[i] * (now.x[i] - c) * (rest[i] - centre).transpose();
    const Eigen::JacobiSVD<Mat3> svd(spread, Eigen::ComputeFullU | Eigen::ComputeFullV);
    return Vec3(svd.matrixU() * svd.matrixV().transpose().col(2));
  };
  const auto energy = [&] { return kinetic_energy(body->nodes()) + body->elastic_energy(); };
  const double first = energy();
  Pool pool(1);
  StepInput input;
  input.h = 1.0 / 240, input.pool = &pool;
  std::vector<double> flips;
  double before = 1, most = first;
  for (int k = 0; k < 2400; ++k) {
    ASSERT_TRUE(body->advance(input).ok());
    const double now = axis().dot(start.angular);
    if (now * before < 0) flips.push_back(input.h * (k + 1));
    before = now;
    most = std::max(most, energy());
  }
  ASSERT_EQ(flips.size(), theory.size());
  EXPECT_NEAR(flips[0], theory[0], 0.01 * theory[0]);
  EXPECT_NEAR(flips.back(), theory.back(), 0.05 * theory.back());
  EXPECT_LT(most, 1.01 * first);
  EXPECT_GT(energy(), 0.9 * first);
}

TEST(CageMotion, free_fall_is_exact) {
  const std::unique_ptr<Method> body = racket();
  Pool pool(1);
  StepInput input;
  input.gravity = {0, -9.81, 0}, input.pool = &pool;
  const double start = rigid(body->nodes()).centre.y();
  for (int k = 0; k < 60; ++k) ASSERT_TRUE(body->advance(input).ok());
  EXPECT_NEAR((start - rigid(body->nodes()).centre.y()) / (9.81 / 2), 1, 1e-5);
}

}  // namespace cage_motion_test
}  // namespace pliant::cage
