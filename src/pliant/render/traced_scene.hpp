// SPDX-License-Identifier: Apache-2.0
// The bodies as Embree sees them: nearest hit for eye rays, occlusion for lots of eight light rays.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

struct TracedHit {
  int body = 0;
  Index triangle = 0;
  float distance = 0;
  float u = 0, v = 0;  ///< weights of the triangle's second and third corner
};

/// Eight light rays, traced together.
struct alignas(32) LightRays {
  static constexpr int lanes = 8;
  std::array<float, lanes> ox, oy, oz, dx, dy, dz, near, far;
  std::array<bool, lanes> blocked;

  void set(int lane, const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float from, float to);
};

class TracedScene {
 public:
  TracedScene();
  ~TracedScene();
  TracedScene(TracedScene&&) noexcept;

  /// Returns the index of the body.
  int add(const Points& positions, const std::vector<Triangle>& triangles);
  void move(int body, const Points& positions);
  /// No ray meets the body any more.
  void hide(int body);
  /// Rebuilds the hierarchy after add and move.
  void commit();

  std::optional<TracedHit> nearest(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction) const;
  void occlude(LightRays& rays) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant
