// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/skeleton.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// A skeleton to look at: bones as capsules, joints as balls a little thicker. The triangles are the same for
/// every pose of a skeleton. radius: of bones, m.
TriMesh skeleton_surface(const Skeleton& skeleton, const std::vector<JointPose>& pose, double radius);

/// A radius that shows: a hundredth of the skeleton's extent.
double shown_bone_radius(const Skeleton& skeleton);

}  // namespace pliant
