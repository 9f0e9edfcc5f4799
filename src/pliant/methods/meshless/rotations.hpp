// SPDX-License-Identifier: Apache-2.0
// The rotations that a solve is given: diffused from the bones (rig.hpp), or polar ones of positions. Those
// of the cells and of the nodes are warm starts of the next step and part of the state.
#pragma once

#include "pliant/methods/meshless/rig.hpp"
#include "pliant/methods/meshless/state.hpp"

namespace pliant::meshless {

class CellRotations {
 public:
  /// All outlive this object.
  CellRotations(const Model& model, const Rig& rig, const PackedCells& cells, const Options& options,
                State& state);

  /// The bones at time t; targets of the points that they hold.
  std::span<const Vec3> pose(double t);
  /// New rotations: of the positions x, or those that the posed bones give.
  void turn(const Points& x, bool polar, Pool& pool);

  /// Nodes have rotations too: warping at nodes and rows.
  bool at_nodes() const { return warping_ == Warping::node || warping_ == Warping::row; }
  /// Of the nodes at the last turn().
  const std::vector<Mat3>& nodes() const { return turned_; }
  /// Of the cells in the matrix: their own where the warping is at cells, else none.
  PackedCells::Quaternions& in_matrix() { return warping_ == Warping::cell ? state_.turned : unturned_; }
  const PackedCells::Quaternions& unturned() const { return unturned_; }

  /// Cells whose blend of rotations had no length at the last turn() and that kept theirs; without those of
  /// parts that no bone reaches.
  int kept() const { return kept_; }
  void count_anew() { kept_ = 0; }
  /// Cells that no bone reaches: they never turn.
  int unreached() const { return unreached_; }

 private:
  /// Of the cells, where the blend of what the bones give to the nodes has a length. Returns how many do not.
  int diffuse(const Float4* bones, Pool& pool);
  void turn_nodes(const Points& x, bool polar);

  const Model& model_;
  const Rig& rig_;
  const PackedCells& cells_;
  const Warping warping_;
  State& state_;
  int kept_ = 0, unreached_ = 0;
  PackedCells::Quaternions unturned_;

  // Scratch.
  Rig::Scratch posed_;
  AlignedVector<Float4> q_nodes_;  // what the bones give to the nodes
  std::vector<Mat3> turned_;
};

}  // namespace pliant::meshless
