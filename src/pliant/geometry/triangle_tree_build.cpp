// SPDX-License-Identifier: Apache-2.0
// Builds a tree by the surface area heuristic with bins: cheap boxes to miss matter more than equal halves.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "pliant/geometry/triangle_tree_data.hpp"

namespace pliant {
namespace {

constexpr int bins = 16;
/// Below this many splits the heuristic may be lopsided; then halves, so that the depth stays bounded.
constexpr int most_free_splits = 48;

struct Box {
  Lanes low = lanes(std::numeric_limits<float>::infinity());
  Lanes high = lanes(-std::numeric_limits<float>::infinity());

  void add(const Box& other) {
    low = smaller(low, other.low);
    high = larger(high, other.high);
  }
  float half_area() const {
    const Lanes e = high - low;
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
  }
};

/// A triangle while the tree is built.
struct Item {
  Box box;
  Index triangle;
  Lanes twice_centre() const { return box.low + box.high; }
};

struct Range {
  Index begin = 0, end = 0;
  Box box;
  int splits = 0;  ///< above it
  Index size() const { return end - begin; }
};

Box box_of(const Item* begin, const Item* end) {
  Box box;
  for (; begin != end; ++begin) box.add(begin->box);
  return box;
}

Box triangle_box(const Vec3* corner) {
  Box box;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = std::min({corner[0][axis], corner[1][axis], corner[2][axis]});
    const double high = std::max({corner[0][axis], corner[1][axis], corner[2][axis]});
    box.low[axis] = float(low) - box_margin;
    box.high[axis] = float(high) + box_margin;
  }
  box.low[3] = box.high[3] = 0;
  return box;
}

struct Split {
  int axis = -1;
  int bin = 0;  ///< first bin of the right side
  float cost = std::numeric_limits<float>::infinity();
};

/// Which bin an item falls into, per axis.
struct Binning {
  Lanes low, per_bin;

