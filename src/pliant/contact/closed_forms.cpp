// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/closed_forms.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

/// Distance to the skin at `radius` around `core`; `spare` is the direction of a point on the core itself.
SurfacePoint around(const Vec3& core, double radius, const Vec3& x, const Vec3& spare) {
  const Vec3 d = x - core;
  const double distance = d.norm();
  const Vec3 normal = distance > 1e-12 * radius ? Vec3(d / distance) : spare;
  return {distance - radius, normal, core + radius * normal, 0};
}

Vec3 perpendicular(const Vec3& axis) {
  Vec3 least = Vec3::Zero();
  Eigen::Index k = 0;
  axis.cwiseAbs().minCoeff(&k);
  least[k] = 1;
  return axis.cross(least).normalized();
}

/// Share of the way from `from` to `to` that is nearest to x, 0 .. 1.
double along(const CapsuleCollider& capsule, const Vec3& x) {
  const Vec3 axis = capsule.to - capsule.from;
  const double length2 = axis.squaredNorm();
  return length2 > 0 ? std::clamp((x - capsule.from).dot(axis) / length2, 0.0, 1.0) : 0;
}

/// Smaller root in 0 .. 1 of a t^2 + 2 b t + c = 0, where the value falls through zero; false when there is
/// none. c >= 0: the segment begins outside.
bool falling_root(double a, double b, double c, double& t) {
  const double discriminant = b * b - a * c;
  if (c < 0 || b >= 0 || discriminant < 0) return false;
  t = c / (-b + std::sqrt(discriminant));  // the stable form: b < 0
  return t <= 1;
}

bool sphere_entry(const Vec3& center, double radius, const Vec3& from, const Vec3& step, double& t) {
  const Vec3 d = from - center;
  return falling_root(step.squaredNorm(), d.dot(step), d.squaredNorm() - radius * radius, t);
}

/// Through the round side of the capsule, between its two end spheres.
bool side_entry(const CapsuleCollider& capsule, const Vec3& from, const Vec3& step, double& t) {
  const Vec3 axis = capsule.to - capsule.from;
  const double length2 = axis.squaredNorm();
  if (length2 == 0) return false;
  const auto across = [&](const Vec3& v) -> Vec3 { return v - (v.dot(axis) / length2) * axis; };
  const Vec3 d = across(from - capsule.from), s = across(step);
  if (!falling_root(s.squaredNorm(), d.dot(s), d.squaredNorm() - capsule.radius * capsule.radius, t))
    return false;
  const double u = (from + t * step - capsule.from).dot(axis) / length2;
  return u >= 0 && u <= 1;
}

/// The touch at a hit: the tangent plane there, and how `to` lies over it.
SurfacePoint at_hit(SurfacePoint hit, const Vec3& to) {
  hit.gap = hit.normal.dot(to - hit.point);
  return hit;
}

/// Which of the 27 regions around a box: -1, 0, 1 along every axis.
Index region(int i, int j, int k) { return (i + 1) + 3 * (j + 1) + 9 * (k + 1); }

Index region(const Vec3& outside) {
  const auto sign = [](double v) { return (v > 0) - (v < 0); };
  return region(sign(outside.x()), sign(outside.y()), sign(outside.z()));
}

/// In the box's own axes, from its centre.
SurfacePoint nearest_face(const Vec3& half, const Vec3& x) {
  Eigen::Index axis = 0;
  const double depth = (half - x.cwiseAbs()).minCoeff(&axis);
  SurfacePoint out{-depth, Vec3::Zero(), x, 0};
  out.normal[axis] = x[axis] < 0 ? -1 : 1;
  out.point[axis] = out.normal[axis] * half[axis];
  out.feature = region(out.normal);
  return out;
}

SurfacePoint nearest_in_axes(const Vec3& half, const Vec3& x) {
  const Vec3 inside = x.cwiseMax(-half).cwiseMin(half), outside = x - inside;
  const double distance = outside.norm();
  if (distance == 0) return nearest_face(half, x);
  return {distance, outside / distance, inside, region(outside)};
}

/// The last of the three slabs that the segment comes into, if that is before it leaves any.
bool slab_entry(const Vec3& half, const Vec3& from, const Vec3& step, double& t, Eigen::Index& axis) {
  double enters = -1, leaves = 2;
  for (Eigen::Index k = 0; k < 3; ++k) {
    if (step[k] == 0) {
      if (std::abs(from[k]) > half[k]) return false;
      continue;
    }
    const double side = step[k] > 0 ? -half[k] : half[k];
    const double in = (side - from[k]) / step[k], out = (-side - from[k]) / step[k];
    if (in > enters) enters = in, axis = k;
    leaves = std::min(leaves, out);
  }
  t = enters;
  return enters >= 0 && enters <= 1 && enters <= leaves;
}

SurfacePoint out_of_axes(const BoxCollider& box, const SurfacePoint& p) {
  return {p.gap, box.rotation * p.normal, box.center + box.rotation * p.point, p.feature};
}

}  // namespace

SurfacePoint nearest(const PlaneCollider& plane, const Vec3& x) {
  const double gap = plane.normal.dot(x - plane.point);
  return {gap, plane.normal, x - gap * plane.normal, 0};
}

SurfacePoint nearest(const SphereCollider& sphere, const Vec3& x) {
  return around(sphere.center, sphere.radius, x, Vec3::UnitY());
}

SurfacePoint nearest(const BoxCollider& box, const Vec3& x) {
  return out_of_axes(box, nearest_in_axes(box.size / 2, box.rotation.transpose() * (x - box.center)));
}

SurfacePoint nearest(const CapsuleCollider& capsule, const Vec3& x) {
  const Vec3 axis = capsule.to - capsule.from;
  return around(capsule.from + along(capsule, x) * axis, capsule.radius, x,
                axis.isZero(0) ? Vec3::UnitY() : perpendicular(axis));
}

bool entry(const SphereCollider& sphere, const Vec3& from, const Vec3& to, SurfacePoint& out) {
  double t = 0;
  if (!sphere_entry(sphere.center, sphere.radius, from, to - from, t)) return false;
  out = at_hit(nearest(sphere, from + t * (to - from)), to);
  return true;
}

bool entry(const BoxCollider& box, const Vec3& from, const Vec3& to, SurfacePoint& out) {
  const Vec3 a = box.rotation.transpose() * (from - box.center),
             step = box.rotation.transpose() * (to - from), half = box.size / 2;
  double t = 0;
  Eigen::Index axis = 0;
  if (!slab_entry(half, a, step, t, axis)) return false;
  SurfacePoint hit{0, Vec3::Zero(), a + t * step, 0};
  hit.normal[axis] = step[axis] > 0 ? -1 : 1;
  hit.feature = region(hit.normal);
  out = at_hit(out_of_axes(box, hit), to);
  return true;
}

bool entry(const CapsuleCollider& capsule, const Vec3& from, const Vec3& to, SurfacePoint& out) {
  // The flat ends of the cylinder lie inside the end spheres, so the first of these three is the first at
  // all.
  if (nearest(capsule, from).gap < 0) return false;
  const Vec3 step = to - from;
  double first = 2, t = 0;
  if (sphere_entry(capsule.from, capsule.radius, from, step, t)) first = std::min(first, t);
  if (sphere_entry(capsule.to, capsule.radius, from, step, t)) first = std::min(first, t);
  if (side_entry(capsule, from, step, t)) first = std::min(first, t);
  if (first > 1) return false;
  out = at_hit(nearest(capsule, from + first * step), to);
  return true;
}

}  // namespace pliant
