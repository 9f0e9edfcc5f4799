// SPDX-License-Identifier: Apache-2.0
// A cell is 24 pieces: each is the hull of the centre of the cell, the centre of a face and an edge of that
// face. Material is counted by pieces; a tetrahedron between two cells is one piece of each, a tetrahedron at a
// face without a neighbour two pieces of its own cell.
#include "pliant/geometry/tetrahedral_shape.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "pliant/base/clock.hpp"
#include "pliant/geometry/cell_box.hpp"
#include "pliant/geometry/filled_solid.hpp"

namespace pliant {
namespace {

using Tetrahedron = NodeGraph::Tetrahedron;

constexpr int pieces = 24;        // of a cell
constexpr int piece_samples = 8;  // along an axis of a cell that the surface cuts
constexpr double least_fill =
    1e-3;  // of a tetrahedron: so much material has one that the surface only touches

/// Piece 4 f + e: face f = 2 axis + side, edge e of the face from its corner e to corner e + 1.
int piece_of(const Vec3& local) {
  const Vec3 d = local - Vec3::Constant(0.5);
  int axis = 0;
  d.cwiseAbs().maxCoeff(&axis);
  const double u = d[(axis + 1) % 3], v = d[(axis + 2) % 3];
  const int edge = std::abs(v) >= std::abs(u) ? (v < 0 ? 0 : 2) : (u > 0 ? 1 : 3);
  return 4 * (2 * axis + (d[axis] > 0)) + edge;
}

/// Corner e of a face as offsets along the axes; corners run around the face.
std::array<int, 3> face_corner(int axis, int side, int e) {
  std::array<int, 3> out{};
  out[std::size_t(axis)] = side;
  out[std::size_t((axis + 1) % 3)] = e == 1 || e == 2;
  out[std::size_t((axis + 2) % 3)] = e == 2 || e == 3;
  return out;
}

/// Filling of a piece.
struct Filling {
  double volume = 0;           ///< m^3
  Vec3 moment = Vec3::Zero();  ///< integral of the position, m^4

  Filling& operator+=(const Filling& o) {
    volume += o.volume;
    moment += o.moment;
    return *this;
  }
};
using CellFilling = std::array<Filling, pieces>;

/// The centre of a full piece, in the cell.
Vec3 piece_centre(int piece) {
  const int axis = piece / 8, side = piece / 4 % 2;
  Vec3 face = Vec3::Constant(0.5), sum = face;  // the centre of the cell
  face[axis] = side;
  sum += face;
  for (const int e : {piece % 4, (piece + 1) % 4}) {
    const auto corner = face_corner(axis, side, e);
    sum += Vec3(corner[0], corner[1], corner[2]);
  }
  return sum / 4;
}

/// What is inside of a cell, by samples. inside: of a point, m.
template <class Inside>
CellFilling count_filling(const CellBox& box, const std::array<int, 3>& cell, bool cut, Inside&& inside) {
  const Vec3 low = box.corner(cell[0], cell[1], cell[2]);
  const double each = box.step().prod() / pieces;
  CellFilling out;
  if (!cut) {
    for (int p = 0; p < pieces; ++p)
      out[std::size_t(p)] = {each, each * (low + box.step().cwiseProduct(piece_centre(p)))};
    return out;
  }
  std::array<int, pieces> seen{};
  for (int n = 0; n < piece_samples * piece_samples * piece_samples; ++n) {
    const Vec3 at(n % piece_samples, n / piece_samples % piece_samples, n / (piece_samples * piece_samples));
    const Vec3 local = (at + Vec3::Constant(0.5)) / piece_samples;
    const std::size_t piece = std::size_t(piece_of(local));
    ++seen[piece];
    const Vec3 X = low + box.step().cwiseProduct(local);
    if (inside(X)) out[piece] += {1, X};
  }
  for (std::size_t p = 0; p < pieces; ++p) {
    out[p].moment *= each / seen[p];
    out[p].volume *= each / seen[p];
  }
  return out;
}

/// Nodes and tetrahedra of the kept cells, and how points follow them.
class TetrahedralLattice {
 public:
  explicit TetrahedralLattice(const CellBox& box) : box_(box) {
    const auto [nx, ny, nz] = box.count();
    corner_.assign(std::size_t(nx + 1) * std::size_t(ny + 1) * std::size_t(nz + 1), -1);
    centre_.assign(std::size_t(nx) * std::size_t(ny) * std::size_t(nz), -1);
    each_cell([&](int i, int j, int k) {
      if (!box.filled(i, j, k)) return;
      cells.push_back({i, j, k});
      for (int c = 0; c < 8; ++c) corner_[point(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))] = 0;
    });
    // Numbered as they lie in space: neighbours are near each other in memory, too.
    for (int k = 0; k <= nz; ++k)
      for (int j = 0; j <= ny; ++j)
        for (int i = 0; i <= nx; ++i) {
          if (Index& node = corner_[point(i, j, k)]; node == 0) node = add(box.corner(i, j, k));
          if (kept({i, j, k})) centre_[box.index(i, j, k)] = add(box.centre(i, j, k));
        }
  }

