// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/lattice_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pliant/base/clock.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/geometry/split_edges.hpp"

namespace pliant {
namespace {

using Cell = std::array<Index, 8>;

constexpr double on_face = 1e-6;      // of a cell: a point so near to a neighbour lies in it, too
constexpr double least_filled = 0.1;  // share of its volume that a cell counts with, at least
constexpr int samples = 3;            // per axis, of a cell that the surface cuts
constexpr double most_cells = 2e8;    // of the bounding box
constexpr int search_steps = 8;       // for the spacing of a number of nodes

struct Place {
  std::array<int, 3> cell;
  Vec3 local;  ///< 0 .. 1 in the cell
};

/// The lowest and the highest corner of a box around the points.
std::array<Vec3, 2> corners_of(const Points& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return {low, high};
}

/// The cells of a bounding box; which of them belong to the body.
class CellBox {
 public:
  CellBox(const Points& points, double h) : h_(h) {
    const auto [low, high] = corners_of(points);
    const Vec3 wide = high - low;
    for (int c = 0; c < 3; ++c) count_[c] = std::max(1, int(std::ceil(wide[c] / h - on_face)));
    origin_ = 0.5 * (low + high) - 0.5 * h * Vec3(count_[0], count_[1], count_[2]);
    state_.assign(std::size_t(count_[0]) * std::size_t(count_[1]) * std::size_t(count_[2]), 0);
  }
  static double size(const Points& points, double h) {
    const auto [low, high] = corners_of(points);
    return ((high - low) / h).array().max(1).prod();
  }

  std::size_t index(int i, int j, int k) const {
    return (std::size_t(k) * std::size_t(count_[1]) + std::size_t(j)) * std::size_t(count_[0]) +
           std::size_t(i);
  }
  Vec3 corner(int i, int j, int k) const { return origin_ + h_ * Vec3(i, j, k); }
  const std::array<int, 3>& count() const { return count_; }
  double h() const { return h_; }
  bool filled(int i, int j, int k) const { return state_[index(i, j, k)] != 0; }
  bool cut(int i, int j, int k) const { return state_[index(i, j, k)] == 2; }
  void fill(int i, int j, int k) { state_[index(i, j, k)] = std::max<char>(1, state_[index(i, j, k)]); }

  /// The filled cell that the point lies in, or the one where it should be.
  bool find(const Vec3& p, Place& out) const {
    const Vec3 at = (p - origin_) / h_;
    std::array<int, 3> low, high;
    for (int c = 0; c < 3; ++c) {
      low[c] = std::clamp(int(std::floor(at[c] - on_face)), 0, count_[c] - 1);
      high[c] = std::clamp(int(std::floor(at[c] + on_face)), 0, count_[c] - 1);
    }
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i)
          if (filled(i, j, k)) {
            set(out, at, {i, j, k});
            return true;
          }
    set(out, at, high);
    return false;
  }
  /// The surface passes through there.
  void touch(const Vec3& p) {
    Place at;
    find(p, at);
    state_[index(at.cell[0], at.cell[1], at.cell[2])] = 2;
  }

 private:
  static void set(Place& out, const Vec3& at, const std::array<int, 3>& cell) {
    out.cell = cell;
    for (int c = 0; c < 3; ++c) out.local[c] = std::clamp(at[c] - cell[c], 0.0, 1.0);
  }

  double h_;
  Vec3 origin_;
  std::array<int, 3> count_;
  std::vector<char> state_;  ///< 0 outside, 1 inside, 2 cut
};

/// Points of a triangle so dense that no cell in its way is missed by much.
template <class Visit>
void sample_triangle(const Vec3& a, const Vec3& b, const Vec3& c, double step, Visit&& visit) {
  const double longest =
      std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
  const int n = std::max(1, int(std::ceil(longest / step)));
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j) visit(Vec3(a + (b - a) * (double(i) / n) + (c - a) * (double(j) / n)));
}

/// Which cells belong to the solid inside the surface.
CellBox fill_cells(const TriMesh& surface, const TriangleTree& tree, double h, Pool& pool) {
  CellBox box(surface.vertices, h);
  // A cell is written by one part alone.
  pool.run(box.count()[2], [&](int k) {
    for (int j = 0; j < box.count()[1]; ++j)
      for (int i = 0; i < box.count()[0]; ++i)
        if (tree.winding(box.corner(i, j, k) + Vec3::Constant(h / 2)) > 0.5) box.fill(i, j, k);
  });
  for (const Triangle& t : surface.triangles)
    sample_triangle(surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]], h / 2,
                    [&](const Vec3& p) { box.touch(p); });
  return box;
}

