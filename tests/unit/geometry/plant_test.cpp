// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/plant.hpp"

#include <gtest/gtest.h>

#include <map>

namespace pliant {
namespace plant_test {

TEST(Plant, has_the_nodes_of_the_published_one_and_hangs_together) {
  const Shape plant = make_shape(PlantShape{});
  EXPECT_EQ(plant.graph.positions.size(), 2606u);
  EXPECT_EQ(plant.graph.triangles.size(), plant.surface.triangles.size());
  for (const Index label : components(2606, plant.graph.edges)) ASSERT_EQ(label, 0);
  EXPECT_FALSE(plant.closed);
}

TEST(Plant, has_sheets_that_meet_in_one_edge) {
  const Shape plant = make_shape(PlantShape{.leaves = 3});
  std::map<std::pair<Index, Index>, int> triangles;
  for (const Triangle& t : plant.surface.triangles)
    for (int k = 0; k < 3; ++k) ++triangles[std::minmax(t[k], t[(k + 1) % 3])];
  int three = 0, border = 0;
  for (const auto& [edge, count] : triangles) three += count >= 3, border += count == 1;
  EXPECT_GE(three, 3 * 19);  // the midribs, and where leaves leave the stem
  EXPECT_GT(border, 0);
}

TEST(Plant, has_no_triangle_without_area_and_no_edge_much_shorter_than_the_others) {
  for (int seed = 0; seed < 5; ++seed) {
    const Shape plant = make_shape(PlantShape{.seed = seed, .height = 2});
    const Points& x = plant.surface.vertices;
    for (const Triangle& t : plant.surface.triangles)
      ASSERT_GT((x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).norm(), 1e-6);
    for (const auto& e : plant.graph.edges) ASSERT_GT((x[e.b] - x[e.a]).norm(), 1e-3);
  }
}

TEST(Plant, is_the_same_for_the_same_seed_only) {
  EXPECT_EQ(make_shape(PlantShape{}).surface.vertices, make_shape(PlantShape{}).surface.vertices);
  EXPECT_NE(make_shape(PlantShape{}).surface.vertices, make_shape(PlantShape{.seed = 2}).surface.vertices);
}

}  // namespace plant_test
}  // namespace pliant
