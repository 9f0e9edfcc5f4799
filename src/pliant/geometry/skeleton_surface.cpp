// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/skeleton_surface.hpp"

#include "pliant/base/check.hpp"
#include "pliant/geometry/tube.hpp"

namespace pliant {
TriMesh skeleton_surface(const Skeleton& skeleton, const std::vector<JointPose>& pose, double radius) {
  PLIANT_CHECK(pose.size() == skeleton.joints.size());
  TriMesh out;
  for (const Bone& bone : skeleton.bones()) {
    const Vec3 &a = pose[std::size_t(bone.start)].position, &b = pose[std::size_t(bone.end)].position;
    const Vec3 axis = (b - a).norm() > 0 ? Vec3((b - a).normalized()) : bone.direction;
    add_tube(a, b, axis, radius, out);
  }
  for (const JointPose& joint : pose)
    add_tube(joint.position, joint.position, Vec3(0, 1, 0), 1.8 * radius, out);
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