/// Share of a cell that is inside.
double inside_share(const TriangleTree& tree, const Vec3& corner, double h) {
  int inside = 0;
  for (int c = 0; c < samples * samples * samples; ++c) {
    const Vec3 at(c % samples, c / samples % samples, c / (samples * samples));
    inside += tree.winding(corner + h / samples * (at + Vec3::Constant(0.5))) > 0.5;
  }
  return double(inside) / (samples * samples * samples);
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
    Place at;
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
      if (box.cut(i, j, k)) share[c] = inside_share(tree, box.corner(i, j, k), box.h());
    }
  });
  std::vector<double>& volumes = shape.graph.volumes;
  std::fill(volumes.begin(), volumes.end(), 0.0);
  double counted = 0, sum = 0;
  const double whole = std::pow(box.h(), 3);
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
  const CellBox box = fill_cells(split.mesh, tree, h, pool);
  const LatticeBody body(box);
  Shape shape = shape_from_cells(body.nodes, body.cells);
  set_volumes(shape, body, box, tree, solid, pool);
  shape.embedding = body.rows(shown);
  shape.contact = body.rows(split.mesh.vertices);
  shape.contact_triangles = std::move(split.mesh.triangles);
  shape.closed = solid.has_value();
  return shape;
}

std::size_t count_nodes(const TriMesh& surface, const TriangleTree& tree, double h, Pool& pool) {
  return LatticeBody(fill_cells(surface, tree, h, pool)).nodes.size();
}

/// The spacing of at most so many nodes, and not many fewer.
double spacing_for(const TriMesh& surface, const TriangleTree& tree, double volume, int nodes, Pool& pool) {
  double h = std::cbrt(volume / nodes);
  while (CellBox::size(surface.vertices, h) > most_cells) h *= 1.25;
  double fits = 0;
  for (int step = 0; step < search_steps; ++step) {
    const double count = double(count_nodes(surface, tree, h, pool));
    if (count <= nodes) fits = fits > 0 ? std::min(fits, h) : h;
    if (count <= nodes && count > 0.85 * nodes) break;
    // cut cells make the count fall less than with the cube of h
    h *= std::pow(count / (0.94 * nodes), 0.4);
  }
  while (fits == 0) {
    h *= 1.1;
    if (count_nodes(surface, tree, h, pool) <= std::size_t(std::max(nodes, 8))) fits = h;
  }
  return fits;
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
  Result<Repaired> repaired = repair(mesh);
  if (!repaired) return repaired.error();
  Repaired& surface = *repaired;
  MeshShape out;
  MeshShapeReport& report = out.report;
  report.repair = surface.report;
  laps.end("repair");
  if (options.nodes < 8)
    return refuse("nodes", std::to_string(options.nodes), "at least 8, those of a cell", {});
  const TriangleTree tree(surface.mesh.vertices, surface.mesh.triangles);
  laps.end("tree");
  report.solidity = solidity(surface, tree);
  report.solid = options.solid.value_or(report.solidity.any_solid);
  laps.end("solid or shell");
  if (!report.solid)
    return refuse("", "a sheet", "the skin of a solid: a lattice fills what is inside",
                  "\"solid\": true fills it nevertheless" +
                      (options.for_sheets.empty() ? "" : "; or " + options.for_sheets));
  const bool closed = surface.report.closed && surface.report.components == 1;
  std::optional<Moments> solid;
  if (closed) solid = moments_of(surface.mesh.vertices, surface.mesh.triangles);
  const double counted = closed ? solid->volume : counted_volume(surface.mesh, tree, 4000);
  if (!(counted > 0)) return refuse("", "no volume inside the surface", "a solid", {});
  const double h = spacing_for(surface.mesh, tree, counted, options.nodes, pool);
  laps.end("spacing");
  out.shape = lattice_body(surface.mesh, tree, h, solid, mesh.vertices, pool);
  Shape& shape = out.shape;
  shape.closed = surface.report.closed;
  laps.end("lattice");
  shape.surface.vertices = mesh.vertices;
  for (Vec3& p : shape.surface.vertices)
    if (!p.allFinite()) p = shape.graph.positions.front();
  shape.surface.triangles = std::move(surface.input_triangles);
  shape.faces = mesh;
  report.spacing = h;
  report.nodes = report.lattice_nodes = Index(shape.graph.positions.size());
  report.volume = std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
  const std::vector<Index> label = components(report.nodes, shape.graph.edges);
  report.parts = *std::max_element(label.begin(), label.end()) + 1;
  if (report.parts > 1)
    report.warnings.push_back(fmt::format("{} separate parts; they will fall apart.", report.parts));
  report.stages = laps.all();
  report.setup_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
