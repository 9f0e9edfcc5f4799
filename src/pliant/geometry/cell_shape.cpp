// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cell_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/geometry/moments.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {
namespace {

constexpr int eighth_samples = 5;    // along an axis of an eighth
constexpr double least_mass = 1e-3;  // of a full cell: what a cell has that only a vertex keeps

constexpr double border = 1e-9;  // of a cell: so near to a face a point belongs to both sides

struct CellGrid {
  Vec3 low, step;
  std::array<int, 3> cells;

  int count() const { return cells[0] * cells[1] * cells[2]; }
  int index(int i, int j, int k) const { return (k * cells[1] + j) * cells[0] + i; }
  std::array<int, 3> place(int cell) const {
    return {cell % cells[0], cell / cells[0] % cells[1], cell / cells[0] / cells[1]};
  }
  /// The cell of a point, and where it is in it, 0 .. 1; points outside are drawn in.
  int find(const Vec3& p, Vec3& local) const {
    std::array<int, 3> at;
    for (int c = 0; c < 3; ++c) {
      const double s = std::clamp((p[c] - low[c]) / step[c], 0.0, double(cells[c]));
      at[c] = std::min(int(s), cells[c] - 1);
      local[c] = s - at[c];
    }
    return index(at[0], at[1], at[2]);
  }
  /// The same, but of the cells that meet at the point one that is wanted, if there is one.
  int find(const Vec3& p, const std::vector<char>& wanted, Vec3& local) const {
    const int first = find(p, local);
    if (wanted[std::size_t(first)]) return first;
    const std::array<int, 3> at = place(first);
    for (int sides = 1; sides < 8; ++sides) {
      std::array<int, 3> beside = at;
      Vec3 there = local;
      bool meets = true;
      for (int c = 0; c < 3; ++c) {
        if (!(sides >> c & 1)) continue;
        meets &= local[c] < border && at[c] > 0;
        --beside[c];
        there[c] = 1;
      }
      if (!meets || !wanted[std::size_t(index(beside[0], beside[1], beside[2]))]) continue;
      local = there;
      return index(beside[0], beside[1], beside[2]);
    }
    return first;
  }
};

double trilinear(int corner, const Vec3& local) {
  double weight = 1;
  for (int c = 0; c < 3; ++c) weight *= corner >> c & 1 ? local[c] : 1 - local[c];
  return weight;
}

struct Material {
  std::vector<std::array<double, 8>> eighth;  ///< m^3, of every cell
  std::vector<std::array<double, 8>> mass;    ///< of every corner: integral of its trilinear function, m^3
};

Material count_material(const CellGrid& grid, const TriangleTree& tree, Pool& pool) {
  Material out;
  out.eighth.assign(std::size_t(grid.count()), {});
  out.mass = out.eighth;
  const int along = 2 * eighth_samples;
  const double each = grid.step.prod() / (along * along * along);
  for_blocks(pool, grid.count(), 1, [&](int cell, int) {
    const std::array<int, 3> at = grid.place(cell);
    const Vec3 corner = grid.low + grid.step.cwiseProduct(Vec3(at[0], at[1], at[2]));
    for (int n = 0; n < along * along * along; ++n) {
      const Eigen::Vector3i s(n % along, n / along % along, n / along / along);
      const Vec3 local = (s.cast<double>() + Vec3::Constant(0.5)) / along;
      if (!(tree.winding(corner + grid.step.cwiseProduct(local)) > 0.5)) continue;
      const int eighth =
          (s[0] >= eighth_samples) + 2 * (s[1] >= eighth_samples) + 4 * (s[2] >= eighth_samples);
      out.eighth[std::size_t(cell)][std::size_t(eighth)] += each;
      for (int c = 0; c < 8; ++c) out.mass[std::size_t(cell)][std::size_t(c)] += each * trilinear(c, local);
    }
  });
  return out;
}

double total(const std::vector<std::array<double, 8>>& cells) {
  double sum = 0;
  for (const auto& cell : cells) sum = std::accumulate(cell.begin(), cell.end(), sum);
  return sum;
}

void scale(std::vector<std::array<double, 8>>& cells, double by) {
  for (auto& cell : cells)
    for (double& value : cell) value *= by;
}

Error refuse(std::string found, std::string expected, std::string hint) {
  return Error{"", {{"", std::move(found), std::move(expected), std::move(hint)}}};
}

/// Cells with material, or with a vertex of the surface.
std::vector<char> kept_cells(const CellGrid& grid, const Material& material, const Points& vertices) {
  std::vector<char> kept(std::size_t(grid.count()), 0);
  Vec3 local;
  for (int k = 0; k < grid.count(); ++k)
    for (const double m : material.eighth[std::size_t(k)]) kept[std::size_t(k)] |= m > 0;
  for (const Vec3& p : vertices) kept[std::size_t(grid.find(p, kept, local))] = 1;
  return kept;
}

/// The kept cells, numbered, with the nodes at their corners.
struct NumberedCells {
  Points nodes;
  std::vector<std::array<Index, 8>> corners;
  std::vector<Index> number;                           ///< of every cell of the grid; -1: not kept
  std::vector<std::array<double, 8>> eighths, masses;  ///< as Material
};

/// The material sums to the volume; every corner has some mass.
NumberedCells number_cells(const CellGrid& grid, const std::vector<char>& kept, const Material& material,
                           double volume) {
  const std::array<int, 3>& cells = grid.cells;
  NumberedCells out;
  out.number.assign(std::size_t(grid.count()), -1);
  std::vector<Index> node_number(std::size_t((cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1)), -1);
  for (int k = 0; k < grid.count(); ++k) {
    if (!kept[std::size_t(k)]) continue;
    const std::array<int, 3> at = grid.place(k);
    std::array<Index, 8> cell;
    std::array<double, 8> mass = material.mass[std::size_t(k)];
    for (int c = 0; c < 8; ++c) {
      const int i = at[0] + (c & 1), j = at[1] + (c >> 1 & 1), l = at[2] + (c >> 2);
      Index& node = node_number[std::size_t((l * (cells[1] + 1) + j) * (cells[0] + 1) + i)];
      if (node < 0) {
        node = Index(out.nodes.size());
        out.nodes.push_back(grid.low + grid.step.cwiseProduct(Vec3(i, j, l)));
      }
      cell[std::size_t(c)] = node;
      mass[std::size_t(c)] += least_mass * grid.step.prod() / 8;
    }
    out.number[std::size_t(k)] = Index(out.corners.size());
    out.corners.push_back(cell);
    out.eighths.push_back(material.eighth[std::size_t(k)]);
    out.masses.push_back(mass);
  }
  scale(out.eighths, volume / total(out.eighths));
  scale(out.masses, volume / total(out.masses));
  return out;
}

}  // namespace

