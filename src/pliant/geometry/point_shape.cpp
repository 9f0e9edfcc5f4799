// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/point_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/clock.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/geometry/point_cloud.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/surface_embedding.hpp"
#include "pliant/geometry/volumetric_graph.hpp"

namespace pliant {
namespace {

constexpr std::size_t least_points = 20;
constexpr double most_opposed = 0.1;  // share of the points
constexpr double agree = 0.05;        // between the two volumes

/// By the divergence theorem where the discs close; 0 (the nodes' own count) where holes make that no volume.
double volume_of(const CloudFacts& facts, const TriMesh& discs, const TriangleTree& tree) {
  const double counted = counted_volume(discs, tree, 40'000);
  return std::abs(facts.volume - counted) < agree * counted ? facts.volume : 0;
}

void describe(const BodyGraph& body, const CloudFacts& facts, Index points, double size,
              MeshShapeReport& report) {
  const NodeGraph& graph = body.graph;
  report.solidity.defect = facts.defect;
  report.solidity.any_solid = true;
  report.points = points;
  report.nodes = Index(graph.positions.size());
  report.lattice_nodes = body.lattice_nodes, report.cover_nodes = body.cover_nodes;
  report.frame_nodes = body.frame_nodes;
  report.spacing = body.spacing * size;
  report.volume = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0) * std::pow(size, 3);
  const std::vector<Index> label = components(report.nodes, graph.edges);
  report.parts = *std::max_element(label.begin(), label.end()) + 1;
  if (report.parts > 1)
    report.warnings.push_back(fmt::format("{} separate parts; they will fall apart.", report.parts));
  if (const std::string open = open_text(facts); !open.empty()) report.warnings.push_back(open);
  if (body.strays > 0)
    report.warnings.push_back(
        fmt::format("{} points see no node and follow the nearest; raise nodes.", body.strays));
}

}  // namespace

namespace {

/// What is wrong with a cloud as the boundary of a solid; nothing: it is one.
std::optional<Error> no_solid(const CloudFacts& facts) {
  const auto refused = [](std::string found, const char* hint) {
    return refuse("", std::move(found), "outward normals on the skin of a solid", hint);
  };
  if (facts.volume < 0) return refused("normals that point inward", "turn them round");
  if (facts.opposed > most_opposed)
    return refused(fmt::format("{:.0f} % of the normals point against the others", 100 * facts.opposed),
                   "orient them alike");
  if (facts.defect > solid_defect)
    return refused(fmt::format("points of a sheet, or with large holes: defect {:.2f}", facts.defect),
                   "scan all sides");
  return std::nullopt;
}

}  // namespace

CloudSolid cloud_solid(const Points& points, const Points& normals, Pool& pool) {
  CloudSolid out;
  if (points.size() < least_points) {
    out.wrong =
        refuse("", fmt::format("{} points", points.size()), fmt::format("at least {}", least_points), {});
    return out;
  }
  if (!(diagonal(points) > 0)) {
    out.wrong = refuse("", "points in one place", "points of a surface", {});
    return out;
  }
  out.discs = cloud_discs(points, normals, pool);
  out.tree.emplace(out.discs.vertices, out.discs.triangles);
  out.facts = cloud_facts(points, normals, out.discs, *out.tree, pool);
  out.wrong = no_solid(out.facts);
  return out;
}

std::string reason(const Error& wrong) {
  const Problem& problem = wrong.problems.front();
  return fmt::format("{}, expected {}", problem.found, problem.expected);
}

Result<MeshShape> make_point_shape(const PolygonMesh& cloud, const MeshShapeOptions& options, Pool& pool) {
  const Clock::time_point begin = Clock::now();
  Laps laps;
  Points points = cloud.vertices;
  Vec3 low = points.empty() ? Vec3(Vec3::Zero()) : points.front(), high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Vec3 centre = 0.5 * (low + high);
  const double size = (high - low).norm();
  for (Vec3& p : points) p = size > 0 ? Vec3((p - centre) / size) : Vec3(p - centre);

  CloudSolid solid = cloud_solid(points, cloud.normals, pool);
  if (solid.wrong) return *solid.wrong;
  const CloudFacts& facts = solid.facts;
  TriMesh& discs = solid.discs;
  const TriangleTree& tree = *solid.tree;
  laps.end("discs");
  BodyGraph body = volumetric_graph({discs.vertices, discs.triangles, tree, false, true,
                                     volume_of(facts, discs, tree), Index(points.size())},
                                    options.nodes, pool, laps);
  MeshShape out;
  describe(body, facts, Index(points.size()), size, out.report);

  Shape& shape = out.shape;
  std::vector<Index> each(points.size());
  std::iota(each.begin(), each.end(), 0);
  shape.embedding = surface_embedding(points, each, body.leaning, body.graph, body.spacing, pool);
  shape.graph = std::move(body.graph);
  for (Vec3& p : shape.graph.positions) p = centre + size * p;
  for (double& volume : shape.graph.volumes) volume *= std::pow(size, 3);
  for (auto& e : shape.graph.edges) e.share *= size;
  for (Vec3& p : discs.vertices) p = centre + size * p;
  shape.surface.vertices = cloud.vertices;
  shape.discs = std::move(discs);
  shape.closed = false;
  shape.touching = std::move(each);
  shape.faces = cloud;
  laps.end("embedding");
  out.report.stages = laps.all();
  out.report.setup_ms = milliseconds_since(begin);
  return out;
}

}  // namespace pliant
