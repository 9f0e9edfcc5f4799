// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/shape.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/geometry/moments.hpp"

namespace pliant {
namespace {

using Cell = std::array<Index, 8>;
using Quad = std::array<Index, 4>;

// Corner c of a cell sits at (bit 0, bit 1, bit 2) of c. Faces counter-clockwise seen from outside.
constexpr int cell_faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// ---- graph of a hexahedral mesh ----

struct PairShare {
  Index a, b;
  double volume;  // sum over cells of the volume this pair stands for
};

/// Each cell hands its volume to its pairs so that a pair's weight times |r|^2 is the same for all pairs of a
/// lattice and the axial modulus comes out as Young's modulus: sum over pairs of weight (r . u)^2 = volume
/// for each axis u. Pairs along an edge are shared by 4 cells, face diagonals by 2, body diagonals by 1.
void add_cell_pairs(const Cell& cell, double volume, Neighbourhood neighbourhood,
                    std::vector<PairShare>& out) {
  const double each = neighbourhood == Neighbourhood::edges ? volume : volume * 3 / 13;
  for (int p = 0; p < 8; ++p)
    for (int q = p + 1; q < 8; ++q) {
      const int axes = __builtin_popcount(unsigned(p ^ q));
      if (neighbourhood == Neighbourhood::edges && axes > 1) continue;
      const double cells_at_pair = axes == 1 ? 4 : axes == 2 ? 2 : 1;
      out.push_back({std::min(cell[p], cell[q]), std::max(cell[p], cell[q]), each / cells_at_pair});
    }
}

std::vector<NodeGraph::Edge> merge_pairs(std::vector<PairShare> pairs, const Points& x) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const PairShare& l, const PairShare& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
  std::vector<NodeGraph::Edge> edges;
  for (std::size_t k = 0; k < pairs.size();) {
    const PairShare first = pairs[k];
    double volume = 0;
    for (; k < pairs.size() && pairs[k].a == first.a && pairs[k].b == first.b; ++k) volume += pairs[k].volume;
    edges.push_back({first.a, first.b, volume / (x[first.b] - x[first.a]).squaredNorm()});
  }
  return edges;
}

// ---- surface ----

/// Quads that belong to one cell only.
std::vector<Quad> boundary_quads(const std::vector<Cell>& cells) {
  struct Face {
    Quad key, corners;
  };
  std::vector<Face> faces;
  faces.reserve(cells.size() * 6);
  for (const Cell& cell : cells)
    for (const auto& f : cell_faces) {
      const Quad corners{cell[f[0]], cell[f[1]], cell[f[2]], cell[f[3]]};
      Quad key = corners;
      std::sort(key.begin(), key.end());
      faces.push_back({key, corners});
    }
  std::sort(faces.begin(), faces.end(), [](const Face& l, const Face& r) { return l.key < r.key; });
  std::vector<Quad> boundary;
  for (std::size_t k = 0; k < faces.size();) {
    std::size_t end = k + 1;
    while (end < faces.size() && faces[end].key == faces[k].key) ++end;
    if (end == k + 1) boundary.push_back(faces[k].corners);
    k = end;
  }
  return boundary;
}

/// Splits quads along the shorter diagonal and keeps the nodes they use, in node order.
void set_surface(Shape& shape, const std::vector<Quad>& quads) {
  const Points& x = shape.graph.positions;
  std::vector<Index> vertex_of(x.size(), -1), used;
  for (const Quad& q : quads)
    for (Index node : q) vertex_of[node] = 0;
  for (std::size_t node = 0; node < x.size(); ++node)
    if (vertex_of[node] == 0) {
      vertex_of[node] = Index(used.size());
      used.push_back(Index(node));
      shape.surface.vertices.push_back(x[node]);
    }
  for (const Quad& q : quads) {
    const Index a = vertex_of[q[0]], b = vertex_of[q[1]], c = vertex_of[q[2]], d = vertex_of[q[3]];
    if ((x[q[2]] - x[q[0]]).norm() <= (x[q[3]] - x[q[1]]).norm() * (1 + 1e-9)) {
      shape.surface.triangles.push_back({a, b, c});
      shape.surface.triangles.push_back({a, c, d});
    } else {
      shape.surface.triangles.push_back({a, b, d});
      shape.surface.triangles.push_back({b, c, d});
    }
  }
  shape.embedding = pick(used);
}

// ---- solids of cells ----

std::vector<double> cell_volumes(const Points& nodes, const std::vector<Cell>& cells) {
  std::vector<double> volumes;
  for (const Cell& cell : cells) volumes.push_back(cell_volume(nodes, cell));
  return volumes;
}

/// The volume of a cell is what it stands for, not always what its corners enclose.
Shape shape_of_volumes(Points nodes, std::vector<Cell> cells, const std::vector<double>& volumes,
                       Neighbourhood neighbourhood) {
  Shape shape;
  NodeGraph& graph = shape.graph;
  graph.positions = std::move(nodes);
  graph.cells = std::move(cells);
  graph.volumes.assign(graph.positions.size(), 0.0);
  std::vector<PairShare> pairs;
  for (std::size_t k = 0; k < volumes.size(); ++k) {
    if (!(volumes[k] > 0)) {
      Shape none;
      none.problems.push_back({"nodes", fmt::format("a cell of {:g} m^3 between them", volumes[k]),
                               "cells with a volume", "more nodes, or sizes nearer to each other"});
      return none;
    }
    for (Index node : graph.cells[k]) graph.volumes[node] += volumes[k] / 8;
    add_cell_pairs(graph.cells[k], volumes[k], neighbourhood, pairs);
  }
  graph.edges = merge_pairs(std::move(pairs), graph.positions);
  set_surface(shape, boundary_quads(graph.cells));
  return shape;
}

/// Cells in a round solid: nodes on its surface touch it, so that faces between them lie inside and the cells
/// enclose too little (a ball of 13 nodes across: 3 %). The missing volume lies beyond the outer faces: cells
/// stand for what they would enclose with the surface nodes pushed out by a factor that makes the sum the
/// solid's volume. push(p, s): where a node goes; inner nodes stay.
template <class Push>
Shape round_shape(Points nodes, std::vector<Cell> cells, const Moments& solid, Push&& push) {
  constexpr double furthest = 1.5;
  const auto volumes_at = [&](double s) {
    Points pushed;
    for (const Vec3& p : nodes) pushed.push_back(push(p, s));
    return cell_volumes(pushed, cells);
  };
  const auto sum = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
  std::vector<double> volumes = volumes_at(1);
  double low = 1, high = 1.02, below = sum(volumes) - solid.volume;
  for (int k = 0; k < 20 && std::abs(below) > 1e-12 * solid.volume; ++k) {  // secant
    volumes = volumes_at(high);
    const double above = sum(volumes) - solid.volume;
    const double next = above == below ? high : high - above * (high - low) / (above - below);
    low = high, below = above, high = std::clamp(next, 1.0, furthest);
  }
  const double rest = solid.volume / sum(volumes);
  for (double& v : volumes) v *= rest;
  Shape shape = shape_of_volumes(std::move(nodes), std::move(cells), volumes, Neighbourhood::edges);
  if (!shape.problems.empty()) return shape;
  match_moments(shape.graph.positions, solid, shape.graph.volumes);
  return shape;
}

Moments moments_about_axes(double volume, const Vec3& centre, const Vec3& squares) {
  return {volume, centre, Mat3(Vec3(volume * squares).asDiagonal())};
}

constexpr double at_surface = 1 - 1e-9;  // of the radius

// ---- round shapes: a core lattice of m nodes a side, wrapped in layers ----

struct CoreAndLayers {
  int core, layers;
};
CoreAndLayers split_across(int nodes) {
  PLIANT_CHECK(nodes >= 4);
  const int layers = std::max(1, nodes / 4);
  return {nodes - 2 * layers, layers};
}

/// Half the side of the core relative to the radius; the rest is shared evenly by the layers.
double core_half(const CoreAndLayers& split) {
  return double(split.core - 1) / double(split.core - 1 + 2 * split.layers) * 0.85;
}

/// Lattice index to [-1, 1], spaced by equal angles so that the outermost cells are even on the round
/// surface.
double equal_angle(int i, int nodes) { return std::tan(std::numbers::pi / 4 * (2.0 * i / (nodes - 1) - 1)); }

/// A point of the unit cube's (square's) surface, moved outwards from the core (t = 0) to the unit sphere (t
/// = 1). The core itself bulges halfway towards round.
template <class Vector>
Vector wrapped(const Vector& p, double half, double t) {
  const double reach = p.cwiseAbs().maxCoeff();
  const Vector round = p.normalized() * reach;
  const Vector core = half * (0.6 * p + 0.4 * 1.2 * round);
  return (1 - t) * core + t * round;
}

/// A unit disc of quads.
struct Disc {
  std::vector<Eigen::Vector2d> points;
  std::vector<Quad> quads;  // counter-clockwise
};

Disc make_disc(int nodes_across) {
  const CoreAndLayers split = split_across(nodes_across);
  const int m = split.core;
  const double half = core_half(split);
  Disc disc;
  for (int j = 0; j < m; ++j)
    for (int i = 0; i < m; ++i)
      disc.points.push_back(m == 1 ? Eigen::Vector2d(0, 0)
                                   : wrapped(Eigen::Vector2d(equal_angle(i, m), equal_angle(j, m)), half, 0));
  for (int j = 0; j + 1 < m; ++j)
    for (int i = 0; i + 1 < m; ++i)
      disc.quads.push_back({j * m + i, j * m + i + 1, (j + 1) * m + i + 1, (j + 1) * m + i});
  // The rim of the core, counter-clockwise, as node indices.
  std::vector<Index> rim;
  for (int i = 0; i < m - 1; ++i) rim.push_back(i);
  for (int j = 0; j < m - 1; ++j) rim.push_back(j * m + m - 1);
  for (int i = m - 1; i > 0; --i) rim.push_back((m - 1) * m + i);
  for (int j = m - 1; j > 0; --j) rim.push_back(j * m);
  std::vector<Index> inner = rim;
  for (int layer = 1; layer <= split.layers; ++layer) {
    std::vector<Index> outer;
    for (Index node : rim) {
      outer.push_back(Index(disc.points.size()));
      const Eigen::Vector2d p(equal_angle(node % m, m), equal_angle(node / m, m));
      disc.points.push_back(wrapped(p, half, double(layer) / split.layers));
    }
    for (std::size_t k = 0; k < rim.size(); ++k) {
      const std::size_t next = (k + 1) % rim.size();
      disc.quads.push_back({inner[k], outer[k], outer[next], inner[next]});
    }
    inner = outer;
  }
  return disc;
}

/// Copies of a disc stacked into cells: place(point, layer) puts a disc point into space. The third axis of
/// the cells runs along the stack.
template <class Place>
std::pair<Points, std::vector<Cell>> stack_disc(const Disc& disc, int copies, bool ring, Place&& place) {
  Points nodes;
  for (int layer = 0; layer < copies; ++layer)
    for (const auto& p : disc.points) nodes.push_back(place(p, layer));
  std::vector<Cell> cells;
  const Index n = Index(disc.points.size());
  for (int layer = 0; layer < (ring ? copies : copies - 1); ++layer) {
    const Index low = layer * n, high = (layer + 1) % copies * n;
    for (const Quad& q : disc.quads)
      cells.push_back({low + q[0], low + q[1], low + q[3], low + q[2], high + q[0], high + q[1], high + q[3],
                       high + q[2]});
  }
  return {std::move(nodes), std::move(cells)};
}

/// The unit ball, scaled by the radii.
Shape make_ball(const EllipsoidShape& e) {
  const CoreAndLayers split = split_across(e.nodes);
  const int m = split.core;
  const double half = core_half(split);
  const auto unit = [&](int i, int j, int k) {
    return Vec3(equal_angle(i, m), equal_angle(j, m), equal_angle(k, m));
  };
  const auto index = [&](int i, int j, int k) { return Index((k * m + j) * m + i); };
  Points nodes;
  std::vector<Cell> cells;
  for (int k = 0; k < m; ++k)
    for (int j = 0; j < m; ++j)
      for (int i = 0; i < m; ++i)
        nodes.push_back(unit(i, j, k).norm() > 0 ? wrapped(unit(i, j, k), half, 0) : Vec3(0, 0, 0));
  for (int k = 0; k + 1 < m; ++k)
    for (int j = 0; j + 1 < m; ++j)
      for (int i = 0; i + 1 < m; ++i) {
        Cell cell;
        for (int c = 0; c < 8; ++c) cell[c] = index(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2));
        cells.push_back(cell);
      }
  const std::vector<Quad> rim = boundary_quads(cells);
  std::vector<Index> shell(nodes.size(),
                           -1);  // the node of the current layer above a node of the core's surface
  for (const Quad& q : rim)
    for (Index node : q) shell[node] = node;
  for (int layer = 1; layer <= split.layers; ++layer) {
    const std::vector<Index> inner = shell;
    for (Index node = 0; node < m * m * m; ++node)
      if (inner[node] >= 0) {
        shell[node] = Index(nodes.size());
        nodes.push_back(
            wrapped(unit(node % m, node / m % m, node / (m * m)), half, double(layer) / split.layers));
      }
    for (const Quad& q : rim)
      cells.push_back({inner[q[0]], inner[q[1]], inner[q[3]], inner[q[2]], shell[q[0]], shell[q[1]],
                       shell[q[3]], shell[q[2]]});
  }
  for (Vec3& p : nodes) p = e.center + p.cwiseProduct(e.radii);
  const double volume = 4 * std::numbers::pi / 3 * e.radii.prod();
  const Moments solid = moments_about_axes(volume, e.center, e.radii.cwiseProduct(e.radii) / 5);
  return round_shape(std::move(nodes), std::move(cells), solid, [&](const Vec3& p, double s) {
    const Vec3 r = p - e.center;
    return Vec3(r.cwiseQuotient(e.radii).norm() > at_surface ? e.center + s * r : p);
  });
}

}  // namespace

