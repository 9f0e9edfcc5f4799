// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/voxel_quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pliant/geometry/moments.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr int attempts = 12;
constexpr double enough_more = 1.15;  // so many more points than asked for are accepted
constexpr double far_more = 1.5;      // so many more: the voxels grow at once, not by 3 % an attempt
constexpr double most_voxels = 2e7;   // a surface that encloses next to nothing has no inside
constexpr int least_layers = 2;       // along every axis: points of one layer do not see a bend
constexpr double one_layer = 0.125;   // extent of points over the thickness of the solid; two layers: 0.25

/// The voxels of a bounding box whose edges are whole numbers of them.
struct Grid {
  Vec3 low, cell;
  std::array<int, 3> count;

  Grid(const Vec3& from, const Vec3& to, double edge) : low(from) {
    for (int c = 0; c < 3; ++c) {
      count[c] = std::max(least_layers, int(std::lround((to[c] - from[c]) / edge)));
      cell[c] = (to[c] - from[c]) / count[c];
    }
  }
  double volume() const { return cell.prod(); }
};

/// The voxels whose centres are inside. Blocks that no surface comes near are in or out as a whole.
class Inside {
 public:
  Inside(const Grid& grid, const TriangleTree& tree, bool closed)
      : grid_(grid),
        tree_(tree),
        closed_(closed),
        in_(std::size_t(grid.count[0]) * grid.count[1] * grid.count[2], 0) {}

  Points points() {
    int side = 1;
    while (side < *std::max_element(grid_.count.begin(), grid_.count.end())) side *= 2;
    look({0, 0, 0}, side);
    Points out;
    for (int k = 0; k < grid_.count[2]; ++k)
      for (int j = 0; j < grid_.count[1]; ++j)
        for (int i = 0; i < grid_.count[0]; ++i)
          if (in_[at(i, j, k)]) out.push_back(centre({i, j, k}));
    return out;
  }

 private:
  std::size_t at(int i, int j, int k) const {
    return (std::size_t(k) * grid_.count[1] + j) * grid_.count[0] + i;
  }
  Vec3 centre(const std::array<int, 3>& v) const {
    return grid_.low + Vec3(v[0] + 0.5, v[1] + 0.5, v[2] + 0.5).cwiseProduct(grid_.cell);
  }

  void look(const std::array<int, 3>& low, int side) {
    std::array<int, 3> high;
    for (int c = 0; c < 3; ++c) {
      if (low[c] >= grid_.count[c]) return;
      high[c] = std::min(low[c] + side, grid_.count[c]);
    }
    if (side == 1) {
      in_[at(low[0], low[1], low[2])] = tree_.winding(centre(low)) > 0.5;
      return;
    }
    const Vec3 from = centre(low), to = centre({high[0] - 1, high[1] - 1, high[2] - 1}),
               middle = 0.5 * (from + to);
    if (const auto all = same_side(middle, 0.5 * (to - from).norm())) {
      if (*all)
        for (int k = low[2]; k < high[2]; ++k)
          for (int j = low[1]; j < high[1]; ++j)
            std::fill_n(in_.begin() + std::ptrdiff_t(at(low[0], j, k)), high[0] - low[0], char(1));
      return;
    }
    for (int child = 0; child < 8; ++child) {
      std::array<int, 3> corner = low;
      for (int c = 0; c < 3; ++c) corner[c] += (child >> c & 1) * side / 2;
      look(corner, side / 2);
    }
  }

  /// Of all points within the radius. Around holes the winding number changes away from the surface, too; but it is
  /// harmonic there: by Harnack's inequality a positive one is at most 6 times its central value within half a ball
  /// without surface.
  std::optional<bool> same_side(const Vec3& middle, double radius) const {
    if (tree_.any_within(middle, (closed_ ? radius : 2 * radius) * (1 + 1e-9))) return std::nullopt;
    const double winding = tree_.winding(middle);
    if (closed_) return winding > 0.5;
    if (std::abs(winding) < 1.0 / 12) return false;
    if (winding > 11.0 / 12) return true;
    return std::nullopt;
  }

  const Grid& grid_;
  const TriangleTree& tree_;
  bool closed_;
  std::vector<char> in_;
};

/// Labels of the vertices: parts of the surface that triangles join.
std::vector<Index> parts_of(const TriMesh& surface) {
  std::vector<Index> label(surface.vertices.size());
  std::iota(label.begin(), label.end(), 0);
  const auto find = [&](Index v) {
    while (label[std::size_t(v)] != v) v = label[std::size_t(v)] = label[std::size_t(label[std::size_t(v)])];
    return v;
  };
  for (const Triangle& t : surface.triangles)
    for (int k = 1; k < 3; ++k) {
      const Index a = find(t[0]), b = find(t[k]);
      label[std::size_t(std::max(a, b))] = std::min(a, b);
    }
  for (Index v = 0; v < Index(label.size()); ++v) label[std::size_t(v)] = find(v);
  return label;
}

/// The node that mainly carries a vertex: it lies inside the vertex's part.
Index carrier(const Gather& embedding, Index vertex) {
  Index best = -1;
  double most = 0;
  for (Index k = embedding.begin[std::size_t(vertex)]; k < embedding.begin[std::size_t(vertex) + 1]; ++k)
    if (std::abs(embedding.weight[std::size_t(k)]) > most) {
      most = std::abs(embedding.weight[std::size_t(k)]);
      best = embedding.column[std::size_t(k)];
    }
  return best;
}

