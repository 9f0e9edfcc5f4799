// SPDX-License-Identifier: Apache-2.0
// Distance to plane, sphere, box and capsule, in the coordinates the collider was written in.
#pragma once

#include "pliant/contact/collider.hpp"

namespace pliant {

/// A place on the surface of a collider, seen from a point.
struct SurfacePoint {
  double gap = 0;        ///< m, signed distance of the point that asked, < 0 inside
  Vec3 normal{0, 1, 0};  ///< outward
  Vec3 point{0, 0, 0};   ///< on the surface, m
  Index feature = 0;
};

/// The nearest point of the surface: exact outside; inside a box the nearest face.
SurfacePoint nearest(const PlaneCollider& plane, const Vec3& x);
SurfacePoint nearest(const SphereCollider& sphere, const Vec3& x);
SurfacePoint nearest(const BoxCollider& box, const Vec3& x);
SurfacePoint nearest(const CapsuleCollider& capsule, const Vec3& x);

/// Where the segment first comes in from outside; gap is that of `to` over the tangent plane there. A segment
/// that begins inside does not come in. (A plane needs none: how a point lies to it is always told.)
bool entry(const SphereCollider& sphere, const Vec3& from, const Vec3& to, SurfacePoint& out);
bool entry(const BoxCollider& box, const Vec3& from, const Vec3& to, SurfacePoint& out);
bool entry(const CapsuleCollider& capsule, const Vec3& from, const Vec3& to, SurfacePoint& out);

}  // namespace pliant
