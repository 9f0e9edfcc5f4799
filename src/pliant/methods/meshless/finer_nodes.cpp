// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/finer_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/geometry/node_grid.hpp"
#include "pliant/geometry/sight.hpp"

namespace pliant::meshless {
namespace {

constexpr double too_near = 0.7;     // of the finer spacing: there is a node already
constexpr double on_surface = 1e-9;  // of the spacing: nodes of boxes lie on the surface
constexpr double link_reach = 1.7;   // of the coarse spacing
constexpr int most_links = 26;

Vec3 nearest_of(const Points& points, const Vec3& x) {
  return *std::min_element(points.begin(), points.end(), [&](const Vec3& a, const Vec3& b) {
    return (a - x).squaredNorm() < (b - x).squaredNorm();
  });
}

/// Points of the shape's own kind of lattice in a ball: cubic for shapes of cells, body-centred for meshes. It
/// goes through a node of the shape's lattice, so that with a whole ratio the nodes of that lattice belong to it.
/// Those that a shape has beside its lattice, to cover thin parts, do not.
template <class Visit>
void each_lattice_point(const FinerBall& ball, const Vec3& origin, double constant, bool centred,
                        Visit&& visit) {
  std::array<int, 3> first{}, last{};
  for (int c = 0; c < 3; ++c) {
    first[std::size_t(c)] = int(std::floor((ball.center[c] - ball.radius - origin[c]) / constant)) - 1;
    last[std::size_t(c)] = int(std::ceil((ball.center[c] + ball.radius - origin[c]) / constant));
  }
  for (int k = first[2]; k <= last[2]; ++k)
    for (int j = first[1]; j <= last[1]; ++j)
      for (int i = first[0]; i <= last[0]; ++i)
        for (int middle = 0; middle <= int(centred); ++middle) {
          const Vec3 x = origin + constant * (Vec3(i, j, k) + Vec3::Constant(0.5 * middle));
          if ((x - ball.center).norm() <= ball.radius * (1 + 1e-9)) visit(x);
        }
}

class Densifier {
 public:
  Densifier(Shape& shape, double spacing)
      : shape_(shape),
        spacing_(spacing),
        cells_(!shape.graph.cells.empty()),
        tree_(boundary_of(shape).vertices, boundary_of(shape).triangles),
        sight_(tree_, spacing, !shape.closed),
        grid_(shape.graph.positions, spacing) {}

  void fill(const FinerBall& ball, const Points& lattice) {
    const double fine = spacing_ / ball.ratio;
    const double constant = cells_ ? fine : fine * 2 / std::numbers::sqrt3;
    std::vector<NodeGrid::Found> found;
    each_lattice_point(ball, nearest_of(lattice, ball.center), constant, !cells_, [&](const Vec3& x) {
      grid_.nearest(x, 1, too_near * fine, found);
      if (!found.empty() || !inside(x)) return;
      shape_.graph.positions.push_back(x);
      shape_.graph.volumes.push_back(0);
      grid_.insert(x);
    });
  }

  /// Edges of the nodes from `first` on: ways from node to node that stay inside.
  void link(Index first) {
    std::vector<NodeGraph::Edge>& edges = shape_.graph.edges;
    const Points& x = shape_.graph.positions;
    std::vector<NodeGrid::Found> found;
    Sight::Scratch scratch;
    for (Index i = first; i < Index(x.size()); ++i) {
      grid_.nearest(x[std::size_t(i)], most_links + 1, link_reach * spacing_, found);
      for (const auto& f : found)
        if (f.id != i &&
            (cells_ || sight_.clear({x[std::size_t(i)], 1, 0}, {x[std::size_t(f.id)], 1, 0}, scratch)))
          edges.push_back({std::min(i, f.id), std::max(i, f.id), 0});
    }
    const auto key = [](const NodeGraph::Edge& e) { return std::pair(e.a, e.b); };
    std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    edges.erase(std::unique(edges.begin(), edges.end(),
                            [&](const auto& a, const auto& b) { return key(a) == key(b); }),
                edges.end());
  }

 private:
  bool inside(const Vec3& x) const {
    return tree_.winding(x) > 0.5 || (cells_ && tree_.any_within(x, on_surface * spacing_));
  }

  Shape& shape_;
  double spacing_;
  bool cells_;
  TriangleTree tree_;
  Sight sight_;
  NodeGrid grid_;
};

}  // namespace

int halvings(const std::vector<FinerBall>& balls, const Vec3& low, const Vec3& high) {
  double ratio = 1;
  for (const FinerBall& ball : balls) {
    const Vec3 nearest = ball.center.cwiseMax(low).cwiseMin(high);
    if ((nearest - ball.center).norm() < ball.radius * (1 - 1e-9)) ratio = std::max(ratio, ball.ratio);
  }
  return int(std::ceil(std::log2(ratio) - 1e-9));
}

Shape with_finer_nodes(Shape shape, const std::vector<FinerBall>& balls, const Points& lattice,
                       double spacing) {
  if (balls.empty()) return shape;
  const Index first = Index(shape.graph.positions.size());
  Densifier densifier(shape, spacing);
  for (const FinerBall& ball : balls) densifier.fill(ball, lattice);
  densifier.link(first);
  return shape;
}

}  // namespace pliant::meshless