  /// material: of every kept cell.
  void make_tetrahedra(const std::vector<CellFilling>& material) {
    std::vector<Index> number(centre_.size(), -1);
    for (std::size_t c = 0; c < cells.size(); ++c)
      number[box_.index(cells[c][0], cells[c][1], cells[c][2])] = Index(c);
    volumes.assign(nodes.size(), 0.0);
    for (std::size_t c = 0; c < cells.size(); ++c)
      for (int face = 0; face < 6; ++face) {
        const std::array<int, 3> beside = neighbour(cells[c], face);
        if (!kept(beside)) {
          for (int e = 0; e < 4; ++e) {
            Filling half = material[c][std::size_t(4 * face + e)];
            half += material[c][std::size_t(4 * face + (e + 1) % 4)];
            half.volume *= 0.5, half.moment *= 0.5;
            add_tetrahedron(outer(cells[c], face, e), half, 0.5);
          }
        } else if (face % 2 == 1) {
          const CellFilling& other =
              material[std::size_t(number[box_.index(beside[0], beside[1], beside[2])])];
          for (int e = 0; e < 4; ++e) {
            Filling both = material[c][std::size_t(4 * face + e)];
            both += other[std::size_t(4 * (face - 1) + e)];
            add_tetrahedron(inner(cells[c], face, e), both, 1);
          }
        }
      }
  }

  /// The weights of the nodes at each point.
  Gather rows(const Points& points) const {
    Gather out;
    for (const Vec3& p : points) {
      append_row(p, out);
      out.begin.push_back(Index(out.column.size()));
    }
    return out;
  }

  Points nodes;
  std::vector<std::array<int, 3>> cells;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<double> volumes;  ///< of nodes, m^3

 private:
  template <class Visit>
  void each_cell(Visit&& visit) const {
    for (int k = 0; k < box_.count()[2]; ++k)
      for (int j = 0; j < box_.count()[1]; ++j)
        for (int i = 0; i < box_.count()[0]; ++i) visit(i, j, k);
  }
  Index add(const Vec3& X) {
    nodes.push_back(X);
    return Index(nodes.size()) - 1;
  }
  std::size_t point(int i, int j, int k) const {
    const auto& n = box_.count();
    return (std::size_t(k) * std::size_t(n[1] + 1) + std::size_t(j)) * std::size_t(n[0] + 1) + std::size_t(i);
  }
  bool kept(const std::array<int, 3>& cell) const {
    for (std::size_t c = 0; c < 3; ++c)
      if (cell[c] < 0 || cell[c] >= box_.count()[c]) return false;
    return box_.filled(cell[0], cell[1], cell[2]);
  }
  static std::array<int, 3> neighbour(std::array<int, 3> cell, int face) {
    cell[std::size_t(face / 2)] += face % 2 == 1 ? 1 : -1;
    return cell;
  }
  Index corner(const std::array<int, 3>& cell, int face, int e) const {
    const auto at = face_corner(face / 2, face % 2, e % 4);
    return corner_[point(cell[0] + at[0], cell[1] + at[1], cell[2] + at[2])];
  }
  Index centre(const std::array<int, 3>& cell) const {
    return centre_[box_.index(cell[0], cell[1], cell[2])];
  }
  /// Between the cell and its neighbour, at edge e of their face.
  std::array<Index, 4> inner(const std::array<int, 3>& cell, int face, int e) const {
    return {centre(cell), centre(neighbour(cell, face)), corner(cell, face, e), corner(cell, face, e + 1)};
  }
  /// On edges e and e + 1 of a face without a neighbour.
  std::array<Index, 4> outer(const std::array<int, 3>& cell, int face, int e) const {
    return {centre(cell), corner(cell, face, e), corner(cell, face, e + 1), corner(cell, face, e + 2)};
  }