double cell_volume(const Points& nodes, const std::array<Index, 8>& cell) {
  for (const Index node : cell) PLIANT_CHECK(node >= 0 && std::size_t(node) < nodes.size());
  // Divergence theorem over the six faces; the flux through a bilinear face is the mean of its two splits.
  const Vec3 origin = nodes[cell[0]];
  double twelve_volumes = 0;
  for (const auto& f : cell_faces) {
    const Vec3 a = nodes[cell[f[0]]] - origin, b = nodes[cell[f[1]]] - origin, c = nodes[cell[f[2]]] - origin,
               d = nodes[cell[f[3]]] - origin;
    twelve_volumes += a.dot(b.cross(c)) + a.dot(c.cross(d)) + a.dot(b.cross(d)) + b.dot(c.cross(d));
  }
  return twelve_volumes / 12;
}

namespace {

constexpr double smallest_size = 1e-12, largest_size = 1e15;  // m: products of sizes stay numbers

/// Collects what is wrong with the description of a shape.
struct ShapeCheck {
  Shape shape = {};

  bool fine() const { return shape.problems.empty(); }
  void wrong(const char* place, std::string found, std::string expected) {
    shape.problems.push_back({place, std::move(found), std::move(expected), {}});
  }
  void length(const char* place, double value) {
    if (!(value >= smallest_size) || !(value <= largest_size))
      wrong(place, fmt::format("{:g}", value), fmt::format("{:g} to {:g} m", smallest_size, largest_size));
  }
  void place(const char* place, const Vec3& at) {
    if (!at.allFinite() || !(at.cwiseAbs().maxCoeff() <= largest_size))
      wrong(place, fmt::format("[{:g}, {:g}, {:g}]", at.x(), at.y(), at.z()),
            fmt::format("three numbers of at most {:g} m", largest_size));
  }
  void nodes(int count, int least) {
    if (count < least || count > most_shape_nodes)
      wrong("nodes", std::to_string(count), fmt::format("{} to {} along a side", least, most_shape_nodes));
  }
  /// All together.
  void product(double count) {
    if (fine() && count > most_shape_nodes)
      wrong("nodes", fmt::format("{:g} in all", count), fmt::format("at most {}", most_shape_nodes));
  }
};

/// Cells whose corners exist and that are not inside out.
std::vector<Problem> check_cells(const Points& nodes, const std::vector<Cell>& cells) {
  ShapeCheck check;
  if (cells.empty()) check.wrong("cells", "none", "at least one cell");
  for (std::size_t k = 0; k < nodes.size() && check.fine(); ++k)
    check.place(fmt::format("nodes.{}", k).c_str(), nodes[k]);
  for (std::size_t k = 0; k < cells.size() && check.fine(); ++k) {
    const std::string at = fmt::format("cells.{}", k);
    for (const Index node : cells[k])
      if (check.fine() && (node < 0 || std::size_t(node) >= nodes.size()))
        check.wrong(at.c_str(), fmt::format("node {}", node), fmt::format("nodes below {}", nodes.size()));
    if (!check.fine()) break;
    Cell sorted = cells[k];
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      check.wrong(at.c_str(), "a node twice", "eight different nodes");
    else if (!(cell_volume(nodes, cells[k]) > 0))
      check.wrong(at.c_str(), "a cell without volume, or inside out",
                  "corner c at bit 0 = x, bit 1 = y, bit 2 = z of c");
  }
  return std::move(check.shape.problems);
}

}  // namespace

