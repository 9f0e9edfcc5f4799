// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/surface_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/fibres.hpp"

namespace pliant::geometric {
namespace {

// Edge rows beside Laplacian ones: they tell every node its rotation and resist stretching.
constexpr double edge_beside_laplacian = 0.01;

/// Moduli of the two kinds of rows and the masses.
struct Material {
  double stretch = 0;  ///< k, N/m
  double bend = 0;     ///< B, N m
  std::vector<double> mass;
};

Material sheet_material(const NodeGraph& graph, double density, double modulus) {
  Material out{modulus * graph.thickness / 2, modulus * std::pow(graph.thickness, 3) / 12, graph.volumes};
  for (double& m : out.mass) m *= density;
  return out;
}

Material solid_material(const NodeGraph& graph, double density, double modulus) {
  const double volume =
      graph.enclosed > 0 ? graph.enclosed : std::abs(enclosed_volume(graph.positions, graph.triangles));
  const double sheet = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  const double depth = volume * graph.thickness / sheet;  // V / S
  Material out{0.75 * modulus * depth, 6.75 * modulus * std::pow(depth, 3), graph.volumes};
  for (double& m : out.mass) m *= density * volume / sheet;
  return out;
}

/// Edges of the second ring among the others, in order; Laplacian rows do not see them.
void add_second_ring(double weight, Rows& rows) {
  struct Entry {
    NodeGraph::Edge edge;
    double weight, share;
  };
  std::vector<Entry> all;
  for (std::size_t k = 0; k < rows.edges.size(); ++k)
    all.push_back(
        {rows.edges[k], rows.edge_weight[k], rows.laplacian_share.empty() ? 0 : rows.laplacian_share[k]});
  for (const auto& [a, b] : second_ring(Index(rows.rest.size()), rows.edges))
    if ((rows.rest[b] - rows.rest[a]).norm() > 0) all.push_back({{a, b, 0}, weight, 0});
  std::sort(all.begin(), all.end(), [](const Entry& l, const Entry& r) {
    return l.edge.a != r.edge.a ? l.edge.a < r.edge.a : l.edge.b < r.edge.b;
  });
  const bool laplacian = !rows.laplacian_share.empty();
  rows.edges.clear(), rows.edge_weight.clear(), rows.laplacian_share.clear();
  for (const Entry& e : all) {
    rows.edges.push_back(e.edge);
    rows.edge_weight.push_back(e.weight);
    if (laplacian) rows.laplacian_share.push_back(e.share);
  }
}

}  // namespace

Operator operator_of(const Options& options) {
  switch (options.preset) {
    case Preset::surface_solid:
      return Operator::cotangent;
    case Preset::shell:
      return Operator::sheet;
    default:
      return options.op;
  }
}

bool has_soft_rows(const Model& model, const Options& options) {
  return model.has_laplacian() && operator_of(options) != Operator::volumetric;
}

Result<SurfaceWeights> surface_weights(const Options& options) {
  const Operator op = operator_of(options);
  if (options.preset != Preset::none && options.op != Operator::volumetric && options.op != op)
    return refuse("geometric.operator", "another operator than the preset's", "no operator beside a preset",
                  "surface-solid is cotangent, shell is sheet; the paper's shell is operator edge alone");
  if (op == Operator::sheet) return SurfaceWeights{1, 0, 0};
  if (op == Operator::edge) {
    if (options.laplacian > 0)
      return refuse("geometric.laplacian", "Laplacian rows with operator edge", "0",
                    "operator mixed has both kinds of rows");
    return SurfaceWeights{options.edge, 0, options.bending};
  }
  if (op == Operator::cotangent)
    return SurfaceWeights{edge_beside_laplacian * options.edge, options.laplacian > 0 ? options.laplacian : 1,
                          options.bending};
  if (!(options.edge > 0 && options.laplacian > 0))
    return refuse("geometric.operator", "mixed, and edge or laplacian is 0", "both above 0",
                  "operators edge and cotangent have one kind of rows");
  return SurfaceWeights{options.edge, options.laplacian, options.bending};
}

bool stands_for_solid(const NodeGraph& graph, const SurfaceWeights& weights) {
  return weights.laplacian > 0 && is_closed(graph.triangles) &&
         std::abs(enclosed_volume(graph.positions, graph.triangles)) > 0;
}

/// Why operator sheet cannot have a setting, or nothing.
std::optional<Error> sheet_trouble(const Options& options) {
  const auto refused = [](const char* key, const char* found, const char* why) {
    return refuse(std::string("geometric.") + key, std::string(found) + " with operator sheet (preset shell)",
                  "operator edge instead of preset shell, or without this setting", why);
  };
  if (options.laplacian > 0)
    return refused("laplacian", "above 0", "its triangles have bending rows of their own");
  if (options.bending > 0)
    return refused("bending", "above 0", "thickness and stiffness say how it bends: set sheet.bending, N m");
  if (options.edge != 1) return refused("edge", "not 1", "it has no edge rows: change stiffness");
  if (options.fibres.strength > 0) return refused("fibres.strength", "above 0", "fibres stiffen edge rows");
  if (options.plasticity) return refused("plasticity", "given", "only the rest vectors of edge rows flow");
  if (options.adaptive)
    return refused("adaptive", "given",
                   "rotations are handed on from node to node, and here triangles own them");
  if (options.reduction)
    return refused("reduction", "given",
                   "reduced bodies gather rotations at nodes, and here triangles own them");
  if (options.keep_volume)
    return refused("keep_volume", "true", "its multiplier is made for the stars of edge rows");
  if (options.covariance == Covariance::paper)
    return refused("covariance", "paper", "it is that of the nodes of edge rows");
  return std::nullopt;
}

Result<Rows> make_sheet_rows(const NodeGraph& graph, double density, const Options& options) {
  if (auto trouble = sheet_trouble(options)) return *trouble;
  const double t = graph.thickness, nu = options.poisson > 0 ? options.poisson : options.sheet.poisson;
  const double bend = options.sheet.bending > 0 ? options.sheet.bending
                                                : options.stiffness * std::pow(t, 3) / (12 * (1 - nu * nu));
  Rows rows;
  rows.rest = graph.positions;
  rows.edges = graph.edges;
  rows.edge_weight.assign(graph.edges.size(), 0);
  for (const double volume : graph.volumes) rows.mass.push_back(density * volume);
  rows.sheet = make_sheet_elements(graph, {.stretch = options.stiffness * t, .bend = bend, .poisson = nu});
  return rows;
}

Result<Rows> make_surface_rows(const NodeGraph& graph, double density, const Options& options) {
  PLIANT_CHECK(!graph.triangles.empty() && graph.thickness > 0);
  const Result<SurfaceWeights> weights = surface_weights(options);
  if (!weights) return weights.error();
  if (operator_of(options) == Operator::sheet) return make_sheet_rows(graph, density, options);
  if (weights->edge == 0 && weights->laplacian == 0)
    return refuse("geometric.edge", "0", "above 0", "a body without rows has no stiffness");
  if (auto trouble = fibre_trouble(options.fibres, graph.positions.size())) return *trouble;
  if (options.fibres.strength > 0 && weights->laplacian > 0)
    return refuse("geometric.fibres.strength", "above 0 with Laplacian rows on a surface", "operator edge",
                  "fibres stiffen edges, and here Laplacian rows carry the energy");
  Material material = stands_for_solid(graph, *weights) ? solid_material(graph, density, options.stiffness)
                                                        : sheet_material(graph, density, options.stiffness);
  Rows rows;
  rows.rest = graph.positions;
  rows.edges = graph.edges;
  rows.mass = std::move(material.mass);
  rows.covariance = options.covariance;
  rows.laplacian_weight = weights->laplacian * material.bend;
  double mean = 0;
  for (const auto& e : graph.edges) {
    const double cotangent = e.share / graph.thickness;
    mean += cotangent / double(graph.edges.size());
    rows.edge_weight.push_back(weights->edge * material.stretch * cotangent);
    if (weights->laplacian > 0) rows.laplacian_share.push_back(cotangent);
  }
  if (weights->laplacian > 0)
    for (const double volume : graph.volumes)
      rows.laplacian_scale.push_back(std::sqrt(graph.thickness / volume));
  const double second = weights->bending * weights->edge * material.stretch * mean;
  if (weights->bending > 0) add_second_ring(second, rows);
  for (std::size_t k = 0; k < rows.edges.size(); ++k)
    rows.edge_weight[k] *= fibre_factor(options.fibres, rows.rest, rows.edges[k].a, rows.edges[k].b);
  return rows;
}

}  // namespace pliant::geometric
