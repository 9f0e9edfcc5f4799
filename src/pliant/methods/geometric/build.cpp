// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/build.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/build_reduced.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"

namespace pliant::geometric {
namespace {

Error refuse(std::string place, std::string found, std::string expected, std::string hint) {
  return Error{{}, {{std::move(place), std::move(found), std::move(expected), std::move(hint)}}};
}

double mean_edge_length(const NodeGraph& graph) {
  double sum = 0;
  for (const auto& e : graph.edges) sum += (graph.positions[e.b] - graph.positions[e.a]).norm();
  return graph.edges.empty() ? 0 : sum / double(graph.edges.size());
}

/// 1 + strength cos^2 of the angle between edge and fibre, the mean of both ends: no matter which way a fibre
/// points.
double fibre_factor(const Fibres& fibres, const NodeGraph& graph, const NodeGraph::Edge& e) {
  const Vec3 along = (graph.positions[e.b] - graph.positions[e.a]).normalized();
  const auto square = [&](Index node) {
    const Vec3& fibre = fibres.field.empty() ? fibres.direction : fibres.field[node];
    const double cosine = fibre.norm() > 0 ? fibre.dot(along) / fibre.norm() : 0;
    return cosine * cosine;
  };
  return 1 + fibres.strength * (square(e.a) + square(e.b)) / 2;
}

/// The solver for this body, or why there is none.
Result<LinearSolver> choose_solver(const Rows& rows, const Options& options) {
  const bool laplacian = rows.laplacian_weight > 0;
  const bool local_global = options.step_solver == StepSolver::local_global;
  if (options.linear_solver == LinearSolver::multigrid) {
    if (laplacian)
      return refuse("geometric.linear_solver", "multigrid with Laplacian rows", "direct",
                    "the V-cycle is made for edge rows: set linear_solver to direct, or laplacian to 0");
    if (local_global)
      return refuse("geometric.linear_solver", "multigrid with step_solver local-global", "direct",
                    "local/global needs exact solves: set linear_solver to direct, or step_solver to newton");
    return LinearSolver::multigrid;
  }
  if (options.linear_solver == LinearSolver::direct || laplacian || local_global) return LinearSolver::direct;
  return Index(rows.rest.size()) <= direct_limit ? LinearSolver::direct : LinearSolver::multigrid;
}

/// triangles: the surface whose vertices are the nodes, if there is one.
Result<std::unique_ptr<Method>> build_body(Rows rows, Skin skin, const Damping& damping, Options options,
                                           const std::vector<Triangle>& triangles) {
  rows.volume = options.volume;
  if (options.plasticity && (rows.laplacian_weight > 0 || options.covariance == Covariance::paper))
    return refuse("geometric.plasticity", "plasticity with Laplacian rows or the paper's covariance",
                  "edge rows with their own covariance",
                  "set laplacian to 0 and covariance to consistent: only edge rows flow");
  if (options.adaptive && options.volume > 0)
    return refuse("geometric.adaptive", "adaptive rotations with volume rows", "one of them",
                  "volume targets are computed for every node: set volume to 0, or leave adaptive out");
  const Result<LinearSolver> solver = choose_solver(rows, options);
  if (!solver) return solver.error();
  options.linear_solver = *solver;
  Result<Model> model = make_model(std::move(rows));
  if (!model) return model.error();
  std::optional<KeptVolume> volume;
  if (options.keep_volume) {
    Result<KeptVolume> kept = KeptVolume::make(*model, triangles);
    if (!kept) return kept.error();
    volume = std::move(*kept);
  }
  auto body = std::make_unique<Body>(std::move(*model), std::move(skin), damping, options);
  if (volume) body->keep_volume(std::move(*volume));
  return std::unique_ptr<Method>(std::move(body));
}

}  // namespace

Result<Rows> make_rows(const NodeGraph& graph, double density, const Options& options) {
  const std::size_t n = graph.positions.size();
  PLIANT_CHECK(graph.volumes.size() == n);
  if (options.edge == 0 && options.laplacian == 0)
    return refuse("geometric.edge", "0, and laplacian is 0", "at least one of them above 0",
                  "a body without rows has no stiffness");
  const Fibres& fibres = options.fibres;
  if (fibres.strength > 0 && fibres.field.empty() && fibres.direction.norm() == 0)
    return refuse("geometric.fibres.direction", "[0, 0, 0]", "a direction", {});
  if (!fibres.field.empty() && fibres.field.size() != n)
    return refuse("geometric.fibres.file", fmt::format("{} directions", fibres.field.size()),
                  fmt::format("{}, one for every node", n), {});
  const double length = mean_edge_length(graph), modulus = options.stiffness;
  Rows rows;
  rows.rest = graph.positions;
  rows.edges = graph.edges;
  rows.covariance = options.covariance;
  rows.laplacian_weight = options.laplacian * modulus * length / 2;
  for (std::size_t i = 0; i < n; ++i)
    rows.mass.push_back(density *
                        (options.weights == Weights::uniform ? std::pow(length, 3) : graph.volumes[i]));

  const Adjacency adj = adjacency(Index(n), graph.edges);
  const auto per_neighbour = [&](Index i) {
    return 3 * graph.volumes[i] / (adj.begin[i + 1] - adj.begin[i]);
  };
  const auto along_fibres = [&](const NodeGraph::Edge& e) {
    return fibres.strength > 0 ? fibre_factor(fibres, graph, e) : 1;
  };
  for (const auto& e : graph.edges) {
    double weight = modulus * length / 2;
    if (options.weights == Weights::tributary) {
      if (!(e.share > 0))
        return refuse(
            "geometric.weights",
            fmt::format("tributary, but the edge of nodes {} and {} has no cells around it", e.a, e.b),
            "a shape made of cells", "set weights to calibrated");
      weight = modulus / 2 * e.share;
    } else if (options.weights == Weights::calibrated) {
      weight = modulus / 2 * (per_neighbour(e.a) + per_neighbour(e.b)) /
               (graph.positions[e.b] - graph.positions[e.a]).squaredNorm();
    }
    rows.edge_weight.push_back(options.edge * weight * along_fibres(e));
  }
  return rows;
}

Result<Rows> make_rows(const Shape& shape, double density, const Options& options) {
  const bool on_surface = operator_of(options) != Operator::volumetric;
  if (on_surface && shape.graph.triangles.empty())
    return refuse("geometric.operator", "an operator of surfaces, but the nodes fill the shape",
                  "volumetric, or a shape whose vertices are the nodes", {});
  if (!on_surface && options.bending > 0)
    return refuse("geometric.bending", "above 0 with operator volumetric", "0",
                  "second-ring edges are for operators edge, cotangent and mixed");
  return on_surface ? make_surface_rows(shape.graph, density, options)
                    : make_rows(shape.graph, density, options);
}

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  Result<Rows> rows = make_rows(shape, density, options);
  if (!rows) return rows.error();
  if (options.reduction)
    return build_free_reduced(std::move(*rows), {shape.embedding, shape.graph.cells, shape.contact}, damping,
                              options);
  return build_body(std::move(*rows), {shape.embedding, shape.graph.cells, shape.contact}, damping, options,
                    shape.graph.triangles);
}

Result<std::unique_ptr<Method>> build(Rows rows, const Damping& damping, const Options& options) {
  rows.covariance = options.covariance;
  return build_body(std::move(rows), {}, damping, options, {});
}

}  // namespace pliant::geometric
