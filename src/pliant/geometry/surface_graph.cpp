// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/surface_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/clock.hpp"
#include "pliant/geometry/surface_embedding.hpp"
#include "pliant/geometry/volumetric_graph.hpp"

namespace pliant {
namespace {

constexpr double least_cotangent = 1e-3, most_cotangent = 1e3;  // of the mean of |c|
constexpr double least_share_of_volume = 0.05;                  // of a node, of the mean
constexpr double default_thickness = 0.01;                      // of the diagonal

std::size_t edge_between(const std::vector<NodeGraph::Edge>& edges, Index a, Index b) {
  const auto before = [](const NodeGraph::Edge& e, const NodePair& key) {
    return e.a != key[0] ? e.a < key[0] : e.b < key[1];
  };
  const NodePair key{std::min(a, b), std::max(a, b)};
  return std::size_t(std::lower_bound(edges.begin(), edges.end(), key, before) - edges.begin());
}

/// Twice the area; 0 for a triangle too thin to have angles.
double twice_area(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double area = (b - a).cross(c - a).norm();
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return area > 1e-10 * longest ? area : 0;
}

Gather identity(Index rows) {
  std::vector<Index> columns(static_cast<std::size_t>(rows));
  std::iota(columns.begin(), columns.end(), 0);
  return pick(columns);
}

Index parts_of(const NodeGraph& graph) {
  const std::vector<Index> label = components(Index(graph.positions.size()), graph.edges);
  return *std::max_element(label.begin(), label.end()) + 1;
}

void describe(const NodeGraph& graph, MeshShapeReport& report) {
  std::vector<Index> degree(graph.positions.size(), 0);
  double length = 0;
  for (const auto& e : graph.edges)
    ++degree[e.a], ++degree[e.b], length += (graph.positions[e.b] - graph.positions[e.a]).norm();
  const auto [least, most] = std::minmax_element(degree.begin(), degree.end());
  report.least_degree = *least, report.most_degree = *most;
  report.mean_degree = 2 * double(graph.edges.size()) / double(degree.size());
  report.nodes = report.lattice_nodes = Index(graph.positions.size());
  report.spacing = length / double(std::max<std::size_t>(1, graph.edges.size()));
  report.volume = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  report.solid = false;
  report.parts = parts_of(graph);
  if (report.parts > 1)
    report.warnings.push_back(fmt::format(
        "{} separate parts; they will fall apart. \"join\": true holds them together.", report.parts));
}

/// Every vertex that a face uses is a node; the others follow the nearest one.
Gather embedding_of(const PolygonMesh& mesh, const Repaired& surface, const NodeGraph& graph, double spacing,
                    Pool& pool) {
  Leaning own;
  for (Index v = 0; v < Index(graph.positions.size()); ++v) {
    own.node.push_back(v);
    own.begin.push_back(v + 1);
  }
  Points vertices = mesh.vertices;
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (surface.welded[v] >= 0) vertices[v] = graph.positions[surface.welded[v]];
  return surface_embedding(vertices, surface.welded, own, graph, spacing, pool);
}

std::vector<Index> first_of_each(const std::vector<Index>& welded, std::size_t nodes) {
  std::vector<char> seen(nodes, 0);
  std::vector<Index> out;
  for (Index v = 0; v < Index(welded.size()); ++v)
    if (const Index w = welded[v]; w >= 0 && !seen[w]) seen[w] = 1, out.push_back(v);
  return out;
}

}  // namespace

std::vector<double> cotangent_weights(const Points& x, const std::vector<Triangle>& triangles,
                                      const std::vector<NodeGraph::Edge>& edges) {
  std::vector<double> weight(edges.size(), 0);
  std::vector<char> has_triangle(edges.size(), 0);
  for (const Triangle& t : triangles) {
    const double area = twice_area(x[t[0]], x[t[1]], x[t[2]]);
    for (int k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
      const std::size_t e = edge_between(edges, a, b);
      has_triangle[e] = 1;
      if (area > 0) weight[e] += 0.5 * (x[a] - x[c]).dot(x[b] - x[c]) / area;
    }
  }
  double mean = 0, count = 0;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (has_triangle[e]) mean += std::abs(weight[e]), count += 1;
  mean = mean > 0 ? mean / count : 1;
  for (std::size_t e = 0; e < edges.size(); ++e)
    weight[e] = has_triangle[e] ? std::clamp(weight[e], least_cotangent * mean, most_cotangent * mean) : 1;
  return weight;
}

NodeGraph surface_graph(const Points& vertices, const std::vector<Triangle>& triangles, double thickness,
                        const std::vector<NodePair>& wires) {
  NodeGraph graph;
  graph.positions = vertices;
  graph.triangles = triangles;
  graph.thickness = thickness;
  graph.volumes.assign(vertices.size(), 0);
  std::vector<NodePair> pairs = wires;
  double total = 0;
  for (const Triangle& t : triangles) {
    const double area = 0.5 * twice_area(vertices[t[0]], vertices[t[1]], vertices[t[2]]);
    total += area;
    for (int k = 0; k < 3; ++k) {
      graph.volumes[t[k]] += area / 3;
      pairs.push_back({t[k], t[(k + 1) % 3]});
    }
  }
  // Wires alone have no area: their nodes share a square of the mean length each.
  graph.edges = edges_of(std::move(pairs));
  if (!(total > 0)) {
    double length = 0;
    for (const auto& e : graph.edges) length += (vertices[e.b] - vertices[e.a]).norm();
    const double mean = graph.edges.empty() ? 1 : length / double(graph.edges.size());
    total = double(vertices.size()) * mean * mean;
  }
  floor_and_scale(graph.volumes, least_share_of_volume, total);
  for (double& v : graph.volumes) v *= thickness;
  const std::vector<double> weight = cotangent_weights(vertices, triangles, graph.edges);
  for (std::size_t e = 0; e < weight.size(); ++e) graph.edges[e].share = thickness * weight[e];
  return graph;
}

Shape on_surface(Shape shape, double thickness) {
  const Points& x = shape.surface.vertices;
  const double solid =
      shape.closed ? std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0) : 0;
  shape.graph =
      surface_graph(x, shape.surface.triangles, thickness > 0 ? thickness : default_thickness * diagonal(x));
  shape.graph.enclosed = solid;
  shape.embedding = identity(Index(x.size()));
  shape.contact = {};
  shape.touching.clear();
  return shape;
}

