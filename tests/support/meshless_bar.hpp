// SPDX-License-Identifier: Apache-2.0
// The bar of the meshless notes: 1 x 1 x 4 m, one joint in the middle, bones on the axis.
#pragma once

#include <gtest/gtest.h>

#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/build.hpp"

namespace pliant::meshless {

struct BarOptions {
  int across = 5;     ///< nodes across; 4 (across - 1) + 1 along
  double bend = 0;    ///< degrees about x at the middle joint
  double twist = 0;   ///< degrees about the axis, linear along the whole bar
  double time = 0;    ///< s: the turn is linear from 0 to here; 0: there from the start
  double zone = 0;    ///< m
  double radius = 0;  ///< m
  Vec3 corner{-0.5, -0.5, 0};
};

inline Options bar_material() {
  Options options;
  options.stiffness = 1000;
  options.poisson = 0.3;
  options.support = 1.5;
  options.integrator = Integrator::euler;  // of the paper, whose numbers are compared with
  return options;
}

inline Skeleton bar_skeleton(const BarOptions& bar) {
  const Vec3 foot = bar.corner + Vec3(0.5, 0.5, 0);
  Skeleton skeleton;
  const auto keys = [&](Joint& joint, const Vec3& turn) {
    joint.turns.interpolation = Interpolation::linear;
    joint.turns.times = {0, bar.time > 0 ? bar.time : 1e-6};
    joint.turns.turns = {bar.time > 0 ? Vec3(0, 0, 0) : turn, turn};
  };
  const double degree = std::acos(-1.0) / 180;
  const auto at = [&](const char* name, Index parent, double height) {
    Joint joint;
    joint.name = name, joint.parent = parent, joint.position = foot + Vec3(0, 0, height);
    return joint;
  };
  const Joint root = at("root", -1, 0);
  Joint middle = at("middle", 0, 2), tip = at("tip", 1, 4);
  keys(middle, bar.bend * degree * Vec3(1, 0, 0) + 0.5 * bar.twist * degree * Vec3(0, 0, 1));
  keys(tip, 0.5 * bar.twist * degree * Vec3(0, 0, 1));
  skeleton.joints = {root, middle, tip};
  return skeleton;
}

inline Flesh bar_flesh(const BarOptions& bar, Options options = bar_material()) {
  options.bones.emplace();
  options.bones->skeleton = bar_skeleton(bar);
  options.bones->zone = bar.zone;
  options.bones->radius = bar.radius;
  const int n = bar.across;
  Shape shape =
      make_shape(BoxShape{.size = {1, 1, 4}, .nodes = {n, n, 4 * (n - 1) + 1}, .corner = bar.corner});
  return make_flesh(std::move(shape), options);
}

struct Bar {
  Flesh flesh;
  std::unique_ptr<Method> method;
  Body& body() { return static_cast<Body&>(*method); }
  double volume() const {
    Points surface(flesh.shape.surface.vertices.size());
    method->surface(surface);
    return enclosed_volume(surface, flesh.shape.surface.triangles) / 4;
  }
  /// Mean turn of the upper end face about the bar's axis, degrees.
  double end_twist() const {
    Points surface(flesh.shape.surface.vertices.size());
    method->surface(surface);
    double sum = 0, weight = 0;
    const Vec3 end = flesh.options.bones->skeleton.joints.back().position;
    for (std::size_t v = 0; v < surface.size(); ++v) {
      const Vec3 X = flesh.shape.surface.vertices[v] - end;
      if (X.z() < -1e-9 || X.head<2>().norm() < 0.3) continue;
      const Eigen::Vector2d a = X.head<2>(), b = (surface[v] - end).head<2>();
      sum += std::atan2(a.x() * b.y() - a.y() * b.x(), a.dot(b));
      weight += 1;
    }
    return sum / weight * 180 / std::acos(-1.0);
  }
};

inline Bar make_bar(const BarOptions& bar, const Options& options = bar_material(),
                    const Damping& damping = {0, 0}, double density = 1) {
  Bar out{bar_flesh(bar, options), nullptr};
  auto method = build(out.flesh.shape, density, damping, out.flesh.options);
  EXPECT_TRUE(method) << method.error().text();
  out.method = std::move(*method);
  return out;
}

}  // namespace pliant::meshless
