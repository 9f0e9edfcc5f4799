// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/split_edges.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant {
namespace split_edges_test {

TriMesh tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 3}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
}

TEST(SplitLongEdges, leaves_a_closed_surface_closed_with_the_same_volume_and_no_long_edge) {
  const TriMesh start = tetrahedron();
  const SplitMesh split = split_long_edges(start, 0.4, 100000);
  EXPECT_TRUE(is_closed(split.mesh.triangles));
  EXPECT_NEAR(enclosed_volume(split.mesh.vertices, split.mesh.triangles), 0.5, 1e-12);
  for (const Triangle& t : split.mesh.triangles)
    for (int c = 0; c < 3; ++c)
      EXPECT_LE((split.mesh.vertices[t[c]] - split.mesh.vertices[t[(c + 1) % 3]]).norm(), 0.4);
}

TEST(SplitLongEdges, keeps_the_old_vertices_first_and_names_the_parent_of_every_piece) {
  const TriMesh start = tetrahedron();
  const SplitMesh split = split_long_edges(start, 0.8, 100000);
  for (std::size_t v = 0; v < start.vertices.size(); ++v)
    EXPECT_EQ(split.mesh.vertices[v], start.vertices[v]);
  ASSERT_EQ(split.parent.size(), split.mesh.triangles.size());
  for (std::size_t k = 0; k < split.parent.size(); ++k) {
    const auto normal = [](const Points& x, const Triangle& t) {
      return Vec3((x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).normalized());
    };
    EXPECT_NEAR(normal(split.mesh.vertices, split.mesh.triangles[k])
                    .dot(normal(start.vertices, start.triangles[std::size_t(split.parent[k])])),
                1, 1e-12);
  }
}

TEST(SplitLongEdges, stops_before_there_are_too_many_vertices) {
  EXPECT_LE(split_long_edges(tetrahedron(), 1e-6, 500).mesh.vertices.size(), 500u);
  EXPECT_EQ(split_long_edges(tetrahedron(), 10, 500).mesh.vertices.size(), 4u);
}

}  // namespace split_edges_test
}  // namespace pliant
