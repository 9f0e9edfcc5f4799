// SPDX-License-Identifier: Apache-2.0
// A tree of joints with keyframed turns: what poses a body from inside. Everything is said relative to the
// rest pose and in its axes: a joint has a rest position and no rest frame, so that at rest every rotation is
// the identity. D_j, the rotation of the rest material that follows joint j, and its position x_j are
//
//   D_j = D_p exp(v_j),     x_j = x_p + D_p (X_j - X_p + m_j)          p the parent of j
//
// v_j the joint's turn (a rotation vector, continuous in time: two full turns are 4 pi, not 0) and m_j its
// move. Quaternions are lifted: exp(v) and exp(v + one turn) have opposite signs, so that nothing jumps in
// sign while a joint turns [ZJU06, section "Diffusion based rotation calculation"].
#pragma once

#include <string>

#include "pliant/base/types.hpp"

namespace pliant {

using Quat = Eigen::Quaterniond;

/// (cos |v|/2, sin |v|/2 v/|v|): continuous in v, period 4 pi.
Quat lifted_rotation(const Vec3& turn);
/// The v with lifted_rotation(v) = q, sign included, that is nearest to `near`.
Vec3 turn_near(const Quat& q, const Vec3& near);

/// How a channel goes from key to key: holds (step); straight, quaternions on the great circle (linear); the
/// same with s^2 (3 - 2 s) for the fraction s, so that it stops at every key (smooth); Hermite (cubic).
enum class Interpolation { step, linear, smooth, cubic };

/// Turns at times. Before the first key the first, after the last the last; no keys: none.
struct TurnKeys {
  Interpolation interpolation = Interpolation::smooth;
  std::vector<double> times;  ///< s, ascending
  Points turns;               ///< rad, rotation vectors in the axes of the rest pose; see align_turns
  /// For cubic: d/dt of the quaternion (x, y, z, w) arriving at and leaving each key, 1/s.
  std::vector<Eigen::Vector4d> in, out;

  /// Parallel turns interpolate their angle, however many full turns lie between; others follow the great
  /// circle between their lifted quaternions.
  Vec3 at(double t) const;
};

/// Moves at times, m, in the axes of the rest pose and turned with the parent.
struct MoveKeys {
  Interpolation interpolation = Interpolation::smooth;
  std::vector<double> times;  ///< s, ascending
  Points moves;               ///< m
  Points in, out;             ///< for cubic, m/s

  Vec3 at(double t) const;
};

/// Turns from quaternions that are keys in a file, where q and -q are the same: each is reached from the one
/// before on the shorter way.
Points align_turns(const std::vector<Quat>& rotations);

struct Joint {
  std::string name;
  Index parent = -1;       ///< before the joint in the list; -1 = a root
  Vec3 position{0, 0, 0};  ///< at rest, m
  double radius = 0;       ///< of the limb here (distance to the surface), m; 0 = unknown
  TurnKeys turns;
  MoveKeys moves;
};

/// A joint at a time.
struct JointPose {
  Quat rotation = Quat::Identity();  ///< D_j, lifted
  Vec3 position{0, 0, 0};            ///< x_j, m
  Vec3 turn{0, 0, 0};                ///< v_j, rad
  Vec3 move{0, 0, 0};                ///< m_j, m
};

/// A bone is the segment from a joint to one of its children; it follows the joint at its start.
struct Bone {
  Index start = 0, end = 0;  ///< joints; start is the parent of end
  double length = 0;         ///< at rest, m
  Vec3 direction{1, 0, 0};   ///< at rest, from start to end
};

/// Functions of a skeleton with problems (check_skeleton) end in the check handler.
struct Skeleton {
  std::vector<Joint> joints;  ///< parents before children

  /// Forward kinematics. Allocates only when `out` has another size.
  void pose(double t, std::vector<JointPose>& out) const;
  std::vector<JointPose> pose(double t) const;

  /// One a joint with a parent, in the order of the joints. Joints at the place of their parent have none.
  std::vector<Bone> bones() const;
  /// Time of the last key, s; 0 without keys.
  double duration() const;
};

/// Makes a skeleton of another unit, axes or place: positions p -> rotation scale p + translation; radii,
/// turns and moves follow.
void transform(Skeleton& skeleton, double scale, const Mat3& rotation, const Vec3& translation);

}  // namespace pliant