Shape shape_from_cells(Points nodes, std::vector<Cell> cells, Neighbourhood neighbourhood) {
  Shape refused;
  refused.problems = check_cells(nodes, cells);
  if (!refused.problems.empty()) return refused;
  const std::vector<double> volumes = cell_volumes(nodes, cells);
  return shape_of_volumes(std::move(nodes), std::move(cells), volumes, neighbourhood);
}

namespace {

/// What node i of a row of `nodes` stands for, over what its cells give it. Cells give 1/2, 1, 1, ... 1/2 of a
/// spacing: the trapezoidal rule, whose second moment is 1 + 2/N^2 of the exact one for N cells, and with it a
/// beam's stiffness against bending and a plate's inertia. Gregory's rule, which moves d = N/(12 (N - 1)) from the
/// first to the second, has the exact one (two cells: Simpson's 1/3, 4/3, 1/3). One cell has nothing to move.
double row_factor(int nodes, int i) {
  const int cells = nodes - 1;
  if (cells < 2) return 1;
  const double moved = cells / (12.0 * (cells - 1));
  double spacings = 1;
  for (const int from_end : {i, cells - i}) {
    if (from_end == 0) spacings = 0.5 - moved;
    if (from_end == 1) spacings += moved;
  }
  return spacings / (i == 0 || i == cells ? 0.5 : 1);
}

/// Nodes of a box's lattice get its exact second moments, edges along its axes those of the sections they cross.
void match_rows(const BoxShape& box, NodeGraph& graph) {
  const std::array<int, 3> stride{1, box.nodes[0], box.nodes[0] * box.nodes[1]};
  const auto factor = [&](Index node, int axis) {
    const int nodes = box.nodes[std::size_t(axis)];
    return row_factor(nodes, node / stride[std::size_t(axis)] % nodes);
  };
  for (Index i = 0; i < Index(graph.volumes.size()); ++i)
    for (int axis = 0; axis < 3; ++axis) graph.volumes[i] *= factor(i, axis);
  for (NodeGraph::Edge& e : graph.edges)
    for (int axis = 0; axis < 3; ++axis)
      if (e.b - e.a != stride[std::size_t(axis)]) e.share *= factor(e.a, axis);
}

}  // namespace