Result<Shape> make_cell_shape(const PolygonMesh& mesh, const std::array<int, 3>& cells, Pool& pool) {
  Result<Repaired> surface = repair(mesh);
  if (!surface) return surface.error();
  const Points& welded = surface->mesh.vertices;
  Eigen::AlignedBox3d box;
  for (const Vec3& p : welded) box.extend(p);
  if (!(box.sizes().minCoeff() > 1e-6 * box.diagonal().norm()))
    return refuse("a flat surface", "a solid to fill cells with",
                  "take a method that fills a surface with nodes");
  CellGrid grid{box.min(), box.sizes(), cells};
  for (int c = 0; c < 3; ++c) grid.step[c] /= cells[c];
  const TriangleTree tree(welded, surface->mesh.triangles);
  const Material material = count_material(grid, tree, pool);
  const double counted = total(material.eighth);
  if (!(counted > 0))
    return refuse("a surface that encloses nothing", "a solid to fill cells with",
                  "take a method that fills a surface with nodes");
  const double volume = surface->report.closed ? enclosed_volume(welded, surface->mesh.triangles) : counted;

  const std::vector<char> kept = kept_cells(grid, material, welded);
  NumberedCells numbered = number_cells(grid, kept, material, volume);
  const std::vector<std::array<Index, 8>>& corners = numbered.corners;
  Shape shape = shape_from_cells(std::move(numbered.nodes), corners);
  NodeGraph& graph = shape.graph;
  const Index carriers = Index(graph.positions.size());
  std::fill(graph.volumes.begin(), graph.volumes.end(), 0.0);
  for (std::size_t k = 0; k < corners.size(); ++k)
    for (std::size_t c = 0; c < 8; ++c) graph.volumes[std::size_t(corners[k][c])] += numbered.masses[k][c];
  graph.cell_material = std::move(numbered.eighths);
  if (surface->report.closed && surface->report.components == 1)
    match_moments(graph.positions, moments_of(welded, surface->mesh.triangles), graph.volumes);

  shape.surface = {mesh.vertices, surface->input_triangles};
  std::vector<Index> columns;
  Vec3 local;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Index place = surface->welded[v];
    const Vec3 p = place >= 0                     ? welded[std::size_t(place)]
                   : mesh.vertices[v].allFinite() ? mesh.vertices[v]
                                                  : box.min();
    Index cell = numbered.number[std::size_t(grid.find(p, kept, local))];
    if (cell < 0) cell = 0, local = Vec3::Zero();  // a vertex of no face goes with the first cell
    for (int c = 0; c < 8; ++c) {
      shape.followers.column.push_back(corners[std::size_t(cell)][std::size_t(c)]);
      shape.followers.weight.push_back(trilinear(c, local));
    }
    shape.followers.begin.push_back(Index(shape.followers.column.size()));
    columns.push_back(carriers + Index(v));
    graph.volumes.push_back(0);
  }
  graph.positions.resize(graph.positions.size() + mesh.vertices.size());
  gather(shape.followers, graph.positions, std::span(graph.positions).subspan(std::size_t(carriers)));
  shape.surface.vertices.assign(graph.positions.begin() + carriers, graph.positions.end());
  shape.embedding = pick(columns);
  shape.closed = surface->report.closed;
  shape.faces = mesh;
  return shape;
}

}  // namespace pliant
