// SPDX-License-Identifier: Apache-2.0
// Bones that move finite elements, with the rotations that they diffuse into them: "the method of rotation
// calculation in this paper can be used in finite element frame" [ZJU06].
//
// Nodes follow a sample of the bones rigidly where they lie within the radius of a bone (methods/bones.hpp) or
// are a corner of the tetrahedron that a sample lies in. They are held as pinned nodes are. Their quaternion is
// that of the sample; the other nodes have what diffuses from them with the Laplacian of the elements,
// L_ij = sum_e W g_i . g_j (physics/diffusion.hpp); an element has the normalised sum of its corners'. Elements of
// parts that no bone reaches have polar rotations.
#pragma once

#include <optional>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/methods/bones.hpp"
#include "pliant/methods/fem/energy.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::fem {

class Rig {
 public:
  Rig() = default;
  /// Of a body of tetrahedra.
  Rig(const Skeleton& skeleton, const BoneSetting& setting, const Model& model, bool diffused, Pool& pool);

  bool empty() const { return !bones_; }
  const BoneSamples& bones() const { return *bones_; }
  const std::vector<Index>& nodes() const { return nodes_; }  ///< that bones hold, ascending

  struct Scratch {
    BoneSamples::Scratch bones;
    std::vector<SamplePose> pose;
    AlignedVector<Float4> samples, nodes;  ///< quaternions: w, x, y, z
    std::vector<Index> held;
    Points targets;
  };
  /// Holds the nodes of the bones, too, where they are at input.time. A node that is held already stays so.
  StepInput with_bones(const StepInput& input, Scratch& scratch) const;
  /// One byte an element of a rig with diffused rotations: the bones reach it. Parts without a bone they do not.
  std::vector<unsigned char> reached(const Model& model) const;
  /// Rotations, at this time, of the elements whose rotation is given. Those whose corners' quaternions cancel
  /// keep theirs; returns how many do.
  int turn(const Model& model, double time, Scratch& scratch, Rotations& rotations, Pool& pool) const;

  std::size_t memory_bytes() const;

 private:
  /// The blend of these quaternions of the samples at every node.
  void blend(std::span<const Float4> samples, AlignedVector<Float4>& nodes, Pool& pool) const;

  std::optional<BoneSamples> bones_;
  std::vector<Index> nodes_, sample_;  ///< held, and the sample that each follows
  Points rest_;                        ///< of nodes_, m
  AlignedVector<float> influence_;     ///< of the samples on every node, row by row
};

}  // namespace pliant::fem