Shape make_shape(const BoxShape& box) {
  const auto [nx, ny, nz] = box.nodes;
  ShapeCheck check;
  for (const double side : {box.size.x(), box.size.y(), box.size.z()}) check.length("size", side);
  for (const int count : box.nodes) check.nodes(count, 2);
  check.product(double(nx) * ny * nz);
  check.place("corner", box.corner);
  if (!check.fine()) return std::move(check.shape);
  Points nodes;
  nodes.reserve(std::size_t(nx) * ny * nz);
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        nodes.push_back(box.corner + box.size.cwiseProduct(Vec3(double(i) / (nx - 1), double(j) / (ny - 1),
                                                                double(k) / (nz - 1))));
  std::vector<Cell> cells;
  for (int k = 0; k + 1 < nz; ++k)
    for (int j = 0; j + 1 < ny; ++j)
      for (int i = 0; i + 1 < nx; ++i) {
        Cell cell;
        for (int c = 0; c < 8; ++c)
          cell[c] = Index(((k + (c >> 2)) * ny + j + (c >> 1 & 1)) * nx + i + (c & 1));
        cells.push_back(cell);
      }
  Shape shape = shape_from_cells(std::move(nodes), std::move(cells), box.neighbourhood);
  if (!shape.problems.empty()) return shape;
  if (box.neighbourhood == Neighbourhood::edges) {
    match_rows(box, shape.graph);
    return shape;
  }
  const Moments solid =
      moments_about_axes(box.size.prod(), box.corner + box.size / 2, box.size.cwiseProduct(box.size) / 12);
  match_moments(shape.graph.positions, solid, shape.graph.volumes);
  return shape;
}

