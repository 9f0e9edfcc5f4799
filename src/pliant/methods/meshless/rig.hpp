// SPDX-License-Identifier: Apache-2.0
// The skeleton inside the flesh: which nodes it holds, where, and the rotations it gives to all others.
//
// Rotations by diffusion [ZJU06, Eqs. 12-14]: every component q of the quaternions minimises
// 1/2 int |grad q|^2 with the samples' values given at their nodes. By linearity q = W q_samples with the
// influence matrix
//   W = -L_ff^-1 L_fs   (rows of sample nodes: the identity)
// made once (physics/diffusion.hpp); a step is one product. Signs of the samples agree along the skeleton
// (geometry/skeleton.hpp).
#pragma once

#include <optional>

#include "pliant/base/aligned.hpp"
#include "pliant/geometry/bone_samples.hpp"
#include "pliant/methods/meshless/model.hpp"
#include "pliant/physics/elastic_rod.hpp"

namespace pliant::meshless {

/// A shape whose nodes include one at every sample: nodes nearer than half the spacing give way.
Shape with_samples(Shape shape, const Points& samples);

using pliant::bone_setting;
using pliant::BoneSetting;

class Rig {
 public:
  Rig() = default;
  /// The nodes of the model must include the samples (with_samples).
  Rig(const Skeleton& skeleton, const BoneSetting& setting, const Model& model, const MovingLeastSquares& mls,
      Pool& pool);

  /// The skeleton becomes an elastic rod (physics/elastic_rod.hpp) that is `joint_softness` as stiff at
  /// joints; false when it finds no equilibrium for the keys.
  [[nodiscard]] bool make_elastic(double joint_softness);
  /// The skeleton becomes a rod that flesh and weight bend (rod_coupling.hpp).
  void make_loaded(const RodStiffness& stiffness, double joint_softness);
  /// That rod, or null.
  const ElasticRod* rod() const { return rod_ ? &*rod_ : nullptr; }
  /// The rod's node that a row follows, and how far from it the row is at rest, m.
  Index rod_node(Index row) const;
  Vec3 arm(Index row) const;
  /// Bones hold a node off their line: without one flesh spins about them.
  bool grips(double spacing) const;

  bool empty() const { return sample_node_.empty(); }
  Index samples() const { return Index(sample_node_.size()); }
  const BoneSamples& bones() const { return *bones_; }
  const std::vector<Index>& sample_nodes() const { return sample_node_; }
  const AlignedVector<float>& influence() const { return influence_; }  ///< W, row by row
  /// Points of the flesh that the bones hold, from the nodes: samples, then the nodes in thick bones.
  const Gather& rows() const { return rows_; }

  struct Scratch {
    BoneSamples::Scratch bones;
    std::vector<SamplePose> pose;
    AlignedVector<Float4> quaternions;  ///< of the samples: w, x, y, z
    Points targets;                     ///< of rows()
  };
  /// The skeleton at time t, into the scratch.
  void pose(double t, Scratch& scratch) const;
  /// The rod as it is, likewise.
  void pose(const RodState& rod, Scratch& scratch) const;

  /// BoneSamples::drive; not of an elastic skeleton.
  void drive(Index joint, const Vec3& turn, const Vec3& move) { bones_->drive(joint, turn, move); }

  void follow_keys(Index joint) { bones_->follow_keys(joint); }

  std::size_t memory_bytes() const;

 private:
  struct Follower {
    Vec3 X;        ///< m
    Index sample;  ///< that it follows rigidly
  };
  void thicken(const BoneSetting& setting, const Model& model);
  void diffuse(const Model& model, Pool& pool);
  /// Rotations and targets of scratch.pose.
  void follow(Scratch& scratch) const;

  std::optional<BoneSamples> bones_;
  std::vector<Index> sample_node_;
  std::vector<Follower> followers_;
  std::optional<ElasticRod> rod_;
  Gather rows_;
  AlignedVector<float> influence_;
};

}  // namespace pliant::meshless