  Mat3 edges(const std::array<Index, 4>& node) const {
    Mat3 out;
    for (int a = 0; a < 3; ++a) out.col(a) = nodes[node[std::size_t(a) + 1]] - nodes[node[0]];
    return out;
  }
  /// The weights of the corners at a point.
  std::array<double, 4> weights(const std::array<Index, 4>& node, const Vec3& X) const {
    const Vec3 s = edges(node).inverse() * (X - nodes[node[0]]);
    return {1 - s.sum(), s[0], s[1], s[2]};
  }

  /// part: of the tetrahedron, that other tetrahedra in its place leave to it.
  void add_tetrahedron(std::array<Index, 4> node, const Filling& in, double part) {
    double full = edges(node).determinant() / 6;
    if (full < 0) std::swap(node[2], node[3]), full = -full;
    const double more = std::max(0.0, least_fill * part * full - in.volume);
    tetrahedra.push_back({node, in.volume + more});
    for (std::size_t a = 0; a < 4; ++a) volumes[node[a]] += more / 4;
    if (!(in.volume > 0)) return;
    // The mass of a corner is the integral of its shape function: linear, so it is its value at the centre.
    const std::array<double, 4> share = weights(node, in.moment / in.volume);
    for (std::size_t a = 0; a < 4; ++a) volumes[node[a]] += in.volume * std::max(0.0, share[a]);
  }

  void append(const std::array<Index, 4>& node, const Vec3& p, double part, Gather& out) const {
    const std::array<double, 4> share = weights(node, p);
    for (std::size_t a = 0; a < 4; ++a) {
      if (std::abs(share[a]) < 1e-12) continue;
      out.column.push_back(node[a]);
      out.weight.push_back(part * share[a]);
    }
  }
  void append_row(const Vec3& p, Gather& out) const {
    CellBox::Place at;
    if (!p.allFinite() || !box_.find(p, at)) {  // of no face: nothing was kept for it
      out.column.push_back(p.allFinite() ? nearest(p) : 0);
      out.weight.push_back(1);
      return;
    }
    const int piece = piece_of(at.local), face = piece / 4, e = piece % 4;
    if (kept(neighbour(at.cell, face))) {
      append(inner(at.cell, face, e), p, 1, out);
      return;
    }
    append(outer(at.cell, face, e), p, 0.5, out);
    append(outer(at.cell, face, (e + 3) % 4), p, 0.5, out);
  }
  Index nearest(const Vec3& p) const {
    Index best = 0;
    for (Index i = 1; i < Index(nodes.size()); ++i)
      if ((nodes[i] - p).squaredNorm() < (nodes[best] - p).squaredNorm()) best = i;
    return best;
  }