Shape make_shape(const EllipsoidShape& ellipsoid) {
  ShapeCheck check;
  for (const double radius : {ellipsoid.radii.x(), ellipsoid.radii.y(), ellipsoid.radii.z()})
    check.length("radii", radius);
  check.nodes(ellipsoid.nodes, 4);
  check.product(std::pow(double(ellipsoid.nodes), 3));
  check.place("center", ellipsoid.center);
  return check.fine() ? make_ball(ellipsoid) : std::move(check.shape);
}

Shape make_shape(const CylinderShape& c) {
  const auto [across, along] = c.nodes;
  ShapeCheck check;
  check.length("radius", c.radius);
  check.length("height", c.height);
  check.nodes(across, 4);
  check.nodes(along, 2);
  check.product(double(across) * across * along);
  check.place("center", c.center);
  if (!check.fine()) return std::move(check.shape);
  auto [nodes, cells] =
      stack_disc(make_disc(across), along, false, [&, n = along](const Eigen::Vector2d& p, int layer) {
        return Vec3(c.center +
                    Vec3(c.radius * p.y(), c.height * (double(layer) / (n - 1) - 0.5), c.radius * p.x()));
      });
  const double square = c.radius * c.radius / 4;
  const Moments solid = moments_about_axes(std::numbers::pi * c.radius * c.radius * c.height, c.center,
                                           {square, c.height * c.height / 12, square});
  return round_shape(std::move(nodes), std::move(cells), solid, [&](const Vec3& p, double s) {
    const Vec3 r(p.x() - c.center.x(), 0, p.z() - c.center.z());
    return Vec3(r.norm() > at_surface * c.radius ? p + (s - 1) * r : p);
  });
}

