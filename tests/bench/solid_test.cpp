// SPDX-License-Identifier: Apache-2.0
#include "bench/cases/solid.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant::bench {
namespace solid_test {

// A row of the full symmetric matrix times the vector of ones.
std::vector<double> row_sums(const SymmetricMatrix& a) {
  std::vector<double> sums(std::size_t(a.rows()), 0.0);
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = a.begin[std::size_t(i)]; k < a.begin[std::size_t(i) + 1]; ++k) {
      const Index j = a.column[std::size_t(k)];
      sums[std::size_t(i)] += a.value[std::size_t(k)];
      if (j != i) sums[std::size_t(j)] += a.value[std::size_t(k)];
    }
  return sums;
}

TEST(BenchSolid, sizes_are_at_least_what_the_names_say) {
  EXPECT_EQ(make_bar().shape.graph.positions.size(), 3321u);
  EXPECT_GE(make_solid(solid_14k_nodes).shape.graph.positions.size(), 14000u);
  EXPECT_GE(solid_100k_nodes[0] * solid_100k_nodes[1] * solid_100k_nodes[2], 100000);
}

TEST(BenchSolid, holds_the_bottom_layer_and_a_patch_on_top) {
  const Solid solid = make_solid({6, 5, 7});
  EXPECT_TRUE(std::is_sorted(solid.held.begin(), solid.held.end()));
  EXPECT_FALSE(solid.patch.empty());
  EXPECT_EQ(solid.held.size(), 6u * 7u + solid.patch.size());
  for (Index node : solid.patch)
    EXPECT_NEAR(solid.shape.graph.positions[std::size_t(node)].y(), 4 * spacing, 1e-12);
}

TEST(BenchSolid, stiffness_over_mass_is_the_same_at_every_size) {
  // Inside the lattice: A_ij = -2 h'^2 lambda, m = rho spacing^3, h'^2 lambda / m = 123. Edges beside the rim, the
  // stiffest, have 1 + N/(12 (N - 1)) of it across each axis of N cells.
  const SymmetricMatrix a = step_matrix(make_solid({6, 6, 6}));
  const double least = *std::min_element(a.value.begin(), a.value.end());
  const double beside_rim = 1 + 5.0 / 48;
  EXPECT_NEAR(-least / 2 / (density * spacing * spacing * spacing), 123.5 * beside_rim * beside_rim, 0.1);
}

TEST(BenchSolid, matrix_and_operator_are_the_same) {
  const Solid solid = make_solid({5, 4, 6});
  const SymmetricMatrix a = step_matrix(solid);
  const GraphOperator op = step_operator(solid);
  ASSERT_EQ(std::size_t(a.rows()), op.mass.size());
  // The edges cancel in the row sums of the operator: mass and anchors remain.
  const std::vector<double> sums = row_sums(a);
  for (std::size_t i = 0; i < sums.size(); ++i)
    EXPECT_NEAR(sums[i], double(op.mass[i]) + double(op.anchor[i]), 1e-4 * std::abs(sums[i]));
  EXPECT_EQ(op.edges.size(), a.column.size() - op.mass.size());
}

}  // namespace solid_test
}  // namespace pliant::bench
