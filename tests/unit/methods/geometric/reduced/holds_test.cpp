// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/holds.hpp"

#include <gtest/gtest.h>

#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace holds_test {

/// A bar whose first layer of nodes is a handle.
struct HandleBar {
  ReducedModel model;
  std::vector<Index> held;
  Points targets;

  HandleBar() {
    Model full = model_of(lattice({3, 3, 6}, 0.1, 1, 2e3));
    for (Index i = 0; i < full.nodes(); ++i)
      if (full.rest[i].z() == full.rest[0].z()) held.push_back(i);
    for (const Index i : held) targets.push_back(full.rest[i]);
    Result<Basis> basis = make_basis(full, {{held, true}}, Reduction{.modal = 3}, {});
    EXPECT_TRUE(basis) << basis.error().text();
    Cubature all = every_node(full);
    model = make_reduced_model(std::move(full), std::move(*basis), std::move(all));
  }
  StepInput input() const {
    StepInput out;
    out.held = held;
    out.targets = targets;
    return out;
  }
};

TEST(ReducedHolds, a_held_piece_tells_the_coordinates_that_put_its_nodes_there) {
  HandleBar bar;
  ReducedHolds holds(bar.model);
  for (Vec3& target : bar.targets) target += Vec3(0.1, 0, -0.2);
  ASSERT_EQ(holds.take(bar.model, bar.input()), "");
  EXPECT_TRUE(holds.holds(0));
  Coordinates z = Coordinates::Zero(bar.model.columns(), 3);
  std::size_t count = 0;
  holds.each_prescribed(bar.model, [&](Index c, const auto& row) { z.row(c) = row, ++count; });
  EXPECT_EQ(count, std::size_t(bar.model.basis.pieces[0].count));
  EXPECT_EQ(holds.unknown_columns(bar.model).size(), std::size_t(bar.model.columns()) - count);
  for (std::size_t n = 0; n < bar.held.size(); ++n)
    EXPECT_LT((bar.model.node_at(bar.held[n], z) - bar.targets[n]).norm(), 1e-9);
}

TEST(ReducedHolds, let_go_the_piece_is_unknown_again) {
  HandleBar bar;
  ReducedHolds holds(bar.model);
  ASSERT_EQ(holds.take(bar.model, bar.input()), "");
  ASSERT_EQ(holds.take(bar.model, {}), "");
  EXPECT_FALSE(holds.holds(0));
  EXPECT_EQ(holds.unknown_columns(bar.model).size(), std::size_t(bar.model.columns()));
}

TEST(ReducedHolds, a_part_of_a_piece_and_a_piece_that_is_torn_are_refused) {
  HandleBar bar;
  ReducedHolds holds(bar.model);
  StepInput part = bar.input();
  part.held = part.held.subspan(1);
  part.targets = part.targets.subspan(1);
  EXPECT_NE(holds.take(bar.model, part), "");
  bar.targets[0] += Vec3(0, 0.1, 0);
  EXPECT_NE(holds.take(bar.model, bar.input()), "");
}

}  // namespace holds_test
}  // namespace pliant::geometric
