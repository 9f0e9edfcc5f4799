// SPDX-License-Identifier: Apache-2.0
// 1. Graph of nodes inside; r_i = distance of node i to the surface. Root: the node of largest r.
// 2. Repeat: the node farthest (along edges) from what the skeleton covers is a tip; the way to it is the
//    cheapest path with edge cost length (r_max / (r_mean + 0.15 a))^2, which stays in the middle. Long
//    enough, it is a limb; if not, its surroundings count as covered. Until all is covered.
// 3. The ways are smoothed inside the solid, and joints are set where limbs meet, end, bend, grow too long
//    for one bone or would leave the solid.
#include "pliant/geometry/auto_skeleton.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

#include "pliant/base/clock.hpp"
#include "pliant/geometry/mean_curvature.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The solid and its nodes.
struct Body {
  const NodeGraph& graph;
  Adjacency neighbours;
  TriangleTree tree;
  std::vector<double> r;  ///< distance to the surface, m
  double spacing, size;   ///< lattice constant and diagonal, m
  double detail;          ///< smallest limb, m

  double distance(const Vec3& p) const { return tree.nearest(p, 2 * size).distance; }
  bool inside(const Vec3& p) const { return tree.winding(p) > 0.5; }
  /// The whole segment: its ends are inside and nothing is crossed between them, or what is crossed is a wall
  /// inside the material.
  bool holds(const Vec3& a, const Vec3& b) const {
    if (tree.first_crossing(a, b).triangle < 0) return inside(0.5 * (a + b));
    constexpr int parts = 16;
    for (int k = 0; k <= parts; ++k)
      if (!inside(a + (b - a) * (double(k) / parts))) return false;
    return true;
  }
};

/// Shortest ways from a set of nodes.
struct Ways {
  std::vector<double> cost;
  std::vector<Index> from;  ///< the node before; -1 at the sources
};

template <class Cost>
Ways ways(const Body& body, const std::vector<Index>& sources, Cost&& edge_cost) {
  const std::size_t n = body.graph.positions.size();
  Ways out{std::vector<double>(n, infinity), std::vector<Index>(n, -1)};
  using Entry = std::pair<double, Index>;  // ties go to the lowest node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const Index s : sources) {
    out.cost[s] = 0;
    queue.push({0, s});
  }
  while (!queue.empty()) {
    const auto [cost, i] = queue.top();
    queue.pop();
    if (cost > out.cost[i]) continue;
    for (Index k = body.neighbours.begin[i]; k < body.neighbours.begin[i + 1]; ++k) {
      const Index j = body.neighbours.target[k];
      const double next = cost + edge_cost(i, j);
      if (next >= out.cost[j]) continue;
      out.cost[j] = next;
      out.from[j] = i;
      queue.push({next, j});
    }
  }
  return out;
}

/// A tree of graph nodes: the limbs before joints are chosen.
struct Twig {
  Index node;    ///< of the graph; -1 = none
  Index parent;  ///< twig, -1 = root
  Index limb;    ///< 0 = the root, then in the order in which they were found
  Vec3 x;        ///< smoothed place
};

class Tracer {
 public:
  explicit Tracer(const Body& body, const std::vector<Index>& part)
      : body_(body), covered_(body.graph.positions.size(), 1), twig_of_(body.graph.positions.size(), -1) {
    for (const Index i : part) covered_[i] = 0;
    Index root = part.front();
    for (const Index i : part)
      if (body.r[i] > body.r[root]) root = i;
    widest_ = body.r[root];
    add(root, -1, 0);
    cover(root);
  }

  std::vector<Twig> trace() {
    while (grow()) {
    }
    smooth();
    return std::move(twigs_);
  }

 private:
  void add(Index node, Index parent, Index limb) {
    twig_of_[node] = Index(twigs_.size());
    twigs_.push_back({node, parent, limb, body_.graph.positions[node]});
    skeleton_.push_back(node);
  }

