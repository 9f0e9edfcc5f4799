// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/refuse.hpp"
#include "pliant/methods/metric/calibration.hpp"
#include "pliant/methods/metric/cell_volume.hpp"
#include "pliant/methods/metric/mesh_sets.hpp"
#include "pliant/methods/metric/shares.hpp"

namespace pliant::metric {
namespace {

using Offset = std::array<int, 3>;

// The forward halves; the backward ones are the neighbours' [Kelager05, Sec. 4, 5].
constexpr Offset lengths[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr Offset faces[] = {{1, 1, 0}, {-1, 1, 0}, {1, 0, 1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, 1}};
constexpr Offset spatials[] = {{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {-1, -1, 1}};

Offset doubled(const Offset& d) { return {2 * d[0], 2 * d[1], 2 * d[2]}; }

void add_set(Model& model, const Offset& cells, double eta, bool squared) {
  Vec3 reach;
  for (int c = 0; c < 3; ++c) reach[c] = cells[c] * model.grid.spacing[c];
  model.sets.push_back(
      {cells, model.grid.offset(cells), 1 / reach.squaredNorm(), eta, squared, Bits(1) << model.sets.size()});
}

void add_sets(Model& model, const Options& options, const SetStrengths& eta) {
  for (std::size_t i = 0; i < 3; ++i) add_set(model, lengths[i], eta.length[i], false);
  if (options.model == Kind::original) {
    Bits bit = Bits(1) << 28;
    for (int i = 0; i < 3; ++i)
      for (int j = i + 1; j < 3; ++j, bit <<= 1)
        model.angles.push_back({i, j, 1 / (model.grid.spacing[i] * model.grid.spacing[j]), eta.angle, bit});
    return;
  }
  if (area_of(options) > 0)
    for (std::size_t k = 0; k < 6; ++k) add_set(model, faces[k], eta.face[k / 2], false);
  if (volume_of(options) > 0)
    for (const Offset& d : spatials) add_set(model, d, eta.spatial, options.squared);
  if (options.pillar > 0)
    for (std::size_t i = 0; i < 3; ++i) add_set(model, doubled(lengths[i]), eta.pillar[i], false);
  if (options.pillar_diagonal > 0) {
    for (const Offset& d : faces) add_set(model, doubled(d), eta.pillar_diagonal, false);
    for (const Offset& d : spatials) add_set(model, doubled(d), eta.pillar_diagonal, options.squared);
  }
}

/// By the papers: every constraint that exists has the whole strength.
void share_wholly(Model& model) {
  const std::size_t n = std::size_t(model.grid.points);
  model.shares.assign(model.sets.size() * n, 0.0f);
  for (std::size_t k = 0; k < model.sets.size(); ++k)
    for (const Index p : model.grid.place)
      if (model.has(p, model.sets[k].bit)) model.shares[k * n + std::size_t(p)] = 1;
}

/// The part of each cell that is material, at least a tenth; empty: all are full.
std::vector<double> filled_parts(const NodeGraph& graph, double cell_volume) {
  constexpr double least = 0.1;
  std::vector<double> out;
  for (const auto& eighths : graph.cell_material)
    out.push_back(std::clamp(std::accumulate(eighths.begin(), eighths.end(), 0.0) / cell_volume, least, 1.0));
  return out;
}

/// Which corners of a cell an offset joins: those pairs become constraints.
void mark_cell(const Model& model, const std::array<Index, 8>& cell, const Offset& d, std::vector<char>& at) {
  for (int c = 0; c < 8; ++c) {
    bool inside = true;
    int to = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int end = (c >> axis & 1) + d[axis];
      inside &= end == 0 || end == 1;
      to |= end << axis;
    }
    if (inside) at[std::size_t(model.grid.place[cell[c]])] = 1;
  }
}

/// Where constraints over one cell exist: at[p] for each base.
std::vector<char> bases(const Model& model, const Offset& d, bool by_cells) {
  std::vector<char> at(std::size_t(model.grid.points), 0);
  if (by_cells) {
    for (const auto& cell : model.cells) mark_cell(model, cell, d, at);
    return at;
  }
  for (const Index p : model.grid.place) at[std::size_t(p)] = model.grid.neighbour(p, d) >= 0;
  return at;
}

void mark_sets(Model& model, bool by_cells) {
  model.bits.assign(std::size_t(model.grid.points), 0);
  for (const ConstraintSet& set : model.sets) {
    const bool over_two = std::abs(set.cells[0]) == 2 || std::abs(set.cells[1]) == 2 || set.cells[2] == 2;
    const Offset half = over_two ? Offset{set.cells[0] / 2, set.cells[1] / 2, set.cells[2] / 2} : set.cells;
    const std::vector<char> at = bases(model, half, by_cells);
    const int step = model.grid.offset(half);
    for (const Index p : model.grid.place)
      if (at[std::size_t(p)] && (!over_two || at[std::size_t(p + step)]))
        model.bits[std::size_t(p)] |= set.bit;
  }
  for (const AngleSet& set : model.angles)
    for (const Index p : model.grid.place)
      if (model.has(p, model.sets[std::size_t(set.first)].bit) &&
          model.has(p, model.sets[std::size_t(set.second)].bit))
        model.bits[std::size_t(p)] |= set.bit;
  for (const auto& cell : model.cells) model.bits[std::size_t(model.grid.place[cell[0]])] |= cell_bit;
}

/// All complete cells of the mask, for a shape that names none.
void find_cells(Model& model) {
  const PaddedGrid& grid = model.grid;
  for (const Index p : grid.place) {
    std::array<Index, 8> cell;
    bool whole = true;
    for (int c = 0; c < 8 && whole; ++c) {
      cell[std::size_t(c)] = grid.neighbour(p, {c & 1, c >> 1 & 1, c >> 2});
      whole = cell[std::size_t(c)] >= 0;
    }
    if (whole) model.cells.push_back(cell);
  }
}

/// Pieces that lengths join, numbered in the order of their lowest node.
void label_parts(Model& model) {
  std::vector<Index> root(model.rest.size());
  for (Index i = 0; i < model.nodes(); ++i) root[i] = i;
  const auto find = [&](Index i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto join = [&](Index a, Index b) {
    a = find(a), b = find(b);
    root[std::max(a, b)] = std::min(a, b);
  };
  if (model.on_grid) {
    for (int axis = 0; axis < 3; ++axis)
      for (Index i = 0; i < model.nodes(); ++i)
        if (const Index p = model.grid.place[i]; model.has(p, model.sets[axis].bit))
          join(i, model.grid.node[p + model.grid.step[axis]]);
  } else {
    for (const EdgeConstraint& e : model.edges) join(e.a, e.b);
  }
  model.part.assign(model.rest.size(), 0);
  for (Index i = 0; i < model.nodes(); ++i)
    model.part[i] = find(i) == i ? model.parts++ : model.part[find(i)];
}

/// Corner c of a cell at bit 0, 1, 2 along x, y, z.
bool follow_the_axes(const Model& model, const std::vector<std::array<Index, 8>>& cells) {
  for (const auto& cell : cells)
    for (int c = 1; c < 8; ++c)
      if (cell[c] != model.grid.neighbour(model.grid.place[cell[0]], {c & 1, c >> 1 & 1, c >> 2}))
        return false;
  return true;
}

/// A length constraint begins or ends there.
bool joined(const Model& model, Index p) {
  for (int axis = 0; axis < 3; ++axis)
    if (model.has(p, model.sets[axis].bit) || model.has(p - model.grid.step[axis], model.sets[axis].bit))
      return true;
  return false;
}

Error too_weak() {
  return refuse("metric", "no strength along the axes", "length, or area with the improved model, above 0",
                {});
}

Result<bool> make_lattice(Model& model, const NodeGraph& graph, const Options& options) {
  Result<PaddedGrid> grid = make_grid(graph);
  if (!grid) return grid.error();
  model.grid = std::move(*grid);
  if (!(options.length > 0) || !(young(moduli(options)) > 0)) return too_weak();
  const double cell = model.grid.spacing.prod();
  const SetStrengths eta = set_strengths(options, model.grid.spacing);
  add_sets(model, options, eta);
  model.cells = graph.cells;
  if (!follow_the_axes(model, model.cells))
    return refuse("shape", "cells that do not follow the axes", "cells of a regular lattice",
                  "set metric.lattice to mesh");
  if (model.cells.empty()) find_cells(model);
  mark_sets(model, !graph.cells.empty());
  if (in_pascals(options) && !graph.cells.empty())
    share_among_cells(model, filled_parts(graph, cell));
  else
    share_wholly(model);
  for (std::size_t i = 0; i < model.rest.size(); ++i)
    if (!joined(model, model.grid.place[i]))
      return refuse("shape", fmt::format("node {} without neighbours", i),
                    "nodes of a lattice that hang together", "set metric.lattice to mesh");
  model.edge = std::cbrt(cell);
  model.orientation = eta.orientation;
  return true;
}

Result<bool> make_mesh(Model& model, const NodeGraph& graph, const Options& options) {
  if (graph.edges.empty()) return refuse("shape", "a shape without edges", "a graph of nodes", {});
  if (options.model == Kind::original)
    return refuse("metric.model", "original on a mesh", "improved, or lattice grid",
                  "angles need the axes of a lattice");
  if (!(options.length > 0)) return too_weak();
  double sum = 0;
  for (const NodeGraph::Edge& e : graph.edges) {
    const double length = (graph.positions[e.b] - graph.positions[e.a]).norm();
    if (!(length > 0))
      return refuse("shape", fmt::format("nodes {} and {} in one place", e.a, e.b), "nodes apart", {});
    sum += length;
  }
  model.on_grid = false;
  model.edge = sum / double(graph.edges.size());
  model.edges = mesh_constraints(graph, options);
  model.cells = graph.cells.empty() ? tetrahedra(graph) : graph.cells;
  if (options.orientation < not_given && options.orientation > 0 && model.cells.empty())
    return refuse("metric.orientation", "a term on cells, on a mesh without cells", "0 or none", {});
  if (!model.cells.empty()) model.orientation = mesh_orientation(graph, model.cells.size(), options);
  return true;
}

/// A length constraint has the Hessian 2 eta/H^2 at rest.
double lively_limit(const Model& model) {
  std::vector<double> sum(model.rest.size(), 0.0);
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t) {
    if (squared) return;
    sum[a] += 4 * eta * ih2;
    sum[b] += 4 * eta * ih2;
  });
  // J J^T of an angle is at most 2 h^2 on each of its two edges
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    sum[o] += 8 * eta * ihh;
    sum[a] += 4 * eta * ihh;
    sum[b] += 4 * eta * ihh;
  });
  double most = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) most = std::max(most, sum[i] / model.mass[i]);
  return most > 0 ? 2 / std::sqrt(most) : std::numeric_limits<double>::infinity();
}

}  // namespace

