// SPDX-License-Identifier: Apache-2.0
// The constraints of a body, immutable after build [Terzopoulos87; Kelager05, Sec. 4, 5]. A length
// constraint e between the nodes a and b:
//   s_e = |r_b - r_a|^2/H_e^2 - g_e,  g_e = 1 at rest          strain of the metric
//   alpha_e = eta_e s_e,        E_e = eta_e s_e^2/4             linear
//   alpha_e = eta_e s_e |s_e|,  E_e = eta_e |s_e|^3/6           squared
//   force on a: (alpha_e/H_e^2)(r_b - r_a), on b the opposite
// On a lattice they come in sets, one offset each: lengths (3), face diagonals (6), spatial diagonals (4),
// pillars (3), pillar diagonals (6 + 4). The original model has lengths and the angles at every node,
//   g = (r_a - r_o).(r_b - r_o)/(h_i h_j),  alpha = eta g,  E = eta g^2/2,
// on both forward edges. A constraint exists where both its nodes share a cell; without cells (a sheet) where
// both nodes exist; over two cells where both its halves exist. By the papers each has the whole eta of its
// set; in pascals a share of it (shares.hpp). On any graph: lengths, areas and volumes of mesh_sets.hpp.
// eta in J, H in m, s and g pure numbers.
#pragma once

#include <cstdint>

#include "pliant/methods/metric/options.hpp"
#include "pliant/methods/metric/padded_grid.hpp"

namespace pliant::metric {

/// What begins at a point of the lattice: constraints by their set, angles, a cell.
using Bits = std::uint64_t;
inline constexpr Bits cell_bit = Bits(1) << 40;

/// One set of lattice constraints.
struct ConstraintSet {
  std::array<int, 3> cells{0, 0, 0};  ///< offset of the far node, in cells
  int offset = 0;                     ///< the same in points
  double inverse_h2 = 0;              ///< 1/H^2, 1/m^2
  double eta = 0;                     ///< J
  bool squared = false;
  Bits bit = 0;  ///< in Model::bits at the base
};

struct AngleSet {
  int first = 0, second = 0;  ///< axes
  double inverse_hh = 0;      ///< 1/(h_i h_j), 1/m^2
  double eta = 0;             ///< J
  Bits bit = 0;
};

/// A constraint of a graph.
struct EdgeConstraint {
  Index a = 0, b = 0;
  double inverse_h2 = 0, eta = 0;
  bool squared = false;
};

struct Model {
  Points rest;               ///< X, m
  std::vector<double> mass;  ///< kg
  /// Corner c at bit 0 = x, bit 1 = y, bit 2 = z; tetrahedra are cells with equal corners (mesh_sets.hpp).
  std::vector<std::array<Index, 8>> cells;
  std::vector<double> cell_volume;  ///< V0, m^3
  std::vector<Index> part;          ///< connected piece of every node
  Index parts = 0;
  double size = 0;         ///< diagonal of the bounding box, m
  double edge = 0;         ///< a typical spacing, m
  double orientation = 0;  ///< eta_J, J
  double threshold = 0;    ///< J0
  /// The longest explicit step of the lively scheme, s: 2 sqrt(m / sum_e 4 eta_e/H_e^2), the least of all nodes.
  double lively_step = 0;

  bool on_grid = true;
  PaddedGrid grid;
  std::vector<Bits> bits;  ///< per point
  std::vector<ConstraintSet> sets;
  std::vector<float> shares;  ///< of eta, set * points + point; 0 where no constraint is
  std::vector<AngleSet> angles;
  std::vector<EdgeConstraint> edges;  ///< off the grid

  Index nodes() const { return Index(rest.size()); }
  bool has(int point, Bits bit) const { return (bits[std::size_t(point)] & bit) != 0; }

  /// Calls visit(a, b, inverse_h2, eta, squared, index) for every length constraint; index counts places for
  /// rest metrics: set * points + point on a grid, else the edge.
  template <class Visit>
  void each_length(Visit&& visit) const;
  /// Calls visit(o, a, b, inverse_hh, eta) for every angle.
  template <class Visit>
  void each_angle(Visit&& visit) const;
  std::size_t rest_metrics() const { return on_grid ? sets.size() * std::size_t(grid.points) : edges.size(); }
};

/// Masses are density times the volumes of the graph. Problems are placed relative to the body.
Result<Model> make_model(const NodeGraph& graph, double density, const Options& options);

template <class Visit>
void Model::each_length(Visit&& visit) const {
  if (!on_grid) {
    for (std::size_t e = 0; e < edges.size(); ++e)
      visit(edges[e].a, edges[e].b, edges[e].inverse_h2, edges[e].eta, edges[e].squared, e);
    return;
  }
  for (std::size_t k = 0; k < sets.size(); ++k)
    for (Index i = 0; i < nodes(); ++i) {
      const Index p = grid.place[i];
      const std::size_t at = k * std::size_t(grid.points) + std::size_t(p);
      if (has(p, sets[k].bit))
        visit(i, grid.node[p + sets[k].offset], sets[k].inverse_h2, double(shares[at]) * sets[k].eta,
              sets[k].squared, at);
    }
}

template <class Visit>
void Model::each_angle(Visit&& visit) const {
  for (const AngleSet& set : angles)
    for (Index o = 0; o < nodes(); ++o) {
      const Index p = grid.place[o];
      if (has(p, set.bit))
        visit(o, grid.node[p + grid.step[set.first]], grid.node[p + grid.step[set.second]], set.inverse_hh,
              set.eta);
    }
}

}  // namespace pliant::metric
