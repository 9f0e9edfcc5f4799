// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/filled_solid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "pliant/base/refuse.hpp"
#include "pliant/geometry/cell_box.hpp"

namespace pliant {

Result<SolidToFill> solid_to_fill(const PolygonMesh& mesh, const MeshShapeOptions& options,
                                  const CellKind& kind, Laps& laps, MeshShapeReport& report) {
  Result<Repaired> repaired = repair(mesh);
  if (!repaired) return repaired.error();
  report.repair = repaired->report;
  laps.end("repair");
  if (options.nodes < kind.least_nodes)
    return refuse("nodes", std::to_string(options.nodes),
                  fmt::format("at least {}, those of a cell", kind.least_nodes), {});
  TriangleTree tree(repaired->mesh.vertices, repaired->mesh.triangles);
  SolidToFill out{std::move(*repaired), std::move(tree), {}, 0};
  const Repaired& surface = out.surface;
  laps.end("tree");
  report.solidity = solidity(surface, out.tree);
  report.solid = options.solid.value_or(report.solidity.any_solid);
  laps.end("solid or shell");
  if (!report.solid)
    return refuse("", "a sheet", "the skin of a solid: " + kind.fills + " what is inside",
                  "\"solid\": true fills it nevertheless" +
                      (options.for_sheets.empty() ? "" : "; or " + options.for_sheets));
  if (surface.report.closed && surface.report.components == 1)
    out.exact = moments_of(surface.mesh.vertices, surface.mesh.triangles);
  out.volume = out.exact ? out.exact->volume : counted_volume(surface.mesh, out.tree, 4000);
  if (!(out.volume > 0)) return refuse("", "no volume inside the surface", "a solid", {});
  return out;
}

void carry_surface(const PolygonMesh& mesh, Repaired&& surface, Shape& shape) {
  shape.closed = surface.report.closed;
  shape.surface.vertices = mesh.vertices;
  for (Vec3& p : shape.surface.vertices)
    if (!p.allFinite()) p = shape.graph.positions.front();
  shape.surface.triangles = std::move(surface.input_triangles);
  shape.faces = mesh;
}

void describe_filling(const NodeGraph& graph, double h, MeshShapeReport& report) {
  report.spacing = h;
  report.nodes = report.lattice_nodes = Index(graph.positions.size());
  report.volume = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  const std::vector<Index> label = components(report.nodes, graph.edges);
  report.parts = *std::max_element(label.begin(), label.end()) + 1;
  if (report.parts > 1)
    report.warnings.push_back(fmt::format("{} separate parts; they will fall apart.", report.parts));
}

}  // namespace pliant
