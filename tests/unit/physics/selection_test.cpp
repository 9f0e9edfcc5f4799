// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/selection.hpp"

#include <gtest/gtest.h>

#include "pliant/geometry/mesh_shape.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace selection_test {

const Shape& unit_box() {  // 3 x 3 x 3 nodes at 0, 0.5, 1
  static const Shape shape = make_shape(BoxShape{Vec3(1, 1, 1), {3, 3, 3}, Vec3(0, 0, 0)});
  return shape;
}

std::size_t count(const Selector& selector) { return select_nodes(selector, unit_box()).size(); }

TEST(Selection, box_includes_its_faces_and_takes_corners_in_any_order) {
  EXPECT_EQ(count({SelectBox{{Vec3(0, 0, 0), Vec3(0, 1, 1)}}}), 9u);
  EXPECT_EQ(count({SelectBox{{Vec3(0.6, 2, 2), Vec3(-1, -1, -1)}}}), 18u);
  EXPECT_EQ(count({SelectBox{{Vec3(2, 2, 2), Vec3(3, 3, 3)}}}), 0u);
}

TEST(Selection, a_face_off_by_round_off_still_counts) {
  EXPECT_EQ(count({SelectBox{{Vec3(1 + 1e-15, 0, 0), Vec3(2, 1, 1)}}}), 9u);
  EXPECT_EQ(count({SelectBox{{Vec3(1 + 1e-6, 0, 0), Vec3(2, 1, 1)}}}), 0u);
}

TEST(Selection, sphere_selects_within_its_radius) {
  EXPECT_EQ(count({SelectSphere{Vec3(0.5, 0.5, 0.5), 0.5}}), 7u);
  EXPECT_EQ(count({SelectSphere{Vec3(0, 0, 0), 0.1}}), 1u);
}

TEST(Selection, halfspace_selects_the_side_the_normal_points_to) {
  EXPECT_EQ(count({SelectHalfspace{Vec3(0, 0.5, 0), Vec3(0, 7, 0)}}), 18u);
  EXPECT_EQ(count({SelectHalfspace{Vec3(0, 0, 0), Vec3(0, -1, 0)}}), 9u);
}

TEST(Selection, all_selects_every_node_and_its_denial_none) {
  EXPECT_EQ(count({SelectAll{}}), 27u);
  EXPECT_EQ(count({SelectAll{false}}), 0u);
}

TEST(Selection, vertices_select_the_nodes_that_carry_them_once) {
  const Shape& shape = unit_box();
  const auto nodes = select_nodes({SelectVertices{{5, 2, 5}}}, shape);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_LT(nodes[0], nodes[1]);
  for (const int vertex : {2, 5}) {
    bool carried = false;
    for (const Index node : nodes) carried |= shape.graph.positions[node] == shape.surface.vertices[vertex];
    EXPECT_TRUE(carried);
  }
}

TEST(Selection, a_face_of_a_mesh_selects_the_layer_of_nodes_under_it) {
  Pool pool(1);
  MeshShapeOptions options;
  options.nodes = 2000;
  const auto made = make_mesh_shape(samples::box({0, 0, 0}, {1, 1, 1}), options, pool);
  ASSERT_TRUE(made);
  const auto nodes = select_nodes({SelectBox{{Vec3(0, 0, 0), Vec3(1, 1, 0)}}}, made->shape);
  EXPECT_GT(nodes.size(), 60u);
  for (const Index i : nodes)
    EXPECT_LT(made->shape.graph.positions[i].z(), 0.31 * made->report.spacing + 1e-6);
}

TEST(Selection, a_region_of_surface_vertices_without_nodes_selects_what_mainly_carries_them) {
  Pool pool(1);
  MeshShapeOptions options;
  options.nodes = 300;
  const auto made = make_mesh_shape(samples::sphere(), options, pool);
  ASSERT_TRUE(made);
  const Vec3 pole = made->shape.surface.vertices[0];
  const auto nodes = select_nodes({SelectSphere{pole, 1e-6}}, made->shape);
  EXPECT_GE(nodes.size(), 1u);
  EXPECT_LE(nodes.size(), 8u);
  for (const Index i : nodes)
    EXPECT_LT((made->shape.graph.positions[i] - pole).norm(), 2 * made->report.spacing);
}

}  // namespace selection_test
}  // namespace pliant
