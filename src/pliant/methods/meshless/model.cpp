// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/model.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/geometry/node_grid.hpp"

namespace pliant::meshless {
namespace {

constexpr double crowded = 0.25;  // of its support: a node with a neighbour nearer than that

/// The cells around node i: entry[k] of the cells' arrays and the cell, k in [begin[i], begin[i + 1]).
struct Around {
  std::vector<Index> begin, entry, cell;
};
Around cells_around(const Cells& cells, Index nodes) {
  Around out;
  out.begin.assign(std::size_t(nodes) + 1, 0);
  for (const Index i : cells.node) ++out.begin[std::size_t(i) + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.entry.resize(cells.node.size());
  out.cell.resize(cells.node.size());
  std::vector<Index> at(out.begin.begin(), out.begin.end() - 1);
  for (Index c = 0; c < cells.count(); ++c)
    for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k) {
      const Index slot = at[std::size_t(cells.node[std::size_t(k)])]++;
      out.entry[std::size_t(slot)] = k;
      out.cell[std::size_t(slot)] = c;
    }
  return out;
}

/// Nodes of one cell belong together.
void find_parts(Model& model) {
  std::vector<Index> root(model.rest.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](Index i) {
    while (root[std::size_t(i)] != i) i = root[std::size_t(i)] = root[std::size_t(root[std::size_t(i)])];
    return i;
  };
  const Cells& cells = model.cells;
  for (Index c = 0; c < cells.count(); ++c) {
    const Index first = cells.node[std::size_t(cells.begin[std::size_t(c)])];
    for (Index k = cells.begin[std::size_t(c)] + 1; k < cells.begin[std::size_t(c) + 1]; ++k) {
      const Index p = find(first), q = find(cells.node[std::size_t(k)]);
      root[std::size_t(std::max(p, q))] = std::min(p, q);
    }
  }
  model.part_of.resize(model.rest.size());
  for (Index i = 0; i < model.nodes(); ++i) {
    const Index lowest = find(i);
    if (lowest == i) model.parts.emplace_back();
    Index& part = model.part_of[std::size_t(i)];
    part = lowest == i ? Index(model.parts.size()) - 1 : model.part_of[std::size_t(lowest)];
    model.parts[std::size_t(part)].push_back(i);
  }
}

using Row = std::vector<std::pair<Index, double>>;

}  // namespace

Vec3 Model::field_at(Index node, const Points& x) const {
  Vec3 field = Vec3::Zero();
  for (Index k = at_nodes.begin[std::size_t(node)]; k < at_nodes.begin[std::size_t(node) + 1]; ++k)
    field += at_nodes.weight[std::size_t(k)] * x[std::size_t(at_nodes.column[std::size_t(k)])];
  return field;
}

MlsOptions mls_options(const Shape& shape, const Options& options) {
  return {shape.graph.cells.empty() ? 8 : 6, options.support, options.spacing};
}

Gather ties_of(const Points& rest, const MovingLeastSquares& mls, const Gather& at_nodes) {
  Gather out;
  const NodeGrid grid(rest, mls.spacing());
  std::vector<NodeGrid::Found> found;
  for (Index i = 0; i < Index(rest.size()); ++i) {
    grid.nearest(rest[std::size_t(i)], 2, crowded * mls.support(i), found);
    if (found.size() < 2) continue;
    for (std::size_t k = std::size_t(at_nodes.begin[std::size_t(i)]);
         k < std::size_t(at_nodes.begin[std::size_t(i) + 1]); ++k) {
      out.column.push_back(at_nodes.column[k]);
      out.weight.push_back(at_nodes.weight[k]);
    }
    out.column.push_back(i);
    out.weight.push_back(-1);
    out.begin.push_back(Index(out.column.size()));
  }
  return out;
}

namespace {

/// each(stretch, begin, end): of a tie, m, and where its weights are.
template <class Each>
void each_tie(const Model& model, const Points& x, const Each& each) {
  const Gather& ties = model.ties;
  for (std::size_t n = 0; n < std::size_t(ties.rows()); ++n) {
    const std::size_t begin = std::size_t(ties.begin[n]), end = std::size_t(ties.begin[n + 1]);
    Vec3 stretch = Vec3::Zero();
    for (std::size_t k = begin; k < end; ++k) stretch += ties.weight[k] * x[std::size_t(ties.column[k])];
    each(stretch, begin, end);
  }
}

}  // namespace

double tie_energy(const Model& model, const Points& x) {
  double sum = 0;
  each_tie(model, x, [&](const Vec3& stretch, std::size_t, std::size_t) { sum += stretch.squaredNorm(); });
  return model.tie_stiffness() / 2 * sum;
}

void add_tie_forces(const Model& model, const Points& x, std::span<Vec3> forces) {
  each_tie(model, x, [&](const Vec3& stretch, std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k)
      forces[std::size_t(model.ties.column[k])] -= model.tie_stiffness() * model.ties.weight[k] * stretch;
  });
}

