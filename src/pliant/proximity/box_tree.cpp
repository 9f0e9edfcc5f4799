// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/box_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace pliant {
namespace {

constexpr int bins = 16;
/// Below this many splits the surface area heuristic may be lopsided; then halves: the depth is at most 48 + 31.
constexpr int most_free_splits = 48;
/// Of pairs: a walk down two trees holds one more for each level of both, within one tree two more.
constexpr int most_waiting = 512;

double half_area(const MotionBox& box) {
  const Vec3 e = box.high - box.low;
  return e.x() * e.y() + e.y() * e.z() + e.z() * e.x();
}

/// Rounded to single precision on the safe side, by 2^-23 of itself or the least normal number.
float rounded_down(double value) { return float(value - (std::abs(value) * 0x1p-23 + 0x1p-126)); }
float rounded_up(double value) { return float(value + (std::abs(value) * 0x1p-23 + 0x1p-126)); }

struct TreeItem {
  MotionBox box;
  Index thing;
  Vec3 twice_centre() const { return box.low + box.high; }
};
using TreeItems = std::span<TreeItem>;

struct TreeSplit {
  int axis = -1, bin = 0;  ///< the right side begins with this bin
  double cost = std::numeric_limits<double>::infinity();
};

/// Which bin a thing falls into along an axis.
struct TreeBins {
  double low, per_bin;
  TreeBins(TreeItems items, int axis) {
    double high = low = items.front().twice_centre()[axis];
    for (const TreeItem& item : items) {
      low = std::min(low, item.twice_centre()[axis]);
      high = std::max(high, item.twice_centre()[axis]);
    }
    per_bin = high > low ? bins * 0.9999 / (high - low) : 0;
  }
  bool flat() const { return !(per_bin > 0) || !std::isfinite(per_bin); }
  int of(const TreeItem& item, int axis) const { return int((item.twice_centre()[axis] - low) * per_bin); }
};

/// Least sum of (half area of the box) x (things in it) over the two sides.
TreeSplit cheapest_split(TreeItems items, int axis) {
  TreeSplit best;
  const TreeBins place(items, axis);
  if (place.flat()) return best;
  MotionBox box[bins];
  Index count[bins] = {};
  for (const TreeItem& item : items) {
    const int b = place.of(item, axis);
    box[b].add(item.box);
    ++count[b];
  }
  double right_cost[bins];
  MotionBox right, left;
  Index right_count = 0, left_count = 0;
  for (int b = bins - 1; b > 0; --b) {
    right.add(box[b]);
    right_count += count[b];
    right_cost[b] = right_count > 0 ? half_area(right) * right_count : -1;
  }
  for (int b = 1; b < bins; ++b) {
    left.add(box[b - 1]);
    left_count += count[b - 1];
    if (left_count == 0 || right_cost[b] < 0) continue;
    const double cost = half_area(left) * left_count + right_cost[b];
    if (cost < best.cost) best = {axis, b, cost};
  }
  return best;
}

/// In halves along the axis on which the centres spread most; equal centres by number.
std::size_t halve(TreeItems items) {
  MotionBox centres;
  for (const TreeItem& item : items) centres.add(item.twice_centre());
  int axis = 0;
  (centres.high - centres.low).maxCoeff(&axis);
  const std::size_t middle = items.size() / 2;
  std::nth_element(items.begin(), items.begin() + std::ptrdiff_t(middle), items.end(),
                   [axis](const TreeItem& a, const TreeItem& b) {
                     const double ca = a.twice_centre()[axis], cb = b.twice_centre()[axis];
                     return ca != cb ? ca < cb : a.thing < b.thing;
                   });
  return middle;
}

/// Reorders the items; returns how many belong to the left side, at least one and not all.
std::size_t split(TreeItems items, int splits_above) {
  if (items.size() > 2 && splits_above < most_free_splits) {
    TreeSplit best;
    for (int axis = 0; axis < 3; ++axis)
      if (const TreeSplit found = cheapest_split(items, axis); found.cost < best.cost) best = found;
    if (best.axis >= 0) {
      const TreeBins place(items, best.axis);
      const auto right = std::partition(items.begin(), items.end(), [&](const TreeItem& item) {
        return place.of(item, best.axis) < best.bin;
      });
      return std::size_t(right - items.begin());
    }
  }
  return halve(items);
}

}  // namespace

bool BoxTree::overlap(const Node& a, const Node& b) {
#ifdef __SSE2__
  const auto four = [](const Node& node, int half) {
    return _mm_load_ps(reinterpret_cast<const float*>(&node) + 4 * half);
  };
  const __m128 below = _mm_cmple_ps(four(a, 0), four(b, 1));
  const __m128 above = _mm_cmple_ps(four(b, 0), four(a, 1));
  return (_mm_movemask_ps(_mm_and_ps(below, above)) & 7) == 7;
#else
  bool all = true;
  for (int axis = 0; axis < 3; ++axis)
    all = all && a.low[axis] <= b.high[axis] && b.low[axis] <= a.high[axis];
  return all;
#endif
}