  Binning(const Item* begin, const Item* end) {
    Box centres;
    for (const Item* item = begin; item != end; ++item) {
      const Lanes c = item->twice_centre();
      centres.low = smaller(centres.low, c);
      centres.high = larger(centres.high, c);
    }
    low = centres.low;
    const Lanes extent = centres.high - centres.low;
    for (int axis = 0; axis < 4; ++axis) per_bin[axis] = extent[axis] > 0 ? bins * 0.9999f / extent[axis] : 0;
  }
  bool flat(int axis) const { return !(per_bin[axis] > 0) || !std::isfinite(per_bin[axis]); }
  Lanes position(const Item& item) const { return (item.twice_centre() - low) * per_bin; }
};

Split best_split_on_axis(const Box* box, const Index* count, int axis) {
  float right_cost[bins];
  Box right;
  Index right_count = 0;
  for (int b = bins - 1; b > 0; --b) {
    right.add(box[b]);
    right_count += count[b];
    right_cost[b] = right_count > 0 ? right.half_area() * float(right_count) : -1;
  }
  Split best;
  Box left;
  Index left_count = 0;
  for (int b = 1; b < bins; ++b) {
    left.add(box[b - 1]);
    left_count += count[b - 1];
    if (left_count == 0 || right_cost[b] < 0) continue;
    const float cost = left.half_area() * float(left_count) + right_cost[b];
    if (cost < best.cost) best = {axis, b, cost};
  }
  return best;
}

Split best_split(const Item* begin, const Item* end, const Binning& binning) {
  Box box[3][bins];
  Index count[3][bins] = {};
  for (const Item* item = begin; item != end; ++item) {
    const Lanes position = binning.position(*item);
    for (int axis = 0; axis < 3; ++axis) {
      const int b = int(position[axis]);
      box[axis][b].add(item->box);
      ++count[axis][b];
    }
  }
  Split best;
  for (int axis = 0; axis < 3; ++axis) {
    if (binning.flat(axis)) continue;
    const Split split = best_split_on_axis(box[axis], count[axis], axis);
    if (split.cost < best.cost) best = split;
  }
  return best;
}

/// The items in halves along the longest axis of their box, equal centres by triangle.
Index halve(std::vector<Item>& items, const Range& range) {
  const Lanes extent = range.box.high - range.box.low;
  const int axis = extent[0] >= extent[1] && extent[0] >= extent[2] ? 0 : extent[1] >= extent[2] ? 1 : 2;
  const Index middle = range.begin + range.size() / 2;
  std::nth_element(items.begin() + range.begin, items.begin() + middle, items.begin() + range.end,
                   [axis](const Item& a, const Item& b) {
                     const float ca = a.twice_centre()[axis], cb = b.twice_centre()[axis];
                     return ca != cb ? ca < cb : a.triangle < b.triangle;
                   });
  return middle;
}

std::pair<Range, Range> split(std::vector<Item>& items, const Range& range) {
  Item *begin = items.data() + range.begin, *end = items.data() + range.end;
  Index middle = -1;
  if (range.splits < most_free_splits) {
    const Binning binning(begin, end);
    const Split best = best_split(begin, end, binning);
    if (best.axis >= 0)
      middle = Index(std::partition(begin, end,
                                    [&](const Item& item) {
                                      return int(binning.position(item)[best.axis]) < best.bin;
                                    }) -
                     items.data());
  }
  if (middle < 0) middle = halve(items, range);
  Range left{range.begin, middle, {}, range.splits + 1}, right{middle, range.end, {}, range.splits + 1};
  left.box = box_of(items.data() + left.begin, items.data() + left.end);
  right.box = box_of(items.data() + right.begin, items.data() + right.end);
  return {left, right};
}

struct Children {
  Range range[4];
  int count = 0;
};

/// Up to four ranges: single triangles if there are no more, else what splitting the largest boxes gives.
Children children_of(std::vector<Item>& items, const Range& range) {
  Children children;
  if (range.size() <= 4) {
    for (Index i = range.begin; i < range.end; ++i)
      children.range[children.count++] = {i, i + 1, items[i].box, range.splits + 1};
    return children;
  }
  children.range[children.count++] = range;
  while (children.count < 4) {
    int widest = -1;
    for (int k = 0; k < children.count; ++k)
      if (children.range[k].size() > 4 &&
          (widest < 0 || children.range[k].box.half_area() > children.range[widest].box.half_area()))
        widest = k;
    if (widest < 0) break;
    std::tie(children.range[widest], children.range[children.count]) = split(items, children.range[widest]);
    ++children.count;
  }
  return children;
}

/// Sums over the triangles below a child, then its far field.
struct FarField {
  double area = 0;
  Vec3 weighted = Vec3::Zero(), plain = Vec3::Zero(), d = Vec3::Zero();
  Mat3 moment = Mat3::Zero();  ///< sum centroid n^T
  Index count = 0;

  void add(const TriangleTreeData& tree, Index t) {
    const Vec3 n = 0.5 * tree.doubled_area(t);
    const Vec3 centroid = (tree.corner(t, 0) + tree.corner(t, 1) + tree.corner(t, 2)) / 3;
    const double a = n.norm();
    area += a;
    weighted += a * centroid;
    plain += centroid;
    d += n;
    moment += centroid * n.transpose();
    ++count;
  }
  void add(const FarField& other) {
    area += other.area;
    weighted += other.weighted;
    plain += other.plain;
    d += other.d;
    moment += other.moment;
    count += other.count;
  }
  Vec3 centre() const { return area > 0 ? Vec3(weighted / area) : Vec3(plain / std::max<Index>(count, 1)); }
};

class Builder {
 public:
  Builder(TriangleTreeData& tree, std::vector<Item> items) : tree_(tree), items_(std::move(items)) {}

  void build() {
    Range all{0, Index(items_.size()), box_of(items_.data(), items_.data() + items_.size()), 0};
    tree_.nodes.reserve(items_.size() / 2 + 1);
    add_node(all);
  }
  const std::vector<Item>& items() const { return items_; }

  /// After the triangles are in the order of the tree.
  void add_moments() {
    tree_.moments.resize(tree_.nodes.size());
    add_moments(0);
  }

 private:
  Index add_node(const Range& range) {
    const Index index = Index(tree_.nodes.size());
    tree_.nodes.emplace_back();
    ranges_.emplace_back();
    const Children children = children_of(items_, range);
    for (int k = 0; k < 4; ++k) {
      const Range child = k < children.count ? children.range[k] : Range{};
      for (int axis = 0; axis < 3; ++axis) {
        tree_.nodes[index].bound[0][axis][k] = child.box.low[axis];
        tree_.nodes[index].bound[1][axis][k] = child.box.high[axis];
      }
      ranges_[index][k] = {child.begin, child.end};
      tree_.nodes[index].child[k] = child.size() > 1 ? 0 : ~child.begin;
      if (child.size() > 1) {
        const Index below = add_node(child);
        tree_.nodes[index].child[k] = below;
      }
    }
    return index;
  }