  /// What belongs to the limb at this node: nodes that are near and joined to it by near ones.
  void cover(Index node) {
    const Points& x = body_.graph.positions;
    const double reach = std::max(1.8 * body_.r[node] + body_.spacing, 0.8 * body_.detail);
    std::vector<Index> stack{node};
    std::vector<Index> seen{node};
    mark_.resize(x.size(), -1);
    mark_[node] = node;
    while (!stack.empty()) {
      const Index i = stack.back();
      stack.pop_back();
      covered_[i] = 1;
      for (Index k = body_.neighbours.begin[i]; k < body_.neighbours.begin[i + 1]; ++k) {
        const Index j = body_.neighbours.target[k];
        if (mark_[j] == node || (x[j] - x[node]).norm() >= reach) continue;
        mark_[j] = node;
        stack.push_back(j);
      }
    }
  }

  /// Takes the next limb; false when everything is covered.
  bool grow() {
    const Points& x = body_.graph.positions;
    const auto length = [&x](Index i, Index j) { return (x[i] - x[j]).norm(); };
    const Ways near = ways(body_, skeleton_, length);
    Index tip = -1;
    for (Index i = 0; i < Index(covered_.size()); ++i)
      if (!covered_[i] && near.cost[i] < infinity && (tip < 0 || near.cost[i] > near.cost[tip])) tip = i;
    if (tip < 0) return false;
    const Ways central = ways(body_, skeleton_, [&](Index i, Index j) {
      const double mean = 0.5 * (body_.r[i] + body_.r[j]);
      const double narrow = widest_ / (mean + 0.15 * body_.spacing);
      return length(i, j) * narrow * narrow;
    });
    std::vector<Index> path;  // from the tip to the skeleton
    for (Index i = tip; i >= 0; i = central.from[i]) path.push_back(i);
    double way = 0, mean = 0;
    for (std::size_t k = 0; k + 1 < path.size(); ++k) {
      way += length(path[k], path[k + 1]);
      mean += body_.r[path[k]] / double(path.size() - 1);
    }
    const Index attachment = path.back();
    const bool limb = way - body_.r[attachment] > std::max(1.2 * mean + 0.5 * body_.spacing, body_.detail);
    for (std::size_t k = 0; k + 1 < path.size(); ++k) cover(path[k]);
    if (!limb) return true;
    ++limbs_;
    // The bone ends where the flesh of the tip begins.
    std::size_t end = 0;
    while (end + 2 < path.size() && length(path[0], path[end + 1]) < 0.7 * mean) ++end;
    Index parent = twig_of_[attachment];
    for (std::size_t k = path.size() - 1; k-- > end;) {
      add(path[k], parent, limbs_);
      parent = Index(twigs_.size()) - 1;
    }
    return true;
  }

  /// Half-steps towards the neighbours' mean, one after the other, as long as the place stays as deep and
  /// sees its neighbours.
  void smooth() {
    std::vector<std::vector<Index>> next(twigs_.size());
    for (std::size_t t = 0; t < twigs_.size(); ++t)
      if (twigs_[t].parent >= 0) {
        next[t].push_back(twigs_[t].parent);
        next[std::size_t(twigs_[t].parent)].push_back(Index(t));
      }
    for (int round = 0; round < 10; ++round) {
      for (std::size_t t = 0; t < twigs_.size(); ++t) {
        if (next[t].size() < 2) continue;
        Vec3 mean{0, 0, 0};
        for (const Index n : next[t]) mean += twigs_[std::size_t(n)].x / double(next[t].size());
        const Vec3 half = 0.5 * (twigs_[t].x + mean);
        const auto sees = [&](Index n) { return body_.holds(half, twigs_[std::size_t(n)].x); };
        if (body_.distance(half) >= 0.7 * body_.r[twigs_[t].node] && body_.inside(half) &&
            std::all_of(next[t].begin(), next[t].end(), sees))
          twigs_[t].x = half;
      }
    }
  }

  const Body& body_;
  std::vector<char> covered_;
  std::vector<Index> twig_of_, mark_;
  std::vector<Index> skeleton_;  ///< nodes of twigs
  std::vector<Twig> twigs_;
  double widest_ = 0;
  Index limbs_ = 0;
};