Shape make_shape(const TorusShape& t) {
  const auto [across, around] = t.nodes;
  ShapeCheck check;
  check.length("ring_radius", t.ring_radius);
  check.length("tube_radius", t.tube_radius);
  if (check.fine() && !(t.tube_radius < t.ring_radius))
    check.wrong("tube_radius", fmt::format("{:g}", t.tube_radius),
                fmt::format("less than ring_radius, {:g} m", t.ring_radius));
  check.nodes(across, 4);
  check.nodes(around, 3);
  check.product(double(across) * across * around);
  check.place("center", t.center);
  if (!check.fine()) return std::move(check.shape);
  auto [nodes, cells] =
      stack_disc(make_disc(across), around, true, [&, n = around](const Eigen::Vector2d& p, int layer) {
        const double angle = 2 * std::numbers::pi * layer / n, r = t.ring_radius + t.tube_radius * p.y();
        return Vec3(t.center + Vec3(r * std::cos(angle), t.tube_radius * p.x(), -r * std::sin(angle)));
      });
  const double R2 = t.ring_radius * t.ring_radius, r2 = t.tube_radius * t.tube_radius;
  const double across_axis = R2 / 2 + 3 * r2 / 8;
  const Moments solid = moments_about_axes(2 * std::numbers::pi * std::numbers::pi * t.ring_radius * r2,
                                           t.center, {across_axis, r2 / 4, across_axis});
  return round_shape(std::move(nodes), std::move(cells), solid, [&](const Vec3& p, double s) {
    const Vec3 flat(p.x() - t.center.x(), 0, p.z() - t.center.z());
    const Vec3 r = p - t.center - t.ring_radius * flat.normalized();
    return Vec3(r.norm() > at_surface * t.tube_radius ? p + (s - 1) * r : p);
  });
}

Shape make_shape(const SheetShape& sheet) {
  const auto [nx, nz] = sheet.nodes;
  ShapeCheck check;
  for (const double side : sheet.size) check.length("size", side);
  check.length("thickness", sheet.thickness);
  for (const int count : sheet.nodes) check.nodes(count, 2);
  check.product(double(nx) * nz);
  check.place("center", sheet.center);
  if (!check.fine()) return std::move(check.shape);
  Shape shape;
  shape.closed = false;
  Points& x = shape.graph.positions;
  for (int k = 0; k < nz; ++k)
    for (int i = 0; i < nx; ++i)
      x.push_back(sheet.center + Vec3(sheet.size[0] * (double(i) / (nx - 1) - 0.5), 0,
                                      sheet.size[1] * (double(k) / (nz - 1) - 0.5)));
  shape.graph.volumes.assign(x.size(), 0.0);
  const double volume = sheet.size[0] * sheet.size[1] / ((nx - 1) * (nz - 1)) * sheet.thickness;
  std::vector<Quad> quads;
  std::vector<PairShare> pairs;
  for (int k = 0; k + 1 < nz; ++k)
    for (int i = 0; i + 1 < nx; ++i) {
      const Index a = k * nx + i;
      quads.push_back({a, a + nx, a + nx + 1, a + 1});
      for (Index node : quads.back()) shape.graph.volumes[node] += volume / 4;
      // As for cells: two edges of a quad run along each axis and share its volume.
      for (auto [p, q] : {std::pair{a, a + 1}, {a + nx, a + nx + 1}, {a, a + nx}, {a + 1, a + nx + 1}})
        pairs.push_back({p, q, volume / 2});
    }
  shape.graph.edges = merge_pairs(std::move(pairs), x);
  set_surface(shape, quads);
  return shape;
}

}  // namespace pliant
