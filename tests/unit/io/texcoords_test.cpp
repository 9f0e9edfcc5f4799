// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/texcoords.hpp"

#include <gtest/gtest.h>

#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace texcoords_test {

/// Two quads that share the edge 1-2, whose texture coordinates differ there (a seam).
PolygonMesh two_quads() {
  PolygonMesh faces;
  faces.corner = {0, 1, 2, 3, 1, 4, 5, 2};
  faces.face_begin = {0, 4, 8};
  faces.texcoords = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5f, 0}, {0.5f, 1}};
  faces.corner_texcoord = {0, 1, 2, 3, 4, 1, 2, 5};
  return faces;
}

const std::vector<Triangle> triangles{{0, 1, 2}, {0, 2, 3}, {1, 4, 5}, {1, 5, 2}};

TEST(Texcoords, are_per_vertex_when_every_vertex_has_one_value) {
  PolygonMesh faces = two_quads();
  EXPECT_TRUE(vertex_texcoords(faces, 6).empty());
  faces.texcoords[4] = faces.texcoords[1];  // other numbers, the same values
  faces.texcoords[5] = faces.texcoords[2];
  EXPECT_EQ(vertex_texcoords(faces, 7), (Texcoords{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1, 0}, {1, 1}, {0, 0}}));
  faces.corner_texcoord[0] = -1;
  EXPECT_TRUE(vertex_texcoords(faces, 7).empty());
  EXPECT_TRUE(vertex_texcoords(PolygonMesh(), 7).empty());
}

TEST(Texcoords, copy_the_vertices_of_seams_behind_the_last_one) {
  const SeamSplit split = split_seams(triangles, two_quads(), 6);
  EXPECT_EQ(split.copied, (std::vector<Index>{1, 2}));
  EXPECT_EQ(split.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {6, 4, 5}, {6, 5, 7}}));
  EXPECT_EQ(split.texcoords,
            (Texcoords{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {1, 0}, {1, 1}, {0.5f, 0}, {0.5f, 1}}));
}

TEST(Texcoords, are_found_for_triangles_cut_and_turned_in_any_way) {
  const SeamSplit split = split_seams({{3, 1, 0}, {5, 1, 2}}, two_quads(), 6);
  EXPECT_EQ(split.triangles, (std::vector<Triangle>{{3, 1, 0}, {5, 6, 7}}));
}

TEST(Texcoords, without_them_the_triangles_stay) {
  const SeamSplit split = split_seams(triangles, PolygonMesh(), 6);
  EXPECT_EQ(split.triangles, triangles);
  EXPECT_TRUE(split.copied.empty());
  EXPECT_TRUE(split.texcoords.empty());
}

}  // namespace texcoords_test
}  // namespace pliant