/// Curves that were found elsewhere as trees, one a piece: from the deepest point, every ring cut where the
/// shortest ways around it meet. A limb goes on to the first of the twigs after it; the others begin limbs.
class CurveTrees {
 public:
  CurveTrees(const Body& body, const MiddleCurves& curves)
      : body_(body), curves_(curves), next_(curves.points.size()), way_(curves.points.size(), infinity) {
    for (const auto& [a, b] : curves.edges)
      next_[std::size_t(a)].push_back(b), next_[std::size_t(b)].push_back(a);
  }

  std::vector<std::vector<Twig>> make() {
    std::vector<std::vector<Twig>> out;
    for (std::size_t p = 0; p < next_.size(); ++p)
      if (way_[p] == infinity && !next_[p].empty()) out.push_back(tree_from(deepest_of(Index(p))));
    return out;
  }

 private:
  Index deepest_of(Index start) const {
    std::vector<Index> piece{start};
    std::vector<char> seen(next_.size(), 0);
    seen[std::size_t(start)] = 1;
    Index deepest = start;
    double depth = -1;
    for (std::size_t k = 0; k < piece.size(); ++k) {
      const double r = body_.distance(curves_.points[std::size_t(piece[k])]);
      if (r > depth) depth = r, deepest = piece[k];
      for (const Index n : next_[std::size_t(piece[k])])
        if (!seen[std::size_t(n)]) seen[std::size_t(n)] = 1, piece.push_back(n);
    }
    return deepest;
  }

  std::vector<Twig> tree_from(Index root) {
    struct Entry {
      double way;
      Index point, parent;  // of the curves; twig
      bool operator>(const Entry& other) const {
        return std::tie(way, point) > std::tie(other.way, other.point);
      }
    };
    std::vector<Twig> twigs;
    std::vector<char> goes_on;
    Index limbs = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    queue.push({0, root, -1});
    while (!queue.empty()) {
      const Entry at = queue.top();
      queue.pop();
      if (way_[std::size_t(at.point)] < infinity) continue;
      way_[std::size_t(at.point)] = at.way;
      Index limb = 0;
      if (at.parent >= 0) {
        const bool first = at.parent > 0 && !goes_on[std::size_t(at.parent)];
        goes_on[std::size_t(at.parent)] = 1;
        limb = first ? twigs[std::size_t(at.parent)].limb : ++limbs;
      }
      const Index twig = Index(twigs.size());
      const Vec3& x = curves_.points[std::size_t(at.point)];
      twigs.push_back({-1, at.parent, limb, x});
      goes_on.push_back(0);
      for (const Index n : next_[std::size_t(at.point)])
        if (way_[std::size_t(n)] == infinity)
          queue.push({at.way + (curves_.points[std::size_t(n)] - x).norm(), n, twig});
    }
    return twigs;
  }

  const Body& body_;
  const MiddleCurves& curves_;
  std::vector<std::vector<Index>> next_;
  std::vector<double> way_;  ///< from the root, m
};

/// Chooses joints among the twigs of one part and adds them to the skeleton.
class JointSetter {
 public:
  JointSetter(const Body& body, const std::vector<Twig>& twigs) : body_(body), twigs_(twigs) {
    children_.assign(twigs.size(), 0);
    for (const Twig& twig : twigs)
      if (twig.parent >= 0) ++children_[std::size_t(twig.parent)];
    is_joint_.assign(twigs.size(), 0);
  }

  void set(const std::string& prefix, Skeleton& skeleton) {
    for (std::size_t t = 0; t < twigs_.size(); ++t)
      if (twigs_[t].parent < 0 || children_[t] != 1) is_joint_[t] = 1;
    const std::vector<char> ends = is_joint_;
    for (std::size_t t = 0; t < twigs_.size(); ++t)
      if (ends[t] && twigs_[t].parent >= 0) cut(chain_to(Index(t), ends));

    std::vector<Index> joint_of(twigs_.size(), -1);
    std::vector<int> count;
    for (std::size_t t = 0; t < twigs_.size(); ++t) {  // parents come before children
      const Twig& twig = twigs_[t];
      joint_of[t] = twig.parent < 0 ? -1 : joint_of[std::size_t(twig.parent)];
      if (!is_joint_[t]) continue;
      count.resize(std::max(count.size(), std::size_t(twig.limb) + 1), 0);
      Joint joint;
      joint.name =
          prefix + (twig.parent < 0 ? std::string("root")
                                    : fmt::format("limb{}-{}", twig.limb, ++count[std::size_t(twig.limb)]));
      joint.parent = joint_of[t];
      joint.position = twig.x;
      joint.radius = body_.distance(twig.x);
      joint_of[t] = Index(skeleton.joints.size());
      skeleton.joints.push_back(std::move(joint));
    }
  }