Result<MeshShape> make_surface_shape(const PolygonMesh& mesh, const MeshShapeOptions& options, Pool& pool) {
  const Clock::time_point begin = Clock::now();
  Result<Repaired> repaired = repair(mesh);
  if (!repaired) return repaired.error();
  Repaired& surface = *repaired;
  MeshShape out;
  Shape& shape = out.shape;
  const Points& x = surface.mesh.vertices;
  const double thickness = options.thickness > 0 ? options.thickness : default_thickness * diagonal(x);
  shape.graph = surface_graph(x, surface.mesh.triangles, thickness);
  if (options.join && parts_of(shape.graph) > 1)
    shape.graph = surface_graph(x, surface.mesh.triangles, thickness, links_between_parts(shape.graph));
  out.report.repair = surface.report;
  describe(shape.graph, out.report);
  shape.embedding = embedding_of(mesh, surface, shape.graph, out.report.spacing, pool);
  shape.contact = identity(Index(x.size()));
  shape.contact_triangles = surface.mesh.triangles;
  shape.touching = first_of_each(surface.welded, x.size());
  shape.surface.vertices = mesh.vertices;
  for (Vec3& p : shape.surface.vertices)
    if (!p.allFinite()) p = shape.graph.positions.front();
  shape.surface.triangles = std::move(surface.input_triangles);
  shape.closed = surface.report.closed;
  shape.faces = mesh;
  out.report.setup_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
