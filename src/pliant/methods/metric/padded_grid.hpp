// SPDX-License-Identifier: Apache-2.0
// The lattice of a body in memory: nodes of any mask at points of a box, x fastest, with two empty planes at
// both ends, so that no difference of up to two cells leaves the array. Rows are one long vector: kernels run
// over [begin, end) and waste nothing on a full box. Beyond the end of a row lies the next one: what is read
// there must count nothing, as it does where the weights of constraints that do not exist are 0.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/node_graph.hpp"

namespace pliant::metric {

struct PaddedGrid {
  std::array<int, 3> nodes{0, 0, 0};  ///< of the box, per axis
  Vec3 origin{0, 0, 0};               ///< of point (0, 0, 0), m
  Vec3 spacing{1, 1, 1};              ///< h1, h2, h3, m
  std::array<int, 3> step{1, 0, 0};   ///< between neighbours along the axes, in points
  int begin = 0, end = 0;             ///< what kernels run over
  int points = 0;                     ///< length of an array
  std::vector<Index> place;           ///< node -> point
  std::vector<Index> node;            ///< point -> node, -1 = none

  int offset(const std::array<int, 3>& d) const { return d[0] * step[0] + d[1] * step[1] + d[2] * step[2]; }
  /// The node d cells away from a point of the box, -1 = none.
  Index neighbour(Index point, const std::array<int, 3>& d) const {
    int rest = point - begin;
    for (std::size_t c = 3; c-- > 0; rest %= step[c])
      if (const int at = rest / step[c] + d[c]; at < 0 || at >= nodes[c]) return -1;
    return node[std::size_t(point + offset(d))];
  }
};

/// The lattice that the nodes of a graph lie on, whatever their order; the error is told relative to a body.
/// Spacings come from the cells, or, without cells, from the smallest differences of coordinates.
Result<PaddedGrid> make_grid(const NodeGraph& graph);

}  // namespace pliant::metric