 private:
  /// Twigs from the joint before to this one.
  std::vector<Index> chain_to(Index twig, const std::vector<char>& ends) const {
    std::vector<Index> chain{twig};
    do chain.push_back(twigs_[std::size_t(chain.back())].parent);
    while (!ends[std::size_t(chain.back())]);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  const Vec3& place(Index twig) const { return twigs_[std::size_t(twig)].x; }

  /// Sets joints inside a chain until every bone is straight, short and inside the solid.
  void cut(const std::vector<Index>& chain) {
    if (chain.size() < 3) return;
    const Vec3 &a = place(chain.front()), &b = place(chain.back());
    const double chord = (b - a).norm();
    std::size_t farthest = chain.size() / 2, middle = chain.size() / 2;
    double bulge = 0, way = 0, half = infinity;
    for (std::size_t k = 1; k + 1 < chain.size(); ++k) {
      const Vec3 p = place(chain[k]) - a;
      const double along = chord > 0 ? std::clamp(p.dot(b - a) / (chord * chord), 0.0, 1.0) : 0;
      const double off = (p - along * (b - a)).norm();
      if (off > bulge) bulge = off, farthest = k;
      if (std::abs(along - 0.5) < half) half = std::abs(along - 0.5), middle = k;
    }
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) way += (place(chain[k + 1]) - place(chain[k])).norm();
    const double r = body_.distance(place(chain[farthest]));
    const bool bent = bulge > std::max(0.35 * r, 0.012 * body_.size);
    const bool leaves = !body_.holds(a, b);
    if (!bent && !leaves && way <= 0.25 * body_.size) return;
    const std::size_t at = bent || leaves ? farthest : middle;
    is_joint_[std::size_t(chain[at])] = 1;
    cut({chain.begin(), chain.begin() + std::ptrdiff_t(at) + 1});
    cut({chain.begin() + std::ptrdiff_t(at), chain.end()});
  }

  const Body& body_;
  const std::vector<Twig>& twigs_;
  std::vector<int> children_;
  std::vector<char> is_joint_;
};

/// For a part without limbs: along the longest axis of inertia, between a quarter and three quarters.
void add_single_bone(const Body& body, const std::vector<Index>& part, const std::string& prefix,
                     Skeleton& skeleton) {
  const Points& x = body.graph.positions;
  Vec3 centre{0, 0, 0};
  double volume = 0;
  for (const Index i : part) centre += body.graph.volumes[i] * x[i], volume += body.graph.volumes[i];
  centre /= volume;
  Mat3 spread = Mat3::Zero();
  for (const Index i : part) spread += body.graph.volumes[i] * (x[i] - centre) * (x[i] - centre).transpose();
  Vec3 axis = spectrum(spread).vectors.col(2);
  Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  if (axis[largest] < 0) axis = -axis;  // the solver's sign is arbitrary
  double low = infinity, high = -infinity;
  for (const Index i : part)
    low = std::min(low, (x[i] - centre).dot(axis)), high = std::max(high, (x[i] - centre).dot(axis));
  // Of a bent part the middle of the axis may be air: then the nodes that are nearest to the two places.
  Index parent = -1;
  for (const double share : {0.25, 0.75}) {
    Joint joint;
    joint.name = prefix + (parent < 0 ? "root" : "limb1-1");
    joint.parent = parent;
    joint.position = centre + (low + share * (high - low)) * axis;
    if (!body.inside(joint.position)) {
      const Vec3 wanted = joint.position;
      joint.position = x[part.front()];
      for (const Index i : part)
        if ((x[i] - wanted).squaredNorm() < (joint.position - wanted).squaredNorm()) joint.position = x[i];
    }
    joint.radius = body.distance(joint.position);
    parent = Index(skeleton.joints.size());
    skeleton.joints.push_back(std::move(joint));
  }
}

