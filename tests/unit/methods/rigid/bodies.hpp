// SPDX-License-Identifier: Apache-2.0
// Rigid bodies of tests, and steps of them.
#pragma once

#include <gtest/gtest.h>

#include "pliant/methods/rigid/body.hpp"
#include "pliant/methods/rigid/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant::rigid {

/// 1 x 0.2 x 0.6 m, on its eight corners, its centre at the origin: three different moments of inertia.
inline Shape racket_shape() {
  return make_shape(BoxShape{.size = {1, 0.2, 0.6}, .nodes = {2, 2, 2}, .corner = {-0.5, -0.1, -0.3}});
}

inline std::unique_ptr<Method> body_of(const Shape& shape, const Options& options = {},
                                       const Damping& damping = {.mass = 0, .stiffness = 0}) {
  auto built = build(shape, 1000, damping, options);
  EXPECT_TRUE(built) << built.error().text();
  return built ? std::move(*built) : nullptr;
}

inline const Motion& motion_of(const Method& body) { return dynamic_cast<const Body&>(body).motion(); }

/// The body where it is, with these velocities.
inline void push(Method& body, const Vec3& velocity, const Vec3& turning) {
  const Points x = body.nodes().x;
  const Vec3 centre = centre_of_mass(body.nodes());
  Points v;
  for (const Vec3& p : x) v.push_back(velocity + turning.cross(p - centre));
  body.place(x, v);
}

struct Steps {
  explicit Steps(double h, const Vec3& gravity = {0, 0, 0}) {
    input.h = h;
    input.gravity = gravity;
    input.pool = &pool;
  }
  void run(Method& body, int count) {
    for (int k = 0; k < count; ++k) {
      const StepReport report = body.advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
  }
  Pool pool{1};
  StepInput input;
};

}  // namespace pliant::rigid