  const CellBox& box_;
  std::vector<Index> corner_, centre_;  ///< nodes; -1: none
};

std::vector<CellFilling> count_all(const CellBox& box, const std::vector<std::array<int, 3>>& cells,
                                   const TriangleTree& tree, Pool& pool) {
  std::vector<CellFilling> out(cells.size());
  for_blocks(pool, int(cells.size()), 8, [&](int begin, int end) {
    for (int c = begin; c < end; ++c) {
      const std::array<int, 3>& at = cells[std::size_t(c)];
      out[std::size_t(c)] = count_filling(box, at, box.cut(at[0], at[1], at[2]),
                                          [&](const Vec3& p) { return tree.winding(p) > 0.5; });
    }
  });
  return out;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// All pairs of corners, each once.
std::vector<NodeGraph::Edge> edges_of(const std::vector<Tetrahedron>& tetrahedra) {
  std::vector<NodeGraph::Edge> out;
  for (const Tetrahedron& t : tetrahedra)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        if (t.node[a] < t.node[b]) out.push_back({t.node[a], t.node[b], 0});
  const auto key = [](const NodeGraph::Edge& e) { return std::pair(e.a, e.b); };
  std::sort(out.begin(), out.end(), [&](const auto& l, const auto& r) { return key(l) < key(r); });
  out.erase(
      std::unique(out.begin(), out.end(), [&](const auto& l, const auto& r) { return key(l) == key(r); }),
      out.end());
  return out;
}

/// The graph: material in all is the volume; a closed solid gives the masses its moments, too.
NodeGraph make_graph(TetrahedralLattice&& lattice, double volume, const std::optional<Moments>& solid) {
  NodeGraph graph;
  graph.positions = std::move(lattice.nodes);
  graph.volumes = std::move(lattice.volumes);
  graph.tetrahedra = std::move(lattice.tetrahedra);
  const double scale = volume / sum_of(graph.volumes);
  for (double& v : graph.volumes) v *= scale;
  for (Tetrahedron& t : graph.tetrahedra) t.material *= scale;
  if (solid) match_moments(graph.positions, *solid, graph.volumes);
  graph.edges = edges_of(graph.tetrahedra);
  return graph;
}

double area_of(const TriMesh& mesh) {
  double area = 0;
  for (const Triangle& t : mesh.triangles)
    area +=
        0.5 *
        (mesh.vertices[t[1]] - mesh.vertices[t[0]]).cross(mesh.vertices[t[2]] - mesh.vertices[t[0]]).norm();
  return area;
}

void warn_of_thin_parts(const TriMesh& surface, MeshShapeReport& report) {
  const double thickness = 2 * report.volume / area_of(surface);  // of a plate of this volume and area
  if (thickness < report.spacing)
    report.warnings.push_back(
        fmt::format("mostly thinner than one cell ({:.2g} of it): it bends too stiffly; raise nodes.",
                    thickness / report.spacing));
}

}  // namespace

Result<MeshShape> make_tetrahedral_shape(const PolygonMesh& mesh, const MeshShapeOptions& options,
                                         Pool& pool) {
  const Clock::time_point begin = Clock::now();
  Laps laps;
  MeshShape out;
  MeshShapeReport& report = out.report;
  Result<SolidToFill> found = solid_to_fill(mesh, options, {9, "tetrahedra fill"}, laps, report);
  if (!found) return found.error();
  const TriMesh& surface = found->surface.mesh;
  const auto cells_of = [&](double h) {
    return fill_cells(surface, found->tree, fitted_cells(surface.vertices, h), pool);
  };
  const double h = spacing_for(surface.vertices, 2 * found->volume, options.nodes, [&](double spacing) {
    return double(TetrahedralLattice(cells_of(spacing)).nodes.size());
  });
  laps.end("spacing");
  const CellBox box = cells_of(h);
  TetrahedralLattice lattice(box);
  lattice.make_tetrahedra(count_all(box, lattice.cells, found->tree, pool));
  laps.end("tetrahedra");
  Shape& shape = out.shape;
  shape.embedding = lattice.rows(mesh.vertices);
  const double volume = found->exact ? found->exact->volume : sum_of(lattice.volumes);
  shape.graph = make_graph(std::move(lattice), volume, found->exact);
  laps.end("graph");
  describe_filling(shape.graph, h, report);
  warn_of_thin_parts(surface, report);
  carry_surface(mesh, std::move(found->surface), shape);
  report.stages = laps.all();
  report.setup_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
