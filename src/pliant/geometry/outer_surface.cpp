// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/outer_surface.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double nearest_cut =
    0.05;  // of a grid edge from its ends: no slivers, no two vertices in one place
constexpr int points_at_once = 512;

struct Grid {
  Vec3 low;
  double spacing;
  std::array<Index, 3> dims;

  Grid(const Eigen::AlignedBox3d& box, double spacing_, double margin) : spacing(spacing_) {
    low = box.min() - Vec3::Constant(margin);
    for (int c = 0; c < 3; ++c) dims[c] = Index(std::ceil((box.sizes()[c] + 2 * margin) / spacing)) + 1;
  }
  Index size() const { return dims[0] * dims[1] * dims[2]; }
  Index at(Index x, Index y, Index z) const { return (z * dims[1] + y) * dims[0] + x; }
  Vec3 point(Index k) const {
    return low + spacing * Vec3(k % dims[0], k / dims[0] % dims[1], k / dims[0] / dims[1]);
  }
};

using Field = std::vector<double>;  // one a grid point

/// Distance to the surface of the tree, at most `most`.
Field distances(const Grid& grid, const TriangleTree& tree, double most, Pool& pool) {
  Field out(grid.size());
  for_blocks(pool, grid.size(), points_at_once, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      const TriangleTree::Nearest found = tree.nearest(grid.point(k), most);
      out[k] = found.triangle < 0 ? most : found.distance;
    }
  });
  return out;
}

/// The grid points that can be reached from the rim through open ones, by steps along the axes.
std::vector<char> flooded(const Grid& grid, const std::vector<char>& open) {
  std::vector<char> seen(grid.size(), 0);
  std::vector<Index> front{0};
  seen[0] = 1;
  const Index step[3] = {1, grid.dims[0], grid.dims[0] * grid.dims[1]};
  while (!front.empty()) {
    const Index k = front.back();
    front.pop_back();
    for (int axis = 0; axis < 3; ++axis) {
      const Index along = k / step[axis] % grid.dims[axis];
      for (const int way : {-1, 1}) {
        if (along + way < 0 || along + way >= grid.dims[axis]) continue;
        const Index next = k + way * step[axis];
        if (seen[next] || !open[next]) continue;
        seen[next] = 1;
        front.push_back(next);
      }
    }
  }
  return seen;
}

/// A field that is > 0 exactly at the points that the air reaches; `open` is > 0 where it may be.
Field air_field(const Grid& grid, Field open, double least, const std::vector<char>* blocked) {
  std::vector<char> may(grid.size());
  for (Index k = 0; k < grid.size(); ++k) may[k] = open[k] > 0 && !(blocked && (*blocked)[k]);
  const std::vector<char> air = flooded(grid, may);
  for (Index k = 0; k < grid.size(); ++k) {
    const double size = std::max(least, std::abs(open[k]));
    open[k] = air[k] ? size : -size;
  }
  return open;
}

/// The six tetrahedra of a cell: paths from corner 0 to corner 7 along the axes [Kuhn60]. Neighbouring cells
/// cut their common face the same way.
struct KuhnCut {
  std::array<std::array<int, 4>, 6> tets;
  KuhnCut() {
    int axes[3] = {0, 1, 2}, n = 0;
    do {
      int corner = 0;
      tets[n][0] = 0;
      for (int k = 0; k < 3; ++k) tets[n][k + 1] = corner |= 1 << axes[k];
      ++n;
    } while (std::next_permutation(axes, axes + 3));
  }
};

/// Six times the volume of abcd, of corners of the unit cell at half coordinates.
int orientation(const Eigen::Vector3i& a, const Eigen::Vector3i& b, const Eigen::Vector3i& c,
                const Eigen::Vector3i& d) {
  Eigen::Matrix3i m;
  m << b - a, c - a, d - a;
  return m(0, 0) * (m(1, 1) * m(2, 2) - m(1, 2) * m(2, 1)) -
         m(0, 1) * (m(1, 0) * m(2, 2) - m(1, 2) * m(2, 0)) +
         m(0, 2) * (m(1, 0) * m(2, 1) - m(1, 1) * m(2, 0));
}

Eigen::Vector3i corner_place(int corner) { return {corner & 1, corner >> 1 & 1, corner >> 2 & 1}; }

class Contour {
 public:
  Contour(const Grid& grid, const Field& field)
      : grid_(grid), field_(field), vertex_(7 * std::size_t(grid.size()), -1) {}

  TriMesh run() {
    for (Index z = 0; z + 1 < grid_.dims[2]; ++z)
      for (Index y = 0; y + 1 < grid_.dims[1]; ++y)
        for (Index x = 0; x + 1 < grid_.dims[0]; ++x) cell(grid_.at(x, y, z));
    return std::move(mesh_);
  }