std::string prefix_of(std::size_t part, std::size_t parts) {
  return parts > 1 ? fmt::format("part{}-", part + 1) : "";
}

/// Joints of the limbs traced in the graph; returns how many parts there are.
Index add_traced(const Body& body, Skeleton& skeleton) {
  const Index n = Index(body.graph.positions.size());
  const std::vector<Index> label = components(n, body.graph.edges);
  std::vector<std::vector<Index>> parts(std::size_t(*std::max_element(label.begin(), label.end())) + 1);
  for (Index i = 0; i < n; ++i) parts[std::size_t(label[i])].push_back(i);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::vector<Twig> twigs = Tracer(body, parts[p]).trace();
    if (twigs.size() > 1) {
      JointSetter(body, twigs).set(prefix_of(p, parts.size()), skeleton);
    } else {
      add_single_bone(body, parts[p], prefix_of(p, parts.size()), skeleton);
    }
  }
  return Index(parts.size());
}

/// Joints of the curves that the surface shrinks to; returns how many pieces they have.
Result<Index> add_shrunk(const Body& body, const PolygonMesh& mesh, Skeleton& skeleton) {
  const Result<Repaired> repaired = repair(mesh);
  if (!repaired) return repaired.error();
  const Result<MiddleCurves> curves = mean_curvature_curves(repaired->mesh);
  if (!curves) return curves.error();
  const std::vector<std::vector<Twig>> trees = CurveTrees(body, *curves).make();
  if (trees.empty())
    return Error{{}, {{"", "a surface that shrinks to points", "limbs", "leave --skeletonizer out"}}};
  for (std::size_t t = 0; t < trees.size(); ++t)
    JointSetter(body, trees[t]).set(prefix_of(t, trees.size()), skeleton);
  return Index(trees.size());
}

void describe(const Body& body, const Skeleton& skeleton, AutoSkeletonReport& report) {
  std::vector<char> inner(skeleton.joints.size(), 0);
  for (const Bone& bone : skeleton.bones()) {
    inner[std::size_t(bone.start)] = 1;
    ++report.bones;
    report.bones_leaving += !body.holds(skeleton.joints[std::size_t(bone.start)].position,
                                        skeleton.joints[std::size_t(bone.end)].position);
  }
  for (std::size_t j = 0; j < inner.size(); ++j) report.limbs += !inner[j];
}

}  // namespace

Result<AutoSkeleton> find_skeleton(const PolygonMesh& mesh, const AutoSkeletonOptions& options, Pool& pool) {
  const bool by_graph = options.skeletonizer == Skeletonizer::graph;
  if (!by_graph && !has_mean_curvature()) return mean_curvature_curves({}).error();
  Clock::time_point begin = Clock::now();
  MeshShapeOptions shape_options;
  shape_options.nodes = options.nodes;
  shape_options.solid = options.solid;
  Result<MeshShape> made = make_mesh_shape(mesh, shape_options, pool);
  if (!made) return made.error();
  if (!made->report.solid)
    return Error{{}, {{"", "a shell", "a solid", "no skeleton can be found in a shell"}}};
  AutoSkeleton out;
  out.report.graph_ms = milliseconds_since(begin);
  begin = Clock::now();
  const NodeGraph& graph = made->shape.graph;
  const Index n = Index(graph.positions.size());
  const double size = diagonal(made->shape.surface.vertices);
  Body body{graph,
            adjacency(n, graph.edges),
            TriangleTree(made->shape.surface.vertices, made->shape.surface.triangles),
            std::vector<double>(std::size_t(n)),
            made->report.spacing,
            size,
            options.detail * size};
  for_blocks(pool, n, 64, [&](int from, int to) {
    for (int i = from; i < to; ++i) body.r[std::size_t(i)] = body.distance(graph.positions[std::size_t(i)]);
  });
  if (by_graph) {
    out.report.parts = add_traced(body, out.skeleton);
  } else {
    const Result<Index> parts = add_shrunk(body, mesh, out.skeleton);
    if (!parts) return parts.error();
    out.report.parts = *parts;
  }
  describe(body, out.skeleton, out.report);
  out.report.skeleton_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
