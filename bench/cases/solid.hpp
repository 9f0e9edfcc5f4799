// SPDX-License-Identifier: Apache-2.0
// The bodies of the bench: lattices of spacing 0.05 m, density 1000 kg/m^3, E = 5e6 Pa, h = 1/60 s, so that
// h'^2 lambda / m = 123 with the h' = 2h/3 of BDF2 at every size, and their step matrices A = M + h'^2 K.
#pragma once

#include <vector>

#include "pliant/geometry/shape.hpp"
#include "pliant/math/graph_multigrid.hpp"
#include "pliant/math/symmetric_matrix.hpp"

namespace pliant::bench {

inline constexpr double spacing = 0.05;        ///< m
inline constexpr double density = 1000;        ///< kg/m^3
inline constexpr double stiffness = 5e6;       ///< Pa
inline constexpr double time_step = 1.0 / 60;  ///< s

/// Nodes per axis. Sizes are never below what the case's name says.
using Nodes = std::array<int, 3>;
inline constexpr Nodes bar_nodes{9, 9, 41};            ///< 3 321, the bar of geometric/bar-stiff
inline constexpr Nodes solid_14k_nodes{24, 25, 24};    ///< 14 400
inline constexpr Nodes solid_20k_nodes{27, 28, 27};    ///< 20 412
inline constexpr Nodes solid_100k_nodes{47, 46, 47};   ///< 101 614
inline constexpr Nodes solid_1m_nodes{100, 100, 100};  ///< 1 000 000

struct Solid {
  Shape shape;
  std::vector<Index> held;   ///< ascending: the bottom layer y = 0, and the patch
  std::vector<Index> patch;  ///< ascending: the middle half of the top layer, moved by the step cases
};
Solid make_solid(const Nodes& nodes);

/// The bar, held at its layer z = 0; no patch.
Solid make_bar();

/// A on the nodes that are not held, in their order. K_ij = -2 a_ij, a_ij = E/2 * share.
SymmetricMatrix step_matrix(const Solid& solid);
GraphOperator step_operator(const Solid& solid);

}  // namespace pliant::bench
