// SPDX-License-Identifier: Apache-2.0
// The queries of a TriangleTree. Boxes are asked in single precision and err on the safe side; triangles
// decide in double precision, so that the answers do not depend on the tree.
#include "pliant/geometry/triangle_tree.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/geometry/triangle_geometry.hpp"
#include "pliant/geometry/triangle_tree_data.hpp"

namespace pliant {
namespace {

constexpr double pi = 3.14159265358979323846;

/// Beyond this distance (the surface has size 1 to 2) no box test is accurate in single precision.
constexpr double far_away = 1e6;

bool is_far(const Vec3& local) { return !(local.cwiseAbs().maxCoeff() < far_away); }

float round_up(double value) {
  return float(std::min(value * (1 + 1e-6), double(std::numeric_limits<float>::max())));
}

// --- segments -------------------------------------------------------------------------------------------

/// A segment cut to the neighbourhood of the surface, ready for box tests. The cut keeps coordinates near 1,
/// where box_margin covers the rounding to single precision.
class BoxRay {
 public:
  BoxRay(const Vec3& a, const Vec3& d) {
    if (!cut(a, d)) return;
    const Vec3 from = a + start_ * d, along = (end_ - start_) * d;
    for (int axis = 0; axis < 3; ++axis) {
      const double tiny = 1e-20;
      const double safe = std::abs(along[axis]) < tiny ? std::copysign(tiny, along[axis]) : along[axis];
      origin_[axis] = lanes(float(from[axis]));
      inverse_[axis] = lanes(float(1 / safe));
      near_[axis] = safe < 0;
    }
    misses_ = false;
  }

  bool misses() const { return misses_; }
  /// No box beyond t matters any more.
  void stop_at(double t) {
    last_ = lanes(float(std::clamp((t - start_) / (end_ - start_), 0.0, 1.0)) * 1.000001f + 1e-6f);
  }

  /// Bit k: the segment meets the box of child k, entering at `entry`.
  int meets(const TreeNode& node, Lanes& entry) const {
    const auto at = [&](int side, int axis) {
      return (node.bound[side][axis] - origin_[axis]) * inverse_[axis];
    };
    const Lanes in = larger(larger(at(near_[0], 0), at(near_[1], 1)), larger(at(near_[2], 2), lanes(0)));
    const Lanes out =
        smaller(smaller(at(1 - near_[0], 0), at(1 - near_[1], 1)), smaller(at(1 - near_[2], 2), last_));
    entry = in;
    return not_above(in, out * lanes(1.000001f));
  }

 private:
  bool cut(const Vec3& a, const Vec3& d) {
    for (int axis = 0; axis < 3; ++axis) {
      const double limit = 1.01;
      if (d[axis] == 0) {
        if (!(std::abs(a[axis]) <= limit)) return false;
        continue;
      }
      const double t1 = (-limit - a[axis]) / d[axis], t2 = (limit - a[axis]) / d[axis];
      start_ = std::max(start_, std::min(t1, t2));
      end_ = std::min(end_, std::max(t1, t2));
    }
    return start_ < end_;
  }

