// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/lattice_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pliant/base/clock.hpp"
#include "pliant/geometry/cell_box.hpp"
#include "pliant/geometry/filled_solid.hpp"
#include "pliant/geometry/split_edges.hpp"

namespace pliant {
namespace {

using Cell = std::array<Index, 8>;

constexpr double least_filled = 0.1;  // share of its volume that a cell counts with, at least
constexpr int share_samples = 3;      // per axis, of a cell that the surface cuts

/// Share of a cell that is inside.
double inside_share(const TriangleTree& tree, const Vec3& corner, double h) {
  int inside = 0;
  for (int c = 0; c < share_samples * share_samples * share_samples; ++c) {
    const Vec3 at(c % share_samples, c / share_samples % share_samples, c / (share_samples * share_samples));
    inside += tree.winding(corner + h / share_samples * (at + Vec3::Constant(0.5))) > 0.5;
  }
  return double(inside) / (share_samples * share_samples * share_samples);
}

/// Nodes and cells of the filled part, and how the points follow them.
class LatticeBody {
 public:
  LatticeBody(const CellBox& box) : box_(box) {
    const auto [nx, ny, nz] = box.count();
    node_.assign(std::size_t(nx + 1) * std::size_t(ny + 1) * std::size_t(nz + 1), -1);
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
          if (box.filled(i, j, k))
            for (int c = 0; c < 8; ++c) node_[point(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))] = 0;
    for (int k = 0; k <= nz; ++k)
      for (int j = 0; j <= ny; ++j)
        for (int i = 0; i <= nx; ++i)
          if (Index& node = node_[point(i, j, k)]; node == 0) {
            node = Index(nodes.size());
            nodes.push_back(box.corner(i, j, k));
          }
    for (int k = 0; k < nz; ++k)
      for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
          if (box.filled(i, j, k)) {
            cells.push_back(corners({i, j, k}));
            places.push_back({i, j, k});
          }
  }

  void append_row(const Vec3& p, Gather& out) const {
    CellBox::Place at;
    if (!p.allFinite()) {
      out.column.push_back(0);
      out.weight.push_back(1);
    } else if (box_.find(p, at)) {
      const Cell cell = corners(at.cell);
      for (int c = 0; c < 8; ++c) {
        double w = 1;
        for (int axis = 0; axis < 3; ++axis) w *= (c >> axis & 1) ? at.local[axis] : 1 - at.local[axis];
        if (w == 0) continue;
        out.column.push_back(cell[c]);
        out.weight.push_back(w);
      }
    } else {  // of no face: nothing was filled for it
      Index best = 0;
      for (Index i = 1; i < Index(nodes.size()); ++i)
        if ((nodes[i] - p).squaredNorm() < (nodes[best] - p).squaredNorm()) best = i;
      out.column.push_back(best);
      out.weight.push_back(1);
    }
    out.begin.push_back(Index(out.column.size()));
  }
  Gather rows(const Points& points) const {
    Gather out;
    for (const Vec3& p : points) append_row(p, out);
    return out;
  }

  Points nodes;
  std::vector<Cell> cells;
  std::vector<std::array<int, 3>> places;  ///< of cells

 private:
  std::size_t point(int i, int j, int k) const {
    const auto& n = box_.count();
    return (std::size_t(k) * std::size_t(n[1] + 1) + std::size_t(j)) * std::size_t(n[0] + 1) + std::size_t(i);
  }
  Cell corners(const std::array<int, 3>& at) const {
    Cell cell;
    for (int c = 0; c < 8; ++c)
      cell[c] = node_[point(at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2))];
    return cell;
  }

  const CellBox& box_;
  std::vector<Index> node_;
};

/// What is inside of every cell goes to its corners; in all it is the solid, if that is known.
void set_volumes(Shape& shape, const LatticeBody& body, const CellBox& box, const TriangleTree& tree,
                 const std::optional<Moments>& solid, Pool& pool) {
  std::vector<double> share(body.cells.size(), 1.0);
  for_blocks(pool, int(share.size()), 64, [&](int begin, int end) {
    for (int c = begin; c < end; ++c) {
      const auto [i, j, k] = body.places[c];
      if (box.cut(i, j, k)) share[c] = inside_share(tree, box.corner(i, j, k), box.step()[0]);
    }
  });
  std::vector<double>& volumes = shape.graph.volumes;
  std::fill(volumes.begin(), volumes.end(), 0.0);
  double counted = 0, sum = 0;
  const double whole = std::pow(box.step()[0], 3);
  const double least = least_filled * whole / 8;
  for (std::size_t c = 0; c < share.size(); ++c) {
    shape.graph.cell_material.emplace_back().fill(std::max(share[c] * whole / 8, least));
    counted += whole * share[c];
    for (const Index node : body.cells[c]) volumes[node] += whole / 8 * std::max(share[c], least_filled);
  }
  sum = std::accumulate(volumes.begin(), volumes.end(), 0.0);
  const double all = std::max(counted, least_filled * whole);
  for (double& v : volumes) v *= all / sum;
  if (solid) match_moments(shape.graph.positions, *solid, volumes);
}

/// Nodes, cells, masses and contact points; the caller adds the surface.
Shape lattice_body(const TriMesh& surface, const TriangleTree& tree, double h,
                   const std::optional<Moments>& solid, const Points& shown, Pool& pool) {
  const std::size_t most = surface.vertices.size() + 200000;
  SplitMesh split = split_long_edges(surface, h, most);
  const CellBox box = fill_cells(split.mesh, tree, centred_cells(split.mesh.vertices, h), pool);
  const LatticeBody body(box);
  Shape shape = shape_from_cells(body.nodes, body.cells);
  set_volumes(shape, body, box, tree, solid, pool);
  shape.embedding = body.rows(shown);
  shape.contact = body.rows(split.mesh.vertices);
  shape.contact_triangles = std::move(split.mesh.triangles);
  shape.closed = solid.has_value();
  return shape;
}

}  // namespace

Shape on_lattice(const TriMesh& surface, const Moments& solid, double spacing, Pool& pool) {
  const TriangleTree tree(surface.vertices, surface.triangles);
  Shape shape = lattice_body(surface, tree, spacing, solid, surface.vertices, pool);
  shape.surface = surface;
  return shape;
}

Result<MeshShape> make_lattice_shape(const PolygonMesh& mesh, const MeshShapeOptions& options, Pool& pool) {
  const Clock::time_point begin = Clock::now();
  Laps laps;
  MeshShape out;
  MeshShapeReport& report = out.report;
  Result<SolidToFill> found = solid_to_fill(mesh, options, {8, "a lattice fills"}, laps, report);
  if (!found) return found.error();
  const TriMesh& surface = found->surface.mesh;
  const double h = spacing_for(surface.vertices, found->volume, options.nodes, [&](double spacing) {
    const CellLayout cells = centred_cells(surface.vertices, spacing);
    return double(LatticeBody(fill_cells(surface, found->tree, cells, pool)).nodes.size());
  });
  laps.end("spacing");
  out.shape = lattice_body(surface, found->tree, h, found->exact, mesh.vertices, pool);
  laps.end("lattice");
  carry_surface(mesh, std::move(found->surface), out.shape);
  describe_filling(out.shape.graph, h, report);
  report.stages = laps.all();
  report.setup_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
