// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/weld.hpp"

#include <cmath>

namespace pliant {
namespace {

/// Points that stand for others, in a hash grid. A cell is wider than the tolerance: mostly one cell is
/// asked, and yet a cell holds few points, because points that stand for themselves keep their distance.
class WeldGrid {
 public:
  WeldGrid(const Points& points, const Vec3& low, double tolerance, std::size_t count)
      : points_(points), low_(low), tolerance_(tolerance), cell_(8 * tolerance) {
    std::size_t size = 16;
    while (size < 2 * count) size *= 2;
    first_.assign(size, -1);
    next_.assign(points.size(), -1);
    key_.resize(points.size());
  }

  /// The nearest within the tolerance, ties to the earliest; -1: none.
  Index nearest(const Vec3& p) const {
    std::int64_t from[3], to[3];
    for (int axis = 0; axis < 3; ++axis) {
      from[axis] = cell(p[axis] - tolerance_, axis);
      to[axis] = cell(p[axis] + tolerance_, axis);
    }
    Index best = -1;
    double best_squared = tolerance_ * tolerance_;
    for (std::int64_t x = from[0]; x <= to[0]; ++x)
      for (std::int64_t y = from[1]; y <= to[1]; ++y)
        for (std::int64_t z = from[2]; z <= to[2]; ++z) ask(key(x, y, z), p, best, best_squared);
    return best;
  }

  void add(Index i) {
    const Vec3& p = points_[i];
    key_[i] = key(cell(p.x(), 0), cell(p.y(), 1), cell(p.z(), 2));
    Index& head = first_[slot(key_[i])];
    next_[i] = head;
    head = i;
  }

 private:
  std::int64_t cell(double x, int axis) const { return std::int64_t(std::floor((x - low_[axis]) / cell_)); }
  static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    return std::uint64_t(x + 1) << 42 ^ std::uint64_t(y + 1) << 21 ^ std::uint64_t(z + 1);
  }
  std::size_t slot(std::uint64_t key) const {
    key *= 0x9e3779b97f4a7c15u;
    return (key ^ key >> 32) & (first_.size() - 1);
  }
  void ask(std::uint64_t key, const Vec3& p, Index& best, double& best_squared) const {
    for (Index i = first_[slot(key)]; i >= 0; i = next_[i]) {
      if (key_[i] != key) continue;
      const double squared = (points_[i] - p).squaredNorm();
      if (squared < best_squared || (squared == best_squared && (best < 0 || i < best))) {
        best = i;
        best_squared = squared;
      }
    }
  }

  const Points& points_;
  Vec3 low_;
  double tolerance_, cell_;
  std::vector<Index> first_, next_;
  std::vector<std::uint64_t> key_;
};

}  // namespace

std::vector<Index> weld(const Points& points, const std::vector<char>& used, double tolerance) {
  std::vector<Index> stands_for(points.size(), -1);
  Eigen::AlignedBox3d box;
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (used[i]) {
      box.extend(points[i]);
      ++count;
    }
  if (count == 0) return stands_for;
  WeldGrid grid(points, box.min(), tolerance, count);
  for (Index i = 0; i < Index(points.size()); ++i) {
    if (!used[i]) continue;
    const Index other = grid.nearest(points[i]);
    stands_for[i] = other >= 0 ? other : i;
    if (other < 0) grid.add(i);
  }
  return stands_for;
}

}  // namespace pliant
