// SPDX-License-Identifier: Apache-2.0
// Points in cubic cells, for the nearest of them: even sets (lattices, surface samples) need no tree.
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

class NodeGrid {
 public:
  /// For points between low and high; others land in the outermost cells and are found all the same. The cell
  /// is enlarged until there are at most two million.
  NodeGrid(const Vec3& low, const Vec3& high, double cell);
  NodeGrid(const Points& points, double cell);

  /// Points are numbered in the order of insertion.
  void insert(const Vec3& point);
  Index size() const { return Index(items_.size()); }

  struct Found {
    double squared = 0;  ///< squared distance
    Index id = -1;
    /// Distances that differ by rounding are ties: lattices are full of them.
    bool operator<(const Found& o) const {
      const float mine = float(squared), other = float(o.squared);
      return mine != other ? mine < other : id < o.id;
    }
  };
  /// Up to `count` points within the distance, the nearest first (ties: the lowest number). Replaces `out`.
  void nearest(const Vec3& p, int count, double within, std::vector<Found>& out) const;

 private:
  std::array<Index, 3> cell_of(const Vec3& p) const;
  double squared_gap(const Vec3& p, int axis, Index c) const;
  Index& head(const std::array<Index, 3>& c) {
    return head_[(std::size_t(c[2]) * dims_[1] + c[1]) * dims_[0] + c[0]];
  }
  Index head(const std::array<Index, 3>& c) const {
    return head_[(std::size_t(c[2]) * dims_[1] + c[1]) * dims_[0] + c[0]];
  }

  Vec3 low_;
  double cell_;
  std::array<Index, 3> dims_{1, 1, 1};
  struct Item {
    Vec3 point;
    Index next;  ///< in the same cell
  };
  std::vector<Index> head_;  ///< the points of a cell, as a list
  std::vector<Item> items_;
};

}  // namespace pliant
