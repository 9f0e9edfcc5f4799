// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/padded_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

constexpr double off_lattice = 1e-6;  // of a spacing: how far a node may be from its point
constexpr double most_points = 2e9 / 16;

Error refuse(std::string found) {
  return Error{{},
               {{"shape", std::move(found), "nodes on a regular lattice along the axes",
                 "use box, sphere, ellipsoid, cylinder, torus, sheet, blobs or a closed mesh, or set "
                 "metric.lattice to mesh"}}};
}

/// The smallest difference between coordinates that differ; 0 = all are the same.
double smallest_step(const Points& x, int axis, double least) {
  std::vector<double> all;
  for (const Vec3& p : x) all.push_back(p[axis]);
  std::sort(all.begin(), all.end());
  double step = 0;
  for (std::size_t k = 1; k < all.size(); ++k) {
    const double d = all[k] - all[k - 1];
    if (d > least && (step == 0 || d < step)) step = d;
  }
  return step;
}

Vec3 spacing_of(const NodeGraph& graph, double size) {
  if (!graph.cells.empty()) {
    const auto& cell = graph.cells.front();
    const Vec3& o = graph.positions[cell[0]];
    return {graph.positions[cell[1]].x() - o.x(), graph.positions[cell[2]].y() - o.y(),
            graph.positions[cell[4]].z() - o.z()};
  }
  Vec3 h;
  double any = 0;
  for (int c = 0; c < 3; ++c) {
    h[c] = smallest_step(graph.positions, c, 1e-9 * size);
    any = std::max(any, h[c]);
  }
  for (int c = 0; c < 3; ++c)
    if (h[c] == 0) h[c] = any > 0 ? any : 1;  // one layer only: never used
  return h;
}

}  // namespace

Result<PaddedGrid> make_grid(const NodeGraph& graph) {
  const Points& x = graph.positions;
  PaddedGrid grid;
  Vec3 low = x.front(), high = low;
  for (const Vec3& p : x) low = low.cwiseMin(p), high = high.cwiseMax(p);
  grid.origin = low;
  grid.spacing = spacing_of(graph, (high - low).norm());
  if (!(grid.spacing.minCoeff() > 0)) return refuse("a cell whose edges do not follow the axes");
  double total = 1;
  for (int c = 0; c < 3; ++c) {
    const double steps = (high[c] - low[c]) / grid.spacing[c];
    total *= steps + 3;
    if (!(total < most_points))
      return refuse("nodes so far apart for their spacing that no lattice holds them");
    grid.nodes[c] = int(std::lround(steps)) + 1;
    // the mean spacing over the whole width is free of the rounding of one cell
    if (grid.nodes[c] > 1) grid.spacing[c] = (high[c] - low[c]) / (grid.nodes[c] - 1);
  }
  grid.step = {1, grid.nodes[0], grid.nodes[0] * grid.nodes[1]};
  const int reach = 2 * (grid.step[0] + grid.step[1] + grid.step[2]);
  grid.begin = rounded_up(reach);
  grid.end = rounded_up(grid.begin + grid.nodes[2] * grid.step[2]);
  grid.points = rounded_up(grid.end + reach);
  grid.node.assign(std::size_t(grid.points), -1);
  const double slack = off_lattice + 1e-14 * low.cwiseAbs().maxCoeff() / grid.spacing.minCoeff();
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 at = (x[i] - low).cwiseQuotient(grid.spacing);
    std::array<int, 3> d;
    for (int c = 0; c < 3; ++c) d[c] = int(std::lround(at[c]));
    for (int c = 0; c < 3; ++c)
      if (std::abs(at[c] - d[c]) > slack)
        return refuse(fmt::format("node {} between the points of a lattice", i));
    const int p = grid.begin + grid.offset(d);
    if (grid.node[std::size_t(p)] >= 0)
      return refuse(fmt::format("nodes {} and {} in one place", grid.node[std::size_t(p)], i));
    grid.node[std::size_t(p)] = Index(i);
    grid.place.push_back(p);
  }
  return grid;
}

}  // namespace pliant::metric
