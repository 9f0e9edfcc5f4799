// SPDX-License-Identifier: Apache-2.0
// A tree of boxes over things that move: built once where they rest, refitted bottom-up where they are. The
// boxes lie on the axes. What a tree finds depends on the boxes of the things alone, never on its shape.
#pragma once

#include <compare>
#include <limits>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

/// A box on the axes; touching counts as overlapping.
struct MotionBox {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void add(const Vec3& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  void add(const MotionBox& other) {
    low = low.cwiseMin(other.low);
    high = high.cwiseMax(other.high);
  }
  bool overlaps(const MotionBox& o) const {
    return low.x() <= o.high.x() && o.low.x() <= high.x() && low.y() <= o.high.y() && o.low.y() <= high.y() &&
           low.z() <= o.high.z() && o.low.z() <= high.z();
  }
};

/// First of one tree (or surface), second of the other.
struct IndexPair {
  Index first = 0, second = 0;
  auto operator<=>(const IndexPair&) const = default;
};

class BoxTree {
 public:
  BoxTree() = default;
  /// One leaf a box. The shape of the tree is good near these boxes.
  explicit BoxTree(std::span<const MotionBox> rest);

  /// New boxes for the same things, in the same order.
  void refit(std::span<const MotionBox> boxes);

  /// All pairs (thing here, thing there) whose boxes overlap, in an order that depends only on the boxes both
  /// trees were built and refitted with. Replaces what `out` held. The trees' boxes are in single precision,
  /// rounded outwards: pairs that miss each other by that little are found, too.
  void pairs_with(const BoxTree& other, std::vector<IndexPair>& out) const;
  /// All pairs of two different things of this tree, first < second.
  void pairs_within(std::vector<IndexPair>& out) const;

  /// Around everything; empty (low above high) without things.
  MotionBox bounds() const;
  Index size() const { return things_; }

 private:
  /// Both halves are read as four lanes; `child` and `unused` are compared by nobody.
  struct alignas(16) Node {
    float low[3];
    Index child;  ///< the first of two that lie side by side; of a leaf: ~thing
    float high[3];
    Index unused;
  };
  static bool overlap(const Node& a, const Node& b);
  void build(std::span<const MotionBox> rest);

  std::vector<Node> nodes_;  ///< a parent stands before its children
  Index things_ = 0;
};

}  // namespace pliant