 private:
  Index corner(Index first, int corner) const {
    return first + (corner & 1) + (corner >> 1 & 1) * grid_.dims[0] +
           (corner >> 2 & 1) * grid_.dims[0] * grid_.dims[1];
  }

  void cell(Index first) {
    static const KuhnCut cut;
    int outside = 0;
    for (int c = 0; c < 8; ++c) outside += field_[corner(first, c)] > 0;
    if (outside == 0 || outside == 8) return;
    for (const auto& tet : cut.tets) {
      int in[4], out[4], ins = 0, outs = 0;
      for (const int c : tet) (field_[corner(first, c)] > 0 ? out[outs++] : in[ins++]) = c;
      if (ins == 1)
        face(first, {in[0], out[0]}, {in[0], out[1]}, {in[0], out[2]}, out[0]);
      else if (outs == 1)
        face(first, {in[0], out[0]}, {in[1], out[0]}, {in[2], out[0]}, out[0]);
      else if (ins == 2) {
        face(first, {in[0], out[0]}, {in[0], out[1]}, {in[1], out[1]}, out[0]);
        face(first, {in[0], out[0]}, {in[1], out[1]}, {in[1], out[0]}, out[0]);
      }
    }
  }

  using Cut = std::pair<int, int>;  // corners of the cell: inside, outside

  /// A triangle through three grid edges, turned towards the outside. Told by the middles of the edges: how
  /// far along an edge the cut is does not change the side that a corner is on.
  void face(Index first, const Cut& a, const Cut& b, const Cut& c, int outside) {
    std::array<Cut, 3> cuts{a, b, c};
    Eigen::Vector3i middle[3];
    for (int k = 0; k < 3; ++k) middle[k] = corner_place(cuts[k].first) + corner_place(cuts[k].second);
    // In a quad of four middles, which is flat, any corner outside is on the outer side.
    if (orientation(middle[0], middle[1], middle[2], 2 * corner_place(outside)) < 0)
      std::swap(cuts[1], cuts[2]);
    Triangle t;
    for (int k = 0; k < 3; ++k) t[k] = vertex(first, cuts[k]);
    mesh_.triangles.push_back(t);
  }

  Index vertex(Index first, const Cut& cut) {
    const Index a = corner(first, cut.first & cut.second), inside = corner(first, cut.first),
                outside = corner(first, cut.second);
    // The corners of a path edge contain one another: the lower one and the direction name the edge.
    Index& number = vertex_[7 * std::size_t(a) + std::size_t((cut.first ^ cut.second) - 1)];
    if (number >= 0) return number;
    number = Index(mesh_.vertices.size());
    const double f = field_[inside], g = field_[outside];
    const double along = std::clamp(f / (f - g), nearest_cut, 1 - nearest_cut);
    mesh_.vertices.push_back(grid_.point(inside) + along * (grid_.point(outside) - grid_.point(inside)));
    return number;
  }

  const Grid& grid_;
  const Field& field_;
  std::vector<Index> vertex_;  // of a grid edge
  TriMesh mesh_;
};

}  // namespace

TriMesh outer_surface(const Eigen::AlignedBox3d& box, const TriangleTree& tree,
                      const OuterSurfaceOptions& options, Pool& pool) {
  const double h = options.spacing, least = 1e-6 * box.diagonal().norm();
  const Grid grid(box, h, options.ball + 2.5 * h);
  const Field distance = distances(grid, tree, options.ball + 2 * h, pool);
  std::vector<char> blocked;
  if (options.filled) {
    blocked.resize(grid.size());
    for_blocks(pool, grid.size(), points_at_once, [&](int begin, int end) {
      for (int k = begin; k < end; ++k)
        blocked[k] = distance[k] > options.distance && tree.winding(grid.point(k)) > 0.5;
    });
  }
  const auto field_at = [&](double level) {
    Field open = distance;
    for (double& d : open) d -= level;
    return air_field(grid, std::move(open), least, options.filled ? &blocked : nullptr);
  };
  if (options.ball <= options.distance) return Contour(grid, field_at(options.distance)).run();

  // Where the centre of the ball can be, and all that is nearer to it than ball - distance.
  const Field centre = field_at(options.ball);
  const TriMesh reach = Contour(grid, centre).run();
  const TriangleTree reach_tree(reach.vertices, reach.triangles);
  const double back = options.ball - options.distance;
  const Field way = distances(grid, reach_tree, back + 2 * h, pool);
  Field open(grid.size());
  for (Index k = 0; k < grid.size(); ++k) {
    const double to_air = centre[k] > 0 ? -way[k] : way[k];
    open[k] = std::min(distance[k] - options.distance, back - to_air);
  }
  return Contour(grid, air_field(grid, std::move(open), least, options.filled ? &blocked : nullptr)).run();
}

}  // namespace pliant