BoxTree::BoxTree(std::span<const MotionBox> rest) : things_(Index(rest.size())) {
  if (rest.empty()) return;
  build(rest);
  refit(rest);
}

void BoxTree::build(std::span<const MotionBox> rest) {
  std::vector<TreeItem> items(rest.size());
  for (std::size_t i = 0; i < rest.size(); ++i) items[i] = {rest[i], Index(i)};
  struct Task {
    TreeItems items;
    Index node;
    int splits;  ///< above it
  };
  nodes_.reserve(2 * rest.size() - 1);
  nodes_.push_back({});
  std::vector<Task> tasks = {{items, 0, 0}};
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    if (task.items.size() == 1) {
      nodes_[task.node].child = ~task.items.front().thing;
      continue;
    }
    const std::size_t left = split(task.items, task.splits);
    const Index child = Index(nodes_.size());
    nodes_[task.node].child = child;
    nodes_.resize(nodes_.size() + 2);
    tasks.push_back({task.items.subspan(left), child + 1, task.splits + 1});
    tasks.push_back({task.items.first(left), child, task.splits + 1});
  }
}

void BoxTree::refit(std::span<const MotionBox> boxes) {
  PLIANT_CHECK(Index(boxes.size()) == things_);
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
    if (node->child < 0) {
      const MotionBox& box = boxes[~node->child];
      for (int axis = 0; axis < 3; ++axis) {
        node->low[axis] = rounded_down(box.low[axis]);
        node->high[axis] = rounded_up(box.high[axis]);
      }
    } else {
      const Node &a = nodes_[node->child], &b = nodes_[node->child + 1];
      for (int axis = 0; axis < 3; ++axis) {
        node->low[axis] = std::min(a.low[axis], b.low[axis]);
        node->high[axis] = std::max(a.high[axis], b.high[axis]);
      }
    }
  }
}

namespace {

struct WaitingPair {
  Index a, b;
};

template <class Node>
float extent(const Node& n) {
  return (n.high[0] - n.low[0]) + (n.high[1] - n.low[1]) + (n.high[2] - n.low[2]);
}

/// Of two boxes that overlap the larger one is opened.
template <class Node>
bool opens_first(const Node& a, const Node& b) {
  return b.child < 0 || (a.child >= 0 && extent(a) >= extent(b));
}

}  // namespace

void BoxTree::pairs_with(const BoxTree& other, std::vector<IndexPair>& out) const {
  out.clear();
  if (nodes_.empty() || other.nodes_.empty()) return;
  WaitingPair stack[most_waiting];
  int waiting = 0;
  const auto offer = [&](Index a, Index b) {
    if (overlap(nodes_[a], other.nodes_[b])) stack[waiting++] = {a, b};
  };
  offer(0, 0);
  while (waiting > 0) {
    const auto [a, b] = stack[--waiting];
    const Node &here = nodes_[a], &there = other.nodes_[b];
    if (here.child < 0 && there.child < 0) {
      out.push_back({~here.child, ~there.child});
    } else if (opens_first(here, there)) {
      offer(here.child + 1, b);
      offer(here.child, b);
    } else {
      offer(a, there.child + 1);
      offer(a, there.child);
    }
  }
}

void BoxTree::pairs_within(std::vector<IndexPair>& out) const {
  out.clear();
  if (nodes_.empty()) return;
  WaitingPair stack[most_waiting];
  int waiting = 0;
  const auto offer = [&](Index a, Index b) {
    if (overlap(nodes_[a], nodes_[b])) stack[waiting++] = {a, b};
  };
  stack[waiting++] = {0, 0};  // a node with itself: all pairs below it
  while (waiting > 0) {
    const auto [a, b] = stack[--waiting];
    const Node &here = nodes_[a], &there = nodes_[b];
    if (a == b) {
      if (here.child < 0) continue;
      offer(here.child, here.child + 1);
      stack[waiting++] = {here.child + 1, here.child + 1};
      stack[waiting++] = {here.child, here.child};
    } else if (here.child < 0 && there.child < 0) {
      out.push_back({std::min(~here.child, ~there.child), std::max(~here.child, ~there.child)});
    } else if (opens_first(here, there)) {
      offer(here.child + 1, b);
      offer(here.child, b);
    } else {
      offer(a, there.child + 1);
      offer(a, there.child);
    }
  }
}

MotionBox BoxTree::bounds() const {
  MotionBox box;
  if (nodes_.empty()) return box;
  const Node& root = nodes_.front();
  box.low = Vec3(root.low[0], root.low[1], root.low[2]);
  box.high = Vec3(root.high[0], root.high[1], root.high[2]);
  return box;
}

}  // namespace pliant
