// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "pliant/base/types.hpp"

namespace pliant {

/// A pinhole camera.
struct Camera {
  Vec3 eye{0, 0, 5};                                    ///< m
  Vec3 right{1, 0, 0}, up{0, 1, 0}, forward{0, 0, -1};  ///< orthonormal
  double half_height = 0.25;                            ///< tangent of half the vertical field of view

  /// Where a point lands: x right, y up, both -1 .. 1 inside the picture of that aspect (width / height).
  Eigen::Vector2d project(const Vec3& point, double aspect) const;
};

/// From where one looks at the bodies.
struct View {
  double azimuth = 35;    ///< degrees around y; 0 looks along -z, positive moves the eye towards +x
  double elevation = 18;  ///< degrees above the horizon, -89 .. 89
  double zoom = 1;        ///< 2 = the bodies twice as large as when they just fit
  double field = 26;      ///< degrees, the whole vertical field of view
  double margin = 0.12;   ///< share of the picture left free on each side at zoom 1
};

/// The camera that just holds all points it was shown. Points come in any number of lots (the frames of a
/// run).
class Framing {
 public:
  Framing(const View& view, double aspect);
  void add(std::span<const Vec3> points);
  Camera camera() const;

 private:
  View view_;
  Camera camera_;
  Eigen::Vector2d slope_;       // tangent of the half field inside the margins, across and up
  Eigen::Vector2d high_, low_;  // max of (c + z slope) and of (-c + z slope), c the coordinate across or up
  double nearest_;              // largest z: no point may end up behind the eye
};

}  // namespace pliant
