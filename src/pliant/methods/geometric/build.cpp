// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/fibres.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"

namespace pliant::geometric {
namespace {

double mean_edge_length(const NodeGraph& graph) {
  double sum = 0;
  for (const auto& e : graph.edges) sum += (graph.positions[e.b] - graph.positions[e.a]).norm();
  return graph.edges.empty() ? 0 : sum / double(graph.edges.size());
}

/// The solver for this body, or why there is none.
Result<LinearSolver> choose_solver(const Rows& rows, const Options& options) {
  const bool laplacian = rows.laplacian_weight > 0;
  const bool local_global = options.step_solver == StepSolver::local_global;
  if (options.linear_solver == LinearSolver::multigrid) {
    if (rows.sheet)
      return refuse("geometric.linear_solver", "multigrid with operator sheet (preset shell)", "direct",
                    "the V-cycle is made for edge rows: set linear_solver to direct, or operator to edge");
    if (laplacian)
      return refuse("geometric.linear_solver", "multigrid with Laplacian rows", "direct",
                    "the V-cycle is made for edge rows: set linear_solver to direct, or laplacian to 0");
    if (local_global)
      return refuse("geometric.linear_solver", "multigrid with step_solver local-global", "direct",
                    "local/global needs exact solves: set linear_solver to direct, or step_solver to newton");
    return LinearSolver::multigrid;
  }
  if (options.linear_solver == LinearSolver::direct || laplacian || local_global || rows.sheet)
    return LinearSolver::direct;
  return Index(rows.rest.size()) <= direct_limit_of(options) ? LinearSolver::direct : LinearSolver::multigrid;
}

/// triangles: the surface whose vertices are the nodes, if there is one.
Result<std::unique_ptr<Method>> build_body(Rows rows, Skin skin, const Damping& damping, Options options,
                                           const std::vector<Triangle>& triangles) {
  rows.volume = operator_of(options) == Operator::volumetric ? row_moduli(options).volume : 0;
  if (options.plasticity && (rows.laplacian_weight > 0 || options.covariance == Covariance::paper))
    return refuse("geometric.plasticity", "plasticity with Laplacian rows or the paper's covariance",
                  "edge rows with their own covariance",
                  "only edge rows flow: operator volumetric or edge, laplacian 0, covariance consistent");
  if (options.adaptive && rows.volume > 0)
    return refuse(
        "geometric.adaptive", "adaptive rotations with volume rows", "one of them",
        "volume targets are computed for every node: set poisson and volume to 0, or leave adaptive out");
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

/// Rows that the relief (model.hpp) is not written for.
std::optional<Error> relief_trouble(const Options& options) {
  const auto refused = [&](std::string with) {
    return refuse("geometric.hourglass", fmt::format("{:g} with {}", options.hourglass, with), "1", {});
  };
  if (options.laplacian > 0) return refused("Laplacian rows");
  if (options.covariance == Covariance::paper) return refused("covariance paper");
  if (options.reduction && options.plasticity) return refused("plasticity in reduced space");
  return std::nullopt;
}

/// 1 - theta of all edges. Lattices whose edges lie along the axes keep a quarter. Ripples along cells that are longer
/// than high are larger, by the square of their aspect, and keep so much less: a box of such cells bends like one of
/// cubes. Ripples along the other axes are left alone, for hourglasses would show there. With volume rows a half is
/// kept: with less, scrambled bodies did not find back. Rows of a plastic body need one share for all edges of a star.
std::vector<double> kept_ripples(const NodeGraph& graph, const Options& options) {
  constexpr double of_graphs = 0.5, on_axis = 1e-6, largest_aspect = 3;
  const double of_cubes = row_moduli(options).volume > 0 ? 0.5 : 0.25;
  std::vector<double> squares;
  bool along_axes = !graph.cells.empty();
  for (const auto& e : graph.edges) {
    const Vec3 r = graph.positions[e.b] - graph.positions[e.a];
    squares.push_back(r.squaredNorm());
    const double largest = r.cwiseAbs().maxCoeff();
    along_axes = along_axes && squares.back() < largest * largest * (1 + on_axis);
  }
  if (squares.empty()) return {};
  const bool all_pairs = graph.edges.size() > 3 * graph.positions.size();
  std::vector<double> out(squares.size(), graph.cells.empty() || all_pairs ? of_graphs : of_cubes);
  if (!along_axes || options.plasticity) return out;
  const double shortest = *std::min_element(squares.begin(), squares.end());
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = of_cubes / std::min(squares[k] / shortest, largest_aspect * largest_aspect);
  return out;
}

}  // namespace

Result<Rows> make_rows(const NodeGraph& graph, double density, const Options& options) {
  const std::size_t n = graph.positions.size();
  PLIANT_CHECK(graph.volumes.size() == n);
  if (options.edge == 0 && options.laplacian == 0)
    return refuse("geometric.edge", "0, and laplacian is 0", "at least one of them above 0",
                  "a body without rows has no stiffness");
  if (auto trouble = fibre_trouble(options.fibres, n)) return *trouble;
  const double length = mean_edge_length(graph), modulus = row_moduli(options).edge;
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
    rows.edge_weight.push_back(options.edge * weight *
                               fibre_factor(options.fibres, graph.positions, e.a, e.b));
  }
  const std::optional<Error> no_relief = relief_trouble(options);
  if (no_relief && options.hourglass > 0 && options.hourglass < 1) return *no_relief;
  if (no_relief || options.hourglass == 1) return rows;
  rows.relief = options.hourglass > 0 ? std::vector<double>(rows.edges.size(), options.hourglass)
                                      : kept_ripples(graph, options);
  for (double& share : rows.relief) share = 1 - share;
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
  if (on_surface && options.hourglass > 0)
    return refuse("geometric.hourglass", "above 0 with an operator of surfaces", "0",
                  "only nodes that fill a body have ripples to keep: leave hourglass out");
  if (options.poisson > 0 && options.volume > 0)
    return refuse("geometric.volume", "above 0 beside poisson", "one of them",
                  "poisson sets the weight of the volume rows: leave volume out");
  if (on_surface && operator_of(options) != Operator::sheet && options.poisson > 0)
    return refuse("geometric.poisson", "above 0 with an operator of edges on a surface", "0",
                  "edges of a surface have Poisson's ratio 0: operator sheet has any");
  if (on_surface && options.volume > 0)
    return refuse(
        "geometric.volume", "above 0 with an operator of surfaces", "0",
        "a surface has no volume around its nodes: with operator edge `keep_volume` keeps what it encloses");
  if (operator_of(options) != Operator::sheet && (options.sheet.poisson > 0 || options.sheet.bending > 0))
    return refuse("geometric.sheet", "given with another operator", "operator sheet (preset shell)",
                  "edge and Laplacian rows have no bending stiffness of their own");
  return on_surface ? make_surface_rows(shape.graph, density, options)
                    : make_rows(shape.graph, density, options);
}

Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options) {
  Result<Rows> rows = make_rows(shape, density, options);
  if (!rows) return rows.error();
  if (options.reduction)
    return build_free_reduced(std::move(*rows), {{shape.embedding, shape.contact}, shape.graph.cells},
                              damping, options);
  return build_body(std::move(*rows), {{shape.embedding, shape.contact}, shape.graph.cells}, damping, options,
                    shape.graph.triangles);
}

Result<std::unique_ptr<Method>> build(Rows rows, const Damping& damping, const Options& options) {
  rows.covariance = options.covariance;
  return build_body(std::move(rows), {}, damping, options, {});
}

}  // namespace pliant::geometric
