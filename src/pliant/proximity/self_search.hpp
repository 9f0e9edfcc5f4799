// SPDX-License-Identifier: Apache-2.0
// Which vertices and triangles, and which edges, of a surface come near each other in a step: all pairs without a
// common vertex that are not left out for good. Those are near places where the mesh passes through itself at rest, or
// touches itself. There nobody can say which side is which: the surface around such a place does not meet itself at
// that place, but everything else, and itself elsewhere.
#pragma once

#include <span>
#include <vector>

#include "pliant/proximity/crossing.hpp"
#include "pliant/proximity/pair_search.hpp"
#include "pliant/proximity/self_clearance.hpp"

namespace pliant {

class SelfSearch {
 public:
  SelfSearch(std::span<const Vec3> rest, std::span<const Triangle> triangles);

  /// What the mesh has of itself at rest.
  struct Flaws {
    Index crossings = 0;  ///< edges through triangles, or as good as touching triangles and edges
    Index places = 0;     ///< where they lie together
  };
  const Flaws& flaws() const { return flaws_; }
  double size() const { return size_; }  ///< largest edge of the bounding box at rest, m

  /// Pairs that may come nearer than 2 `reach` on the straight ways. What all vertices share in their ways brings
  /// nothing nearer, so fast bodies find no more than slow ones.
  void find(std::span<const Vec3> begin, std::span<const Vec3> end, double reach, PairCandidates& out);
  /// Edges that pass through triangles at x, without those left out.
  bool crosses(std::span<const Vec3> x);
  /// The distance that a pair keeps: delta, or 0.9 of what it has at rest where that is less. So no pair has to be left
  /// out because it is near by the make of the mesh.
  double kept(PairKind kind, const std::array<Index, 4>& vertex, double delta) const;

  /// No pair is nearer than it keeps anywhere on the straight ways. False: not known. What is remembered for it makes
  /// it faster and changes no result: whoever searches where it is false finds a pair or finds none.
  bool clear(std::span<const Vec3> begin, std::span<const Vec3> end, double delta);
  /// Positions have nothing to do with those before.
  void forget() { clearance_.forget(), wait_ = patience_ = 0; }

 private:
  void leave_out_flaws(std::span<const Triangle> triangles);
  /// All four vertices lie around the same place.
  bool left_out(Index a, Index b, Index c, Index d) const {
    const Index place = place_[std::size_t(a)];
    return place >= 0 && place == place_[std::size_t(b)] && place == place_[std::size_t(c)] &&
           place == place_[std::size_t(d)];
  }
  bool left_out(Index vertex, const Triangle& t) const { return left_out(vertex, t[0], t[1], t[2]); }
  void remember(std::span<const Vec3> x, double delta);

  Points rest_;
  double size_ = 0;
  MovingSurface surface_;
  std::vector<Index> place_;  // of a vertex: near which place it lies, or -1
  Flaws flaws_;
  PairSearch search_;
  CrossingSearch crossing_search_;
  SelfClearance clearance_;
  int wait_ = 0, patience_ = 0;  // steps until the clearance is measured again, after it was of no use
  Points shifted_;
  PairCandidates found_;
  std::vector<EdgeCrossing> crossings_;
};

}  // namespace pliant