Result<Model> make_model(const NodeGraph& graph, double density, const Options& options) {
  PLIANT_CHECK(graph.volumes.size() == graph.positions.size());
  for (std::size_t k = 1; k < options.keys.size(); ++k)
    if (options.keys[k].time <= options.keys[k - 1].time)
      return refuse(fmt::format("metric.keys.{}.time", k), fmt::format("{:g}", options.keys[k].time),
                    fmt::format("a number > {:g} s, the time of the key before", options.keys[k - 1].time),
                    {});
  Model model;
  model.rest = graph.positions;
  model.threshold = threshold_of(options);
  Vec3 low = model.rest[0], high = low;
  for (const Vec3& X : model.rest) low = low.cwiseMin(X), high = high.cwiseMax(X);
  model.size = (high - low).norm();
  const Result<bool> made = options.lattice == Lattice::grid ? make_lattice(model, graph, options)
                                                             : make_mesh(model, graph, options);
  if (!made) return made.error();
  for (std::size_t k = 0; k < model.cells.size(); ++k) {
    model.cell_volume.push_back(signed_volume(model.cells[k], model.rest));
    if (!(model.cell_volume[k] > 0))
      return refuse("shape", fmt::format("cell {} is flat or inside out", k), "cells with a volume", {});
  }
  for (std::size_t i = 0; i < graph.volumes.size(); ++i) {
    model.mass.push_back(density * graph.volumes[i]);
    if (!(model.mass[i] > 0))
      return refuse("shape", fmt::format("node {} has no volume", i), "nodes that carry mass", {});
  }
  label_parts(model);
  model.lively_step = lively_limit(model);
  return model;
}

}  // namespace pliant::metric
