// SPDX-License-Identifier: Apache-2.0
// The light of the pictures: one large key light over the viewer's shoulder, a bright room around, and a
// floor that runs without a seam into the backdrop.
#pragma once

#include "pliant/render/camera.hpp"
#include "pliant/render/color.hpp"

namespace pliant {

using Vec3f = Eigen::Vector3f;

struct Studio {
  Vec3f key_direction, key_across, key_up;  ///< orthonormal; towards the light
  float key_radius = 0.16f;                 ///< tangent of half the angle the light fills: soft shadows
  explicit Studio(const Camera& camera);

  /// Direction to a point of the light, u and v in 0 .. 1 spread evenly.
  Vec3f towards_key(float u, float v) const;
  /// Light from the room on a surface of this normal, nothing in the way.
  Color sky(const Vec3f& normal) const;
  /// What a glossy surface mirrors in this direction.
  Color mirrored(const Vec3f& direction) const;
  /// Backdrop at a place of the picture, x and y in -1 .. 1.
  Color backdrop(float x, float y) const;
};

/// Light a surface sends to the eye, split by where it comes from, each as if nothing were in the way.
struct Reflected {
  Color key, sky;
};
/// A soft, slightly glossy, slightly translucent material. view points to the eye.
Reflected reflect(const Studio& studio, const Color& albedo, const Vec3f& normal, const Vec3f& view);

/// How much of the sky arrives when a share of it is open and the surroundings, of this albedo, pass light
/// on.
Color open_sky(float share, const Color& albedo);

}  // namespace pliant