  Lanes origin_[3], inverse_[3], last_ = lanes(1.000001f);
  int near_[3] = {0, 0, 0};
  double start_ = 0, end_ = 1;  ///< the cut, along the whole segment
  bool misses_ = true;
};

/// Segments between lattice points or vertices meet corners and edges all the time, and there rounding
/// decides differently for each of the triangles around. Turned by this much, far more than rounding and far
/// less than anybody sees, they do not.
Vec3 turned_slightly(const Vec3& d) {
  return d + 1e-11 * d.norm() * Vec3(0.8191725133961645, 0.6710436067037893, 0.5497004779019703);
}

/// Which side of the line through the segment an edge p -> q passes: the sign of d . (p x q), positions
/// relative to the segment's start. Where it is 0 the direction d is thought to be turned by
/// (e, e^2, e^3), e -> 0, so that a line through an edge or a corner meets exactly one of the triangles
/// around it. Swapping p and q flips the sign exactly: neighbours agree on their edge.
struct EdgeSide {
  double value;
  bool positive;
};
EdgeSide edge_side(const Vec3& d, const Vec3& p, const Vec3& q) {
  const double x = p.y() * q.z() - p.z() * q.y();
  const double y = p.z() * q.x() - p.x() * q.z();
  const double z = p.x() * q.y() - p.y() * q.x();
  const double value = d.x() * x + d.y() * y + d.z() * z;
  for (const double sign : {value, x, y, z})
    if (sign != 0) return {value, sign > 0};
  return {value, std::lexicographical_compare(p.data(), p.data() + 3, q.data(), q.data() + 3)};
}

struct Hit {
  double t = 0;
  bool leaves = false;
};
bool hits(const TriangleTreeData& tree, Index t, const Vec3& a, const Vec3& d, double d_squared, Hit& hit) {
  const Vec3 p = tree.corner(t, 0) - a, q = tree.corner(t, 1) - a, r = tree.corner(t, 2) - a;
  const EdgeSide pq = edge_side(d, p, q), qr = edge_side(d, q, r);
  if (pq.positive != qr.positive) return false;
  const EdgeSide rp = edge_side(d, r, p);
  if (rp.positive != pq.positive || tree.doubled_area(t).isZero(0)) return false;
  const double sum = pq.value + qr.value + rp.value;
  // The point as a mean of the corners: on the triangle however thin that is.
  const Vec3 point =
      sum != 0 ? Vec3((qr.value * p + rp.value * q + pq.value * r) / sum) : Vec3((p + q + r) / 3);
  hit = {point.dot(d) / d_squared, pq.positive};
  return hit.t >= 0 && hit.t <= 1;
}

TriangleTree::Crossing crossing_of(const TriangleTreeData& tree, Index t, const Hit& hit, const Vec3& d,
                                   double length) {
  const Vec3 n = tree.doubled_area(t);
  // The sign tells enter from leave even where a needle's normal is noise.
  const double steepness = std::clamp(std::abs(n.dot(d)) / (length * n.norm()), 1e-12, 1.0);
  return {hit.t, tree.triangles[t].index, hit.leaves ? steepness : -steepness};
}

bool comes_before(const TriangleTree::Crossing& a, const TriangleTree::Crossing& b) {
  return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
}

// --- ordered walks --------------------------------------------------------------------------------------

/// Nodes still to visit, with the key (distance, entry) at which they stop to matter.
struct Waiting {
  float key;
  Index node;
};

/// Sorts a handful of children so that the nearest is taken from the end first.
void sort_far_first(Waiting* begin, Waiting* end) {
  for (Waiting* i = begin + 1; i < end; ++i)
    for (Waiting* j = i; j > begin && (j - 1)->key < j->key; --j) std::swap(*j, *(j - 1));
}

// --- nearest point --------------------------------------------------------------------------------------

class BoxDistance {
 public:
  explicit BoxDistance(const Vec3& p) {
    // Far points round coarsely: every distance is shortened by that much.
    const float slack = float(p.cwiseAbs().maxCoeff() * 0x1p-22);
    for (int axis = 0; axis < 3; ++axis) {
      below_[axis] = lanes(float(p[axis]) + slack);
      above_[axis] = lanes(float(p[axis]) - slack);
    }
  }
  /// Squared, never above the true one by more than rounding (round_up of the limit covers that).
  Lanes squared(const TreeNode& node) const {
    const auto outside = [&](int axis) {
      return larger(larger(node.bound[0][axis] - below_[axis], above_[axis] - node.bound[1][axis]), lanes(0));
    };
    const Lanes x = outside(0), y = outside(1), z = outside(2);
    return x * x + y * y + z * z;
  }

