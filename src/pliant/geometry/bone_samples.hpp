// SPDX-License-Identifier: Apache-2.0
// Points along the bones of a skeleton, with the place and the rotation that the flesh around them takes
// [ZJU06, section "Skeleton construction and deformation"]. A joint's turn is parted in two: what is about
// the bone that arrives (twist) grows linearly along that bone; the rest (bend) happens at the joint, over a
// zone on both sides of it: the bones run along a circular arc there that keeps their length, so that flesh
// in the crook is not cut by a sharp corner. Without a zone a sample at the joint turns half way.
#pragma once

#include <utility>

#include "pliant/geometry/skeleton.hpp"

namespace pliant {

struct BoneSampleOptions {
  double spacing = 0;  ///< largest distance along a bone, m
  double zone = 0;     ///< length of bone on each side of a joint that bends with it, m; 0 = sharp joints
};

struct BoneSample {
  Index bone = -1;    ///< of bones(); a sample at a joint: the bone that arrives; at a root: one that leaves
  double along = 0;   ///< 0 at the start of the bone, 1 at its end
  Vec3 X{0, 0, 0};    ///< at rest, m
  double radius = 0;  ///< of the limb, m; 0 = unknown
};

/// A sample at a time.
struct SamplePose {
  Vec3 x{0, 0, 0};                   ///< m
  Quat rotation = Quat::Identity();  ///< of the rest material here, lifted: neighbours agree in sign
};

/// Rest material at X near a sample that follows it rigidly.
inline Vec3 carried(const SamplePose& pose, const BoneSample& sample, const Vec3& X) {
  return pose.x + pose.rotation * (X - sample.X);
}

class BoneSamples {
 public:
  /// One sample at every joint that has a bone, the others evenly between. The zone is cut at 0.45 of the
  /// shortest bone at a joint.
  BoneSamples(Skeleton skeleton, const BoneSampleOptions& options);

  const Skeleton& skeleton() const { return skeleton_; }
  const std::vector<Bone>& bones() const { return bones_; }
  const std::vector<BoneSample>& samples() const { return samples_; }
  /// The sample before each on the way from its root, -1 = none.
  const std::vector<Index>& before() const { return before_; }

  /// Where a pose is worked out; keep one, so that posing allocates nothing.
  struct Scratch {
    std::vector<JointPose> joints;
  };
  /// All samples at time t.
  void pose(double t, Scratch& scratch, std::vector<SamplePose>& out) const;

  /// The motion is no longer that of the joints but these poses at these times (ascending, one a sample and
  /// time), held before and after, interpolated between.
  void record(std::vector<double> times, std::vector<std::vector<SamplePose>> poses);

  /// From now on the joint has this turn and this move at all times, in place of its keys.
  void drive(Index joint, const Vec3& turn, const Vec3& move);
  /// Its keys again.
  void follow_keys(Index joint);
  bool is_recorded() const { return !times_.empty(); }

  /// Largest angle between the rotations of samples next to each other, rad. Diffused rotations need it below
  /// pi; a finer spacing and a wider zone make it smaller.
  double largest_step(const std::vector<SamplePose>& poses) const;

 private:
  void recorded(double t, std::vector<SamplePose>& out) const;
  SamplePose along_bone(const Bone& bone, double s, const std::vector<JointPose>& joints) const;

  Skeleton skeleton_;
  std::vector<std::pair<Index, Joint>> keyed_;  ///< driven joints as they were
  std::vector<Bone> bones_;
  std::vector<Index> arriving_;  ///< bone that ends at a joint, -1 = none
  std::vector<char> leaf_;       ///< no bone leaves the joint
  std::vector<double> zone_;     ///< of a joint, m
  std::vector<BoneSample> samples_;
  std::vector<Index> before_;
  std::vector<double> times_;  ///< of the record, if there is one
  std::vector<std::vector<SamplePose>> record_;
};

}  // namespace pliant
