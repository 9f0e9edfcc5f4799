// SPDX-License-Identifier: Apache-2.0
// Repair, solid or shell, graph, embedding. All geometry happens where the surface has diagonal 1
// about the origin, so that a body of a micrometre or at a million metres is the same body.
#include "pliant/geometry/mesh_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/clock.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/geometry/check_geometry.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/geometry/point_shape.hpp"
#include "pliant/geometry/shell_graph.hpp"
#include "pliant/geometry/split_edges.hpp"
#include "pliant/geometry/surface_embedding.hpp"
#include "pliant/geometry/volumetric_graph.hpp"

namespace pliant {
namespace {

constexpr double default_thickness = 0.01;  // of a shell, share of the diagonal
constexpr Index least_nodes = 4;            // a part

struct Scaling {
  Vec3 centre;
  double size;  ///< m, becomes 1
};

Scaling normalise(Points& vertices) {
  Vec3 low = vertices.front(), high = low;
  for (const Vec3& p : vertices) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Scaling scaling{0.5 * (low + high), (high - low).norm()};
  for (Vec3& p : vertices) p = (p - scaling.centre) / scaling.size;
  return scaling;
}

double area_of(const Points& x, const std::vector<Triangle>& triangles) {
  double area = 0;
  for (const Triangle& t : triangles) area += 0.5 * (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm();
  return area;
}

/// Crossings along a line do not add up to the winding number: large holes, or edges of three faces.
bool crossings_are_odd(const Repaired& surface, double defect) {
  return defect > 0.15 ||
         surface.report.non_manifold_edges > 0.001 * 1.5 * double(surface.mesh.triangles.size());
}

/// Appends the nodes of `more`; every vertex leans on one of the two.
void append(BodyGraph& body, BodyGraph more) {
  if (body.graph.positions.empty()) {
    body = std::move(more);
    return;
  }
  const Index first = Index(body.graph.positions.size());
  body.graph.positions.insert(body.graph.positions.end(), more.graph.positions.begin(),
                              more.graph.positions.end());
  body.graph.volumes.insert(body.graph.volumes.end(), more.graph.volumes.begin(), more.graph.volumes.end());
  for (const auto& e : more.graph.edges) body.graph.edges.push_back({e.a + first, e.b + first, e.share});
  Leaning both;
  for (Index v = 0; v < body.leaning.vertices(); ++v) {
    for (Index k = body.leaning.begin[v]; k < body.leaning.begin[v + 1]; ++k)
      both.node.push_back(body.leaning.node[k]);
    for (Index k = more.leaning.begin[v]; k < more.leaning.begin[v + 1]; ++k)
      both.node.push_back(more.leaning.node[k] + first);
    both.begin.push_back(Index(both.node.size()));
  }
  body.leaning = std::move(both);
}

/// The graph of a surface of diagonal 1; thickness in the same scale.
BodyGraph make_graph(const Repaired& surface, const TriangleTree& tree, const Solidity& solidity, int nodes,
                     double thickness, Pool& pool, Laps& laps) {
  const TriMesh& mesh = surface.mesh;
  std::vector<Triangle> solid, shell;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    (solidity.component_solid[surface.component[t]] ? solid : shell).push_back(mesh.triangles[t]);
  const double solid_area = area_of(mesh.vertices, solid), shell_area = area_of(mesh.vertices, shell);
  const double solid_part = solid_area / (solid_area + shell_area);
  BodyGraph body;
  if (!solid.empty()) {
    const int budget = std::max(int(least_nodes), int(std::lround(nodes * solid_part)));
    if (shell.empty()) {
      const bool simple = surface.report.closed && surface.report.components == 1;
      append(body, volumetric_graph({mesh.vertices, solid, tree, surface.report.closed,
                                     crossings_are_odd(surface, solidity.defect),
                                     simple ? enclosed_volume(mesh.vertices, solid) : 0},
                                    budget, pool, laps));
    } else {
      const TriangleTree solid_tree(mesh.vertices, solid);
      append(body, volumetric_graph({mesh.vertices, solid, solid_tree, is_closed(solid), true, 0}, budget,
                                    pool, laps));
    }
  }
  if (!shell.empty()) {
    const int budget = std::max(int(least_nodes), int(std::lround(nodes * (1 - solid_part))));
    BodyGraph sheet = shell_graph(mesh.vertices, shell, budget);
    for (double& volume : sheet.graph.volumes) volume *= thickness;
    for (auto& e : sheet.graph.edges) e.share *= thickness;
    append(body, std::move(sheet));
    laps.end("shell");
  }
  return body;
}

/// Links between parts, as stiff as their ends.
void join(NodeGraph& graph) {
  const auto links = links_between_parts(graph);
  std::vector<double> degree(graph.positions.size(), 0);
  for (const auto& e : graph.edges) ++degree[e.a], ++degree[e.b];
  for (const auto& link : links) ++degree[link[0]], ++degree[link[1]];
  for (const auto& [a, b] : links)
    graph.edges.push_back({a, b,
                           3 * (graph.volumes[a] / degree[a] + graph.volumes[b] / degree[b]) /
                               (graph.positions[b] - graph.positions[a]).squaredNorm()});
  std::sort(graph.edges.begin(), graph.edges.end(),
            [](const auto& l, const auto& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
}

void count_degrees(const NodeGraph& graph, MeshShapeReport& report) {
  std::vector<Index> degree(graph.positions.size(), 0);
  for (const auto& e : graph.edges) ++degree[e.a], ++degree[e.b];
  const auto [least, most] = std::minmax_element(degree.begin(), degree.end());
  report.least_degree = *least, report.most_degree = *most;
  report.mean_degree = 2 * double(graph.edges.size()) / double(degree.size());
}

void describe(const BodyGraph& body, const Scaling& scaling, MeshShapeReport& report) {
  const NodeGraph& graph = body.graph;
  report.nodes = Index(graph.positions.size());
  report.lattice_nodes = body.lattice_nodes, report.cover_nodes = body.cover_nodes;
  report.frame_nodes = body.frame_nodes, report.bridges = body.bridges;
  report.spacing = body.spacing * scaling.size;
  report.volume =
      std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0) * std::pow(scaling.size, 3);
  const std::vector<Index> label = components(report.nodes, graph.edges);
  report.parts = *std::max_element(label.begin(), label.end()) + 1;
  report.anisotropy = report.solid ? stiffness_anisotropy(graph) : 1;
  count_degrees(graph, report);
}

void warn(const BodyGraph& body, bool decided, MeshShapeReport& report) {
  auto& out = report.warnings;
  const auto& s = report.solidity;
  if (decided && s.doubtful)
    out.push_back(
        fmt::format("it could be a solid or a shell (defect {:.3f}) and is treated as a {}; \"solid\": {} "
                    "makes it a {}.",
                    s.defect, report.solid ? "solid" : "shell", report.solid ? "false" : "true",
                    report.solid ? "shell" : "solid"));
  if (report.parts > 1)
    out.push_back(fmt::format("{} separate parts; they will fall apart. \"join\": true holds them together.",
                              report.parts));
  if (report.solid && (report.anisotropy > 2 || body.frames_capped))
    out.push_back(
        fmt::format("thinner than one cell in {} places, too soft there; raise nodes.", body.cover_nodes));
  if (body.strays > 0)
    out.push_back(fmt::format("{} vertices see no node and follow the nodes of a neighbour; raise nodes.",
                              body.strays));
}

/// The surface with no edge much longer than the nodes will be apart, so that coarse faces, too, meet
/// colliders where the body is and not at their corners only.
Repaired refined(Repaired surface, const TriangleTree& tree, const Solidity& solidity, int nodes) {
  if (!solidity.any_solid) return surface;
  constexpr double longest = 1.5;  // of the spacing
  const bool simple = surface.report.closed && surface.report.components == 1;
  const double volume = simple ? std::abs(enclosed_volume(surface.mesh.vertices, surface.mesh.triangles))
                               : counted_volume(surface.mesh, tree, 4000);
  if (!(volume > 0)) return surface;
  const std::size_t most = surface.mesh.vertices.size() + 4 * std::size_t(nodes);
  SplitMesh split = split_long_edges(std::move(surface.mesh), longest * std::cbrt(2 * volume / nodes), most);
  surface.mesh = std::move(split.mesh);
  std::vector<Index> component;
  for (const Index parent : split.parent) component.push_back(surface.component[parent]);
  surface.component = std::move(component);
  return surface;
}

/// Node volumes with the moments of what the surface encloses, where that is the body: one closed part that
/// does not overlap itself.
void match_solid(const Repaired& surface, const Solidity& solidity, NodeGraph& graph) {
  constexpr double same = 1e-6;
  if (!surface.report.closed || surface.report.components != 1 || solidity.any_shell) return;
  const Moments solid = moments_of(surface.mesh.vertices, surface.mesh.triangles);
  const double sum = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  if (std::abs(solid.volume - sum) < same * sum) match_moments(graph.positions, solid, graph.volumes);
}

/// Every input vertex is a vertex of the mesh: what carries the one carries the other.
bool is_the_input(const Repaired& surface) {
  if (surface.mesh.vertices.size() != surface.welded.size()) return false;
  for (Index v = 0; v < Index(surface.welded.size()); ++v)
    if (surface.welded[v] != v) return false;
  return true;
}

void append_row(const Gather& from, Index row, Gather& to) {
  const auto begin = from.begin[row], end = from.begin[row + 1];
  to.column.insert(to.column.end(), from.column.begin() + begin, from.column.begin() + end);
  to.weight.insert(to.weight.end(), from.weight.begin() + begin, from.weight.begin() + end);
  to.begin.push_back(Index(to.column.size()));
}

/// Rows of the input's vertices, given those of the mesh's: copies share theirs, others (welded over a
/// distance, of no face) get their own.
Gather spread_rows(const Points& input, const Repaired& surface, const Gather& rows, const BodyGraph& body,
                   Pool& pool) {
  Points others;
  std::vector<Index> leaning_row, other(input.size(), -1);
  for (std::size_t v = 0; v < input.size(); ++v) {
    const Index w = surface.welded[v];
    if (w >= 0 && input[v] == surface.mesh.vertices[w]) continue;
    other[v] = Index(others.size());
    others.push_back(input[v]);
    leaning_row.push_back(w);
  }
  const Gather own = surface_embedding(others, leaning_row, body.leaning, body.graph, body.spacing, pool);
  Gather out;
  for (std::size_t v = 0; v < input.size(); ++v)
    other[v] < 0 ? append_row(rows, surface.welded[v], out) : append_row(own, other[v], out);
  return out;
}

/// The vertices that faces use meet colliders, and the faces between them bound the volume.
void set_contact_points(const TriMesh& mesh, const Gather& rows, Shape& shape) {
  std::vector<Index> point_of(mesh.vertices.size(), -1);
  for (const Triangle& t : mesh.triangles)
    for (const Index v : t) point_of[v] = 0;
  for (Index v = 0; v < Index(point_of.size()); ++v)
    if (point_of[v] == 0) {
      point_of[v] = shape.contact.rows();
      append_row(rows, v, shape.contact);
    }
  for (const Triangle& t : mesh.triangles)
    shape.contact_triangles.push_back({point_of[t[0]], point_of[t[1]], point_of[t[2]]});
}

/// How the surface and the points that meet colliders follow the nodes. `input` are the input's vertices in
/// the coordinates of the mesh.
void embed(const Points& input, const Repaired& surface, const BodyGraph& body, Pool& pool, Shape& shape) {
  const Points& vertices = surface.mesh.vertices;
  std::vector<Index> each(vertices.size());
  std::iota(each.begin(), each.end(), 0);
  Gather rows = surface_embedding(vertices, each, body.leaning, body.graph, body.spacing, pool);
  if (is_the_input(surface)) {
    shape.embedding = std::move(rows);
    return;
  }
  shape.embedding = spread_rows(input, surface, rows, body, pool);
  set_contact_points(surface.mesh, rows, shape);
}

/// One input vertex for every welded vertex that a face uses.
std::vector<Index> touching(const Repaired& surface) {
  std::vector<char> used(surface.mesh.vertices.size(), 0);
  for (const Triangle& t : surface.mesh.triangles)
    for (const Index v : t) used[v] = 1;
  std::vector<Index> out;
  for (Index v = 0; v < Index(surface.welded.size()); ++v)
    if (const Index w = surface.welded[v]; w >= 0 && used[w]) used[w] = 0, out.push_back(v);
  return out;
}

}  // namespace

Result<MeshShape> make_mesh_shape(const PolygonMesh& mesh, const MeshShapeOptions& options, Pool& pool) {
  constexpr int most_nodes = 10'000'000;
  if (std::vector<Problem> wrong = check_mesh(mesh); !wrong.empty()) return Error{{}, std::move(wrong)};
  if (options.nodes < least_nodes || options.nodes > most_nodes)
    return refuse("nodes", std::to_string(options.nodes), fmt::format("{} to {}", least_nodes, most_nodes),
                  {});
  if (!(options.thickness >= 0) || !std::isfinite(options.thickness))
    return refuse("thickness", fmt::format("{:g}", options.thickness), "a finite number >= 0, m", {});
  if (is_cloud(mesh)) return make_point_shape(mesh, options, pool);
  const Clock::time_point begin = Clock::now();
  Laps laps;
  const auto tell = [&](const char* stage) {
    if (options.progress) options.progress(stage);
  };
  tell("repair");
  Result<Repaired> repaired = repair(mesh);
  if (!repaired) return repaired.error();
  Repaired& surface = *repaired;
  MeshShape out;
  MeshShapeReport& report = out.report;
  report.repair = surface.report;
  if (options.nodes < least_nodes * std::min<Index>(surface.report.components, 1000000))
    return refuse("nodes", std::to_string(options.nodes),
                  fmt::format("at least {}, {} for each of {} parts", least_nodes * surface.report.components,
                              least_nodes, surface.report.components),
                  {});
  laps.end("repair");
  tell("solid or shell");
  const Scaling scaling = normalise(surface.mesh.vertices);
  TriangleTree tree(surface.mesh.vertices, surface.mesh.triangles);
  laps.end("tree");
  report.solidity = solidity(surface, tree);
  Solidity decided = report.solidity;
  if (options.solid) {
    std::fill(decided.component_solid.begin(), decided.component_solid.end(), char(*options.solid));
    decided.any_solid = *options.solid, decided.any_shell = !*options.solid;
  }
  report.solid = decided.any_solid;
  laps.end("solid or shell");
  const double thickness = options.thickness > 0 ? options.thickness / scaling.size : default_thickness;

  const std::size_t triangles = surface.mesh.triangles.size();
  surface = refined(std::move(surface), tree, decided, options.nodes);
  if (surface.mesh.triangles.size() != triangles)
    tree = TriangleTree(surface.mesh.vertices, surface.mesh.triangles);
  laps.end("refine");
  tell("nodes inside");
  BodyGraph body = make_graph(surface, tree, decided, options.nodes, thickness, pool, laps);
  match_solid(surface, decided, body.graph);
  if (options.join) join(body.graph);
  describe(body, scaling, report);
  warn(body, !options.solid, report);

  tell("surface on the nodes");
  Shape& shape = out.shape;
  Points vertices = mesh.vertices;
  for (Vec3& p : vertices) p = (p - scaling.centre) / scaling.size;
  embed(vertices, surface, body, pool, shape);
  laps.end("embedding");
  shape.graph = std::move(body.graph);
  for (Vec3& p : shape.graph.positions) p = scaling.centre + scaling.size * p;
  for (double& volume : shape.graph.volumes) volume *= std::pow(scaling.size, 3);
  for (auto& e : shape.graph.edges) e.share *= scaling.size;
  shape.surface.vertices = mesh.vertices;
  for (Vec3& p : shape.surface.vertices)
    if (!p.allFinite()) p = shape.graph.positions.front();
  shape.surface.triangles = std::move(surface.input_triangles);
  shape.closed = surface.report.closed && !decided.any_shell;
  shape.touching = touching(surface);
  shape.faces = mesh;
  laps.end("hand over");
  report.stages = laps.all();
  report.setup_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
