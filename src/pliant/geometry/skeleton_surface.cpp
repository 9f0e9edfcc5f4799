// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/skeleton_surface.hpp"

#include <cmath>
#include <numbers>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

constexpr Index around = 12,
                rings = 4;  // vertices of a ring; rings of half a ball, pole and equator included

/// Half a ball at each of two ends and what joins them; a ball when both are the same.
void add_capsule(const Vec3& a, const Vec3& b, const Vec3& axis, double radius, TriMesh& out) {
  Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Vec3 side = axis.cross(Vec3::Unit(least)).normalized(), other = axis.cross(side);
  const Index first = Index(out.vertices.size());
  for (Index ring = 0; ring < 2 * rings; ++ring) {
    const bool start = ring < rings;
    const double up = (start ? ring - (rings - 1) : ring - rings) * std::numbers::pi / 2 / (rings - 1);
    for (Index k = 0; k < around; ++k) {
      const double turn = 2 * std::numbers::pi * k / around;
      out.vertices.push_back(
          (start ? a : b) +
          radius * (std::sin(up) * axis + std::cos(up) * (std::cos(turn) * side + std::sin(turn) * other)));
    }
  }
  for (Index ring = 0; ring + 1 < 2 * rings; ++ring)
    for (Index k = 0; k < around; ++k) {
      const Index p = first + ring * around + k, q = first + ring * around + (k + 1) % around;
      out.triangles.push_back({p, q, q + around});
      out.triangles.push_back({p, q + around, p + around});
    }
}

}  // namespace

TriMesh skeleton_surface(const Skeleton& skeleton, const std::vector<JointPose>& pose, double radius) {
  PLIANT_CHECK(pose.size() == skeleton.joints.size());
  TriMesh out;
  for (const Bone& bone : skeleton.bones()) {
    const Vec3 &a = pose[std::size_t(bone.start)].position, &b = pose[std::size_t(bone.end)].position;
    const Vec3 axis = (b - a).norm() > 0 ? Vec3((b - a).normalized()) : bone.direction;
    add_capsule(a, b, axis, radius, out);
  }
  for (const JointPose& joint : pose)
    add_capsule(joint.position, joint.position, Vec3(0, 1, 0), 1.8 * radius, out);
  return out;
}

double shown_bone_radius(const Skeleton& skeleton) {
  PLIANT_CHECK(!skeleton.joints.empty());
  Vec3 low = skeleton.joints.front().position, high = low;
  for (const Joint& joint : skeleton.joints) {
    low = low.cwiseMin(joint.position);
    high = high.cwiseMax(joint.position);
  }
  return 0.01 * (high - low).norm();
}

}  // namespace pliant