/// One point for every part of the surface without any.
void cover_parts(const Shape& shape, const TriangleTree& tree, Points& points, std::vector<double>& weights,
                 double weight) {
  const TriMesh& surface = shape.surface;
  const std::vector<Index> label = parts_of(surface);
  std::vector<char> has(label.size(), 0);
  for (const Vec3& p : points) {
    const TriangleTree::Nearest near = tree.nearest(p, 1e300);
    if (near.triangle < 0) continue;
    const Index v = surface.triangles[std::size_t(near.triangle)][0];
    has[std::size_t(label[std::size_t(v)])] = 1;
  }
  for (const Triangle& t : surface.triangles) {
    const Index part = label[std::size_t(t[0])];
    if (has[std::size_t(part)]) continue;
    has[std::size_t(part)] = 1;
    const Index node = carrier(shape.embedding, t[0]);
    if (node < 0) continue;
    points.push_back(shape.graph.positions[std::size_t(node)]);
    weights.push_back(std::min(weight, shape.graph.volumes[std::size_t(node)]));
  }
}

/// The direction in which points extend least, as long as how far they do (root mean square).
Vec3 least_extent(const Points& points) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / double(points.size());
  Mat3 second = Mat3::Zero();
  for (const Vec3& p : points) second += (p - mean) * (p - mean).transpose() / double(points.size());
  const Spectrum3 axes = spectrum(second);
  return std::sqrt(std::max(axes.values[0], 1e-300)) * axes.vectors.col(0);
}

/// Where the solid ends from a point of it along a way; the point itself where no surface is met.
Vec3 surface_along(const TriangleTree& tree, const Vec3& from, const Vec3& way) {
  const TriangleTree::Crossing crossing = tree.first_crossing(from, from + way);
  return crossing.triangle < 0 ? from : Vec3(from + crossing.t * way);
}

/// Points of one layer (voxels of a plate that stands slanting, or has a mast) become two each, at a quarter
/// and three quarters of the thickness there.
void split_layer(const TriangleTree& tree, double far, Points& points, std::vector<double>& weights) {
  const Vec3 extent = least_extent(points), thin = far * extent.normalized();
  Points low, high;
  double thickness = 0;  // mean
  for (const Vec3& p : points) {
    low.push_back(surface_along(tree, p, -thin));
    high.push_back(surface_along(tree, p, thin));
    thickness += (high.back() - low.back()).norm() / double(points.size());
  }
  if (extent.norm() > one_layer * thickness) return;
  for (std::size_t k = 0; k < low.size(); ++k) {
    points[k] = 0.75 * low[k] + 0.25 * high[k];
    points.push_back(0.25 * low[k] + 0.75 * high[k]);
    weights[k] /= 2;
    weights.push_back(weights[k]);
  }
}

}  // namespace

Shape with_quadrature(const Shape& shape, int points) {
  const Points& vertices = shape.surface.vertices;
  Vec3 low = vertices.front(), high = low;
  for (const Vec3& p : vertices) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double volume = std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
  const TriangleTree tree(vertices, shape.surface.triangles);

  double edge = std::cbrt(volume / points), too_coarse = 0;
  Points best;
  std::vector<double> weights;
  for (int k = 0; k < attempts; ++k) {
    const Grid grid(low, high, edge);
    if (double(grid.count[0]) * grid.count[1] * grid.count[2] > most_voxels) break;
    Points found = Inside(grid, tree, shape.closed).points();
    const std::size_t found_count = found.size();
    const bool enough = int(found_count) >= points;
    if (enough && (best.empty() || found.size() < best.size())) {
      weights.assign(found.size(), grid.volume());
      best = std::move(found);
    }
    if (enough && double(best.size()) <= enough_more * points) break;
    if (!enough) too_coarse = too_coarse > 0 ? std::min(too_coarse, edge) : edge;
    const double more = double(found_count) / points;
    edge *= !enough ? 0.94 : more > far_more && too_coarse == 0 ? std::cbrt(more) : 1.03;
    if (enough && too_coarse > 0 && edge >= too_coarse) break;
  }
  if (best.empty()) return {};
  for (int direction = 0; direction < 3; ++direction) split_layer(tree, (high - low).norm(), best, weights);
  cover_parts(shape, tree, best, weights, weights.front());
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight *= volume / sum;
  if (is_connected(shape.graph))
    match_moments(best, moments_of(shape.graph.positions, shape.graph.volumes), weights);

  Shape out;
  out.surface = shape.surface;
  out.closed = shape.closed;
  out.faces = shape.faces;
  out.graph.positions = std::move(best);
  out.graph.volumes = std::move(weights);
  const Index first = Index(out.graph.positions.size());
  out.graph.positions.insert(out.graph.positions.end(), vertices.begin(), vertices.end());
  out.graph.volumes.resize(out.graph.positions.size(), 0.0);
  std::vector<Index> nodes(vertices.size());
  std::iota(nodes.begin(), nodes.end(), first);
  out.embedding = pick(nodes);
  return out;
}

}  // namespace pliant