  FarField add_moments(Index node) {
    FarField all;
    for (int k = 0; k < 4; ++k) {
      const auto [begin, end] = ranges_[node][k];
      FarField field;
      if (end - begin > 1)
        field = add_moments(tree_.nodes[node].child[k]);
      else if (end > begin)
        field.add(tree_, begin);
      store(tree_.moments[node], k, field, begin, end);
      all.add(field);
    }
    return all;
  }

  void store(TreeMoments& moments, int k, const FarField& field, Index begin, Index end) const {
    const Vec3 c = field.centre();
    double radius_squared = 0;
    for (Index t = begin; t < end; ++t)
      for (int corner = 0; corner < 3; ++corner)
        radius_squared = std::max(radius_squared, (tree_.corner(t, corner) - c).squaredNorm());
    const Mat3 q = field.moment - c * field.d.transpose();
    const double terms[6] = {q(0, 0),           q(1, 1),           q(2, 2),
                             q(0, 1) + q(1, 0), q(0, 2) + q(2, 0), q(1, 2) + q(2, 1)};
    for (int axis = 0; axis < 3; ++axis) {
      moments.centre[axis][k] = float(c[axis]);
      moments.d[axis][k] = float(field.d[axis]);
    }
    for (int term = 0; term < 6; ++term) moments.q[term][k] = float(terms[term]);
    moments.reach_squared[k] = float(4 * radius_squared);
    if (begin == end) moments.centre[0][k] = 1e9f;  // a missing child is far from everywhere
  }

  TriangleTreeData& tree_;
  std::vector<Item> items_;
  std::vector<std::array<std::pair<Index, Index>, 4>> ranges_;  ///< triangles below each child
};

void place_and_size(TriangleTreeData& tree, const Points& vertices, const std::vector<Triangle>& triangles) {
  Eigen::AlignedBox3d box;
  for (const Triangle& t : triangles)
    for (Index v : t) box.extend(vertices[v]);
  if (box.isEmpty()) return;
  tree.centre = 0.5 * box.min() + 0.5 * box.max();
  const double half = (box.max() - tree.centre).cwiseMax(tree.centre - box.min()).maxCoeff();
  if (half > 0 && std::isfinite(half)) tree.scale = std::ldexp(1.0, std::min(-std::ilogb(half) - 1, 1000));
}

/// Vertices in the order in which the tree's triangles meet them: neighbours share cache lines.
void order_vertices(TriangleTreeData& tree, const Points& vertices) {
  std::vector<Index> number(vertices.size(), -1);
  for (TreeTriangle& triangle : tree.triangles)
    for (Index& v : triangle.vertex) {
      if (number[v] < 0) {
        number[v] = Index(tree.vertices.size());
        tree.vertices.push_back(tree.to_local(vertices[v]));
      }
      v = number[v];
    }
}

}  // namespace

TriangleTreeData build_triangle_tree(const Points& vertices, const std::vector<Triangle>& triangles) {
  TriangleTreeData tree;
  if (triangles.empty()) return tree;
  place_and_size(tree, vertices, triangles);
  std::vector<Item> items(triangles.size());
  for (Index t = 0; t < Index(triangles.size()); ++t) {
    const Vec3 corner[3] = {tree.to_local(vertices[triangles[t][0]]),
                            tree.to_local(vertices[triangles[t][1]]),
                            tree.to_local(vertices[triangles[t][2]])};
    items[t] = {triangle_box(corner), t};
  }
  Builder builder(tree, std::move(items));
  builder.build();
  tree.triangles.reserve(triangles.size());
  tree.place.resize(triangles.size());
  for (const Item& item : builder.items()) {
    const Triangle& t = triangles[item.triangle];
    tree.place[item.triangle] = Index(tree.triangles.size());
    tree.triangles.push_back({{t[0], t[1], t[2]}, item.triangle});
  }
  order_vertices(tree, vertices);
  builder.add_moments();
  return tree;
}

}  // namespace pliant