SymmetricMatrix cell_laplacian(const Cells& cells, const std::vector<double>& factor, Index nodes,
                               Pool& pool) {
  const Around around = cells_around(cells, nodes);
  std::vector<Row> rows{std::size_t(nodes)};
  for_blocks(pool, nodes, 256, [&](int begin, int end) {
    std::vector<double> sum(std::size_t(nodes), 0);
    std::vector<char> seen(std::size_t(nodes), 0);
    std::vector<Index> columns;
    for (Index i = begin; i < end; ++i) {
      columns.assign(1, i);
      seen[std::size_t(i)] = 1;
      for (Index n = around.begin[std::size_t(i)]; n < around.begin[std::size_t(i) + 1]; ++n) {
        const Index c = around.cell[std::size_t(n)];
        const Vec3 g = cells.weight[std::size_t(c)] * factor[std::size_t(c)] *
                       cells.gradient[std::size_t(around.entry[std::size_t(n)])];
        for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k) {
          const Index j = cells.node[std::size_t(k)];
          if (j > i) break;
          if (!seen[std::size_t(j)]) seen[std::size_t(j)] = 1, columns.push_back(j);
          sum[std::size_t(j)] += g.dot(cells.gradient[std::size_t(k)]);
        }
      }
      std::sort(columns.begin(), columns.end());
      for (const Index j : columns) {
        rows[std::size_t(i)].push_back({j, sum[std::size_t(j)]});
        sum[std::size_t(j)] = 0, seen[std::size_t(j)] = 0;
      }
    }
  });
  return symmetric_from_rows(rows);
}

SymmetricMatrix with_rows(const SymmetricMatrix& a, double scale, const std::vector<double>& diagonal,
                          const Gather& gather, double factor) {
  std::vector<std::map<Index, double>> extra(std::size_t(a.rows()));
  for (Index r = 0; r < gather.rows(); ++r)
    for (Index k = gather.begin[std::size_t(r)]; k < gather.begin[std::size_t(r) + 1]; ++k)
      for (Index l = gather.begin[std::size_t(r)]; l < gather.begin[std::size_t(r) + 1]; ++l) {
        const Index i = gather.column[std::size_t(k)], j = gather.column[std::size_t(l)];
        if (j <= i)
          extra[std::size_t(i)][j] += factor * gather.weight[std::size_t(k)] * gather.weight[std::size_t(l)];
      }
  std::vector<Row> rows{std::size_t(a.rows())};
  for (Index i = 0; i < a.rows(); ++i) {
    Row& row = rows[std::size_t(i)];
    auto more = extra[std::size_t(i)].begin();
    const auto end = extra[std::size_t(i)].end();
    for (Index k = a.begin[std::size_t(i)]; k < a.begin[std::size_t(i) + 1]; ++k) {
      const Index j = a.column[std::size_t(k)];
      for (; more != end && more->first < j; ++more) row.push_back(*more);
      double value = scale * a.value[std::size_t(k)] + (j == i ? diagonal[std::size_t(i)] : 0);
      if (more != end && more->first == j) value += (more++)->second;
      row.push_back({j, value});
    }
  }
  return symmetric_from_rows(rows);
}