 private:
  Lanes below_[3], above_[3];
};

TriangleTree::Nearest nearest_of(const TriangleTreeData& tree, Index place, const TrianglePoint& on,
                                 double squared) {
  return {tree.triangles[place].index, tree.centre + on.point / tree.scale, on.barycentric,
          std::sqrt(squared) / tree.scale};
}

struct NearestSoFar {
  double squared;
  const TriangleTree::Filter* filter;  ///< none: all points count
  Index place = -1;
  TrianglePoint on = {};
  bool any = false;  ///< the first will do

  void offer(const TriangleTreeData& tree, Index candidate, const Vec3& p) {
    const TrianglePoint point =
        closest_point(p, tree.corner(candidate, 0), tree.corner(candidate, 1), tree.corner(candidate, 2));
    const double d2 = (point.point - p).squaredNorm();
    const bool lower = place < 0 || tree.triangles[candidate].index < tree.triangles[place].index;
    if (!(d2 < squared || (d2 == squared && lower))) return;
    if (!filter || filter->passes(nearest_of(tree, candidate, point, d2))) {
      squared = d2;
      place = candidate;
      on = point;
    }
  }
};

void walk_nearest(const TriangleTreeData& tree, const Vec3& p, NearestSoFar& best) {
  const BoxDistance box(p);
  Waiting stack[most_waiting_nodes];
  stack[0] = {0, 0};
  int waiting = 1;
  float limit = round_up(best.squared);
  while (waiting > 0) {
    const Waiting top = stack[--waiting];
    if (top.key > limit) continue;
    const TreeNode& node = tree.nodes[top.node];
    const Lanes squared = box.squared(node);
    Waiting* first = stack + waiting;
    for (int near = not_above(squared, lanes(limit)); near; near &= near - 1) {
      const int k = __builtin_ctz(unsigned(near));
      if (node.child[k] >= 0) {
        stack[waiting++] = {squared[k], node.child[k]};
      } else if (squared[k] <= limit) {
        best.offer(tree, ~node.child[k], p);
        if (best.any && best.place >= 0) return;
        limit = round_up(best.squared);
      }
    }
    sort_far_first(first, stack + waiting);
  }
}

// --- winding number -------------------------------------------------------------------------------------

/// Solid angle of a triangle seen from p, over 2: atan2(a . (b x c), ...) [VanOosterom83].
double half_solid_angle(const TriangleTreeData& tree, Index t, const Vec3& p) {
  const Vec3 a = tree.corner(t, 0) - p, b = tree.corner(t, 1) - p, c = tree.corner(t, 2) - p;
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

/// Contributions of the four children by their moments, times 4 pi [Barill18]:
/// d.v/|v|^3 + tr(Q)/|v|^3 - 3 v^T Q v/|v|^5, v = c - p. `distance_squared` is |v|^2.
Lanes far_field(const TreeMoments& m, const Lanes* v, Lanes distance_squared) {
  const Lanes inverse = lanes(1) / distance_squared;
  const Lanes vqv = v[0] * (m.q[0] * v[0] + m.q[3] * v[1] + m.q[4] * v[2]) +
                    v[1] * (m.q[1] * v[1] + m.q[5] * v[2]) + m.q[2] * v[2] * v[2];
  const Lanes dv = m.d[0] * v[0] + m.d[1] * v[1] + m.d[2] * v[2];
  const Lanes trace = m.q[0] + m.q[1] + m.q[2];
  return (dv + trace - lanes(3) * vqv * inverse) * inverse * root(inverse);
}

// --- self-intersections ---------------------------------------------------------------------------------

/// Bit k: box k of the node overlaps the box low .. high.
int overlaps(const TreeNode& node, const Lanes* low, const Lanes* high) {
  int bits = 15;
  for (int axis = 0; axis < 3; ++axis)
    bits &= not_above(node.bound[0][axis], high[axis]) & not_above(low[axis], node.bound[1][axis]);
  return bits;
}

/// Pairs with triangles of higher index, so that every pair counts once; stops at `most`.
std::size_t crossings_with_later_triangles(const TriangleTreeData& tree, Index triangle, std::size_t most) {
  const TreeTriangle& mine = tree.triangles[triangle];
  Lanes low[3], high[3];
  for (int axis = 0; axis < 3; ++axis) {
    const auto [least, largest] = std::minmax(
        {tree.corner(triangle, 0)[axis], tree.corner(triangle, 1)[axis], tree.corner(triangle, 2)[axis]});
    low[axis] = lanes(float(least));
    high[axis] = lanes(float(largest));
  }
  std::size_t count = 0;
  Index stack[most_waiting_nodes];
  stack[0] = 0;
  int waiting = 1;
  while (waiting > 0 && count < most) {
    const TreeNode& node = tree.nodes[stack[--waiting]];
    for (int met = overlaps(node, low, high); met; met &= met - 1) {
      const Index child = node.child[__builtin_ctz(unsigned(met))];
      if (child >= 0) {
        stack[waiting++] = child;
        continue;
      }
      const TreeTriangle& other = tree.triangles[~child];
      if (other.index > mine.index && triangles_cross(tree.vertices, mine.vertex, other.vertex)) ++count;
    }
  }
  return std::min(count, most);
}

}  // namespace

struct TriangleTree::Impl {
  TriangleTreeData tree;
};

TriangleTree::TriangleTree(const Points& vertices, const std::vector<Triangle>& triangles)
    : impl_(std::make_unique<Impl>(Impl{build_triangle_tree(vertices, triangles)})) {}
TriangleTree::~TriangleTree() = default;
TriangleTree::TriangleTree(TriangleTree&&) noexcept = default;
TriangleTree& TriangleTree::operator=(TriangleTree&&) noexcept = default;

TriangleTree::Nearest TriangleTree::nearest(const Vec3& point, double within) const {
  return nearest(point, within, nullptr);
}

TriangleTree::Nearest TriangleTree::nearest(const Vec3& point, double within, const Filter& filter) const {
  return nearest(point, within, &filter);
}

bool TriangleTree::any_within(const Vec3& point, double distance) const {
  const TriangleTreeData& tree = impl_->tree;
  if (tree.nodes.empty() || !(distance >= 0)) return false;
  const Vec3 p = tree.to_local(point);
  if (is_far(p)) return nearest(point, distance).triangle >= 0;
  const double reach = distance * tree.scale;
  NearestSoFar best{reach * reach, nullptr};
  best.any = true;
  walk_nearest(tree, p, best);
  return best.place >= 0;
}

TriangleTree::Nearest TriangleTree::nearest(const Vec3& point, double within, const Filter* filter) const {
  const TriangleTreeData& tree = impl_->tree;
  if (tree.nodes.empty() || !(within >= 0)) return {};
  const Vec3 p = tree.to_local(point);
  const double reach = within * tree.scale;
  NearestSoFar best{reach * reach, filter};
  if (is_far(p)) {
    for (Index t = 0; t < Index(tree.triangles.size()); ++t) best.offer(tree, t, p);
  } else {
    walk_nearest(tree, p, best);
  }
  return best.place < 0 ? Nearest{} : nearest_of(tree, best.place, best.on, best.squared);
}

void TriangleTree::crossings(const Vec3& a, const Vec3& b, std::vector<Crossing>& out) const {
  out.clear();
  const TriangleTreeData& tree = impl_->tree;
  const Vec3 start = tree.to_local(a), d = turned_slightly(tree.to_local(b) - start);
  const double length = d.norm();
  const BoxRay ray(start, d);
  if (tree.nodes.empty() || !(length > 0) || ray.misses()) return;
  Index stack[most_waiting_nodes];
  stack[0] = 0;
  int waiting = 1;
  while (waiting > 0) {
    const TreeNode& node = tree.nodes[stack[--waiting]];
    Lanes entry;
    for (int met = ray.meets(node, entry); met; met &= met - 1) {
      const Index child = node.child[__builtin_ctz(unsigned(met))];
      Hit hit;
      if (child >= 0)
        stack[waiting++] = child;
      else if (hits(tree, ~child, start, d, length * length, hit))
        out.push_back(crossing_of(tree, ~child, hit, d, length));
    }
  }
  if (out.size() > 1) std::sort(out.begin(), out.end(), comes_before);
}

TriangleTree::Crossing TriangleTree::first_crossing(const Vec3& a, const Vec3& b) const {
  const TriangleTreeData& tree = impl_->tree;
  Crossing first;
  const Vec3 start = tree.to_local(a), d = turned_slightly(tree.to_local(b) - start);
  const double length = d.norm();
  BoxRay ray(start, d);
  if (tree.nodes.empty() || !(length > 0) || ray.misses()) return first;
  Waiting stack[most_waiting_nodes];
  stack[0] = {0, 0};
  int waiting = 1;
  while (waiting > 0) {
    const TreeNode& node = tree.nodes[stack[--waiting].node];
    Waiting* begin = stack + waiting;
    Lanes entry;
    for (int met = ray.meets(node, entry); met; met &= met - 1) {
      const int k = __builtin_ctz(unsigned(met));
      Hit hit;
      if (node.child[k] >= 0) {
        stack[waiting++] = {entry[k], node.child[k]};
      } else if (hits(tree, ~node.child[k], start, d, length * length, hit)) {
        const Crossing found = crossing_of(tree, ~node.child[k], hit, d, length);
        if (first.triangle < 0 || comes_before(found, first)) first = found;
        ray.stop_at(first.t);
      }
    }
    sort_far_first(begin, stack + waiting);
  }
  return first;
}

double TriangleTree::winding(const Vec3& point) const {
  const TriangleTreeData& tree = impl_->tree;
  const Vec3 p = tree.to_local(point);
  if (tree.nodes.empty() || is_far(p)) return 0;  // less than area / distance^2
  const Lanes at[3] = {lanes(float(p.x())), lanes(float(p.y())), lanes(float(p.z()))};
  Index stack[most_waiting_nodes];
  stack[0] = 0;
  int waiting = 1;
  double far = 0, near = 0;
  while (waiting > 0) {
    const Index index = stack[--waiting];
    const TreeNode& node = tree.nodes[index];
    const TreeMoments& moments = tree.moments[index];
    const Lanes v[3] = {moments.centre[0] - at[0], moments.centre[1] - at[1], moments.centre[2] - at[2]};
    const Lanes squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const int close = not_above(squared, moments.reach_squared);
    if (close != 15) {
      const Lanes field = far_field(moments, v, squared);
      for (int k = 0; k < 4; ++k)
        if (!(close >> k & 1)) far += double(field[k]);
    }
    for (int left = close; left; left &= left - 1) {
      const Index child = node.child[__builtin_ctz(unsigned(left))];
      if (child >= 0)
        stack[waiting++] = child;
      else
        near += half_solid_angle(tree, ~child, p);
    }
  }
  return far / (4 * pi) + near / (2 * pi);
}

double TriangleTree::winding_exact(const Vec3& point) const {
  const TriangleTreeData& tree = impl_->tree;
  const Vec3 p = tree.to_local(point);
  double sum = 0;
  for (const Index place : tree.place) sum += half_solid_angle(tree, place, p);
  return sum / (2 * pi);
}

std::size_t TriangleTree::self_intersections(std::size_t most) const {
  const TriangleTreeData& tree = impl_->tree;
  std::size_t count = 0;
  for (Index t = 0; t < Index(tree.triangles.size()) && count < most; ++t)
    count += crossings_with_later_triangles(tree, t, most - count);
  return count;
}

}  // namespace pliant
