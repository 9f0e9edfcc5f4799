// SPDX-License-Identifier: Apache-2.0
// Keyframed rigid motion: where a handle is at time t.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// A turn about an axis. More than a full turn is allowed.
struct Turn {
  Vec3 axis{0, 1, 0};  ///< any length but zero
  double degrees = 0;
};
/// The identity for a turn without an axis or an angle: zero, or not finite.
Mat3 rotation_matrix(const Turn& turn);

/// The pose at a time, relative to the start.
struct MotionKey {
  double time = 0;          ///< s
  Vec3 translate{0, 0, 0};  ///< m
  Turn rotate{};
};

enum class Ease { smooth, linear };

struct Pose {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation{0, 0, 0};  ///< m
};

/// Where a time falls among keys: s of the way from key a to key b, eased.
struct BetweenKeys {
  std::size_t a = 0, b = 0;
  double s = 0;
};

struct Motion {
  std::vector<MotionKey> keys;  ///< by ascending time; none = at rest
  Ease ease = Ease::smooth;

  /// The pose at time t: the first key's before it, the last key's after it. Between two keys, with s the
  /// fraction of the time between them (smooth: s^2 (3 - 2 s), so that the handle stops at every key),
  /// translations are interpolated linearly. Turns about the same axis interpolate the angle, so that several
  /// full turns are possible; turns about different axes go the shortest way (slerp).
  Pose at(double t) const;
  /// The keys beside time t; before the first and after the last key a = b. A time that is no number is before
  /// the first. Without keys all are 0.
  BetweenKeys between(double t) const;
};

/// What is wrong with a motion: numbers that are not finite, axes of length zero, times that do not ascend. `place`
/// stands before each problem's own.
std::vector<Problem> check_motion(const Motion& motion, const std::string& place = {});

}  // namespace pliant