SymmetricMatrix block_matrix(const Model& model, const std::vector<double>& diagonal, double stiffness,
                             const Gather& gather, double hold) {
  const Cells& cells = model.cells;
  const Around around = cells_around(cells, model.nodes());
  std::vector<std::map<Index, double>> held(model.rest.size());
  for (Index r = 0; r < gather.rows(); ++r)
    for (Index k = gather.begin[std::size_t(r)]; k < gather.begin[std::size_t(r) + 1]; ++k)
      for (Index l = gather.begin[std::size_t(r)]; l < gather.begin[std::size_t(r) + 1]; ++l)
        held[std::size_t(gather.column[std::size_t(k)])][gather.column[std::size_t(l)]] +=
            hold * gather.weight[std::size_t(k)] * gather.weight[std::size_t(l)];
  std::vector<Row> rows(3 * model.rest.size());
  std::map<Index, Mat3> blocks;
  for (Index i = 0; i < model.nodes(); ++i) {
    blocks.clear();
    for (Index n = around.begin[std::size_t(i)]; n < around.begin[std::size_t(i) + 1]; ++n) {
      const Index c = around.cell[std::size_t(n)];
      const double w = stiffness * cells.weight[std::size_t(c)] * model.relative[std::size_t(c)];
      const Vec3& gi = cells.gradient[std::size_t(around.entry[std::size_t(n)])];
      for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k) {
        const Index j = cells.node[std::size_t(k)];
        if (j > i) break;
        const Vec3& gj = cells.gradient[std::size_t(k)];
        Mat3& block = blocks.try_emplace(j, Mat3::Zero()).first->second;
        block += w * (model.lambda * gi * gj.transpose() + (model.mu - model.kappa) * gj * gi.transpose() +
                      (model.mu + model.kappa) * gi.dot(gj) * Mat3::Identity());
      }
    }
    for (const auto& [j, value] : held[std::size_t(i)])
      if (j <= i) blocks.try_emplace(j, Mat3::Zero()).first->second += value * Mat3::Identity();
    blocks.try_emplace(i, Mat3::Zero()).first->second += diagonal[std::size_t(i)] * Mat3::Identity();
    for (const auto& [j, block] : blocks)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
          if (j < i || b <= a) rows[std::size_t(3 * i + a)].push_back({3 * j + b, block(a, b)});
  }
  return symmetric_from_rows(rows);
}

namespace {

/// Masses with the moments of the body: a mass spread by shape functions turns more heavily than where it was.
void match_solid(const NodeGraph& graph, double density, Model& model) {
  if (!is_connected(graph)) return;
  Moments solid = moments_of(graph.positions, graph.volumes);
  solid.volume *= density, solid.second *= density;
  match_moments(model.rest, solid, model.mass);
}

}  // namespace

Result<Model> make_model(const Shape& shape, const MovingLeastSquares& mls, double density,
                         const Options& options, Pool& pool) {
  Result<Cells> cells = make_cells(shape, mls, options.finer_balls, pool);
  if (!cells) return cells.error();
  Model model;
  model.rest = shape.graph.positions;
  model.cells = std::move(*cells);
  model.young = options.stiffness;
  model.lambda = options.stiffness * options.poisson / ((1 + options.poisson) * (1 - 2 * options.poisson));
  model.mu = options.stiffness / (2 * (1 + options.poisson));
  // The forms of the papers have no term against spin; relative to no rotation at all it would resist turning.
  model.kappa = options.warping == Warping::cell ? options.kappa * model.mu : 0;
  model.spacing = mls.spacing();
  Vec3 low = model.rest.front(), high = low;
  for (const Vec3& p : model.rest) low = low.cwiseMin(p), high = high.cwiseMax(p);
  model.size = (high - low).norm();
  model.relative.assign(model.cells.weight.size(), 1);
  model.mass.assign(model.rest.size(), 0);
  for (Index c = 0; c < model.cells.count(); ++c)
    for (Index k = model.cells.begin[std::size_t(c)]; k < model.cells.begin[std::size_t(c) + 1]; ++k)
      model.mass[std::size_t(model.cells.node[std::size_t(k)])] +=
          density * model.cells.weight[std::size_t(c)] * model.cells.centre_value[std::size_t(k)];
  // One-sided neighbourhoods can have negative shape functions: no mass below a hundredth of the mean; the
  // others give what that takes, so that the sum stays.
  const double total = std::accumulate(model.mass.begin(), model.mass.end(), 0.0);
  const double least = 0.01 * total / double(model.mass.size());
  for (double& m : model.mass) m = std::max(m, least);
  const double sum = std::accumulate(model.mass.begin(), model.mass.end(), 0.0);
  for (double& m : model.mass) m *= total / sum;
  match_solid(shape.graph, density, model);
  model.laplacian = cell_laplacian(model.cells, model.relative, model.nodes(), pool);
  find_parts(model);
  std::vector<Index> each(model.rest.size());
  std::iota(each.begin(), each.end(), 0);
  model.at_nodes = mls_rows(model.rest, pick(each), mls, pool);
  model.ties = ties_of(model.rest, mls, model.at_nodes);
  return model;
}

}  // namespace pliant::meshless
