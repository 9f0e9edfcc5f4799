// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/obj.hpp"

#include <gtest/gtest.h>

#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace obj_test {

TEST(ReadObj, understands_polygons_negative_and_composite_indices_continuations_and_windows_lines) {
  const Result<PolygonMesh> mesh = parse_obj(
      "# comment\r\nmtllib x.mtl\r\no thing\r\nf 1//1 2//2 3 4\r\nv 0 0 0 1\r\n"
      "v +1 0 0\r\nv 1 1 0 # here\r\nv 0 1 0 0.5 0.5 0.5\r\nvn 0 0 1\r\nf -4 -3 \\\r\n-2",
      "a.obj");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2, 3}, {0, 1, 2}}));
  EXPECT_EQ(mesh->vertices[1], Vec3(1, 0, 0));
  EXPECT_TRUE(mesh->texcoords.empty());
  EXPECT_TRUE(mesh->corner_texcoord.empty());
}

TEST(ReadObj, ends_a_comment_with_its_line_whatever_stands_last) {
  const Result<PolygonMesh> mesh = parse_obj(
      "# C:\\models\\\nv 0 0 0\nv 1 0 0 # D:\\\r\nv 0 1 0\nf 1 2 \\\n# no corner \\\n3\nf 1 2 \\\n3\n",
      "a.obj");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices.size(), 3u);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1}, {0, 1, 2}}));
}

TEST(ReadObj, keeps_the_texture_coordinates_of_every_corner) {
  const Result<PolygonMesh> mesh = parse_obj(
      "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nvt 0.25 0.75\nvt 1\nvt 0.5 0 9\nvt 0.125 1\n"
      "f 1/1 2/2/7 3/-2\nf 2/3 4 3/4\n",
      "a.obj");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->texcoords, (Texcoords{{0.25f, 0.75f}, {1, 0}, {0.5f, 0}, {0.125f, 1}}));
  EXPECT_EQ(mesh->corner_texcoord, (std::vector<Index>{0, 1, 2, 2, -1, 3}));
}

TEST(ReadObj, keeps_faces_that_are_no_surface_for_repair_to_count) {
  const Result<PolygonMesh> mesh = parse_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 1 1 2\nf 1 2 3\n", "a.obj");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1}, {0, 0, 1}, {0, 1, 2}}));
}

TEST(ReadObj, reports_every_problem_with_its_place) {
  const Result<PolygonMesh> mesh = parse_obj(
      "v 0 0 zero\nv 1 0\nv 0 nan 0\nv -inf 0 0\nv 1e999 0 0\nvt x\n  f 1 2 0\nf 1 2 x\nf 1 2 9\nf 1 2 -9\nf "
      "1/1 2/4 3/1\n",
      "a.obj");
  ASSERT_FALSE(mesh);
  EXPECT_EQ(mesh.error().problems.size(), 11u) << message(mesh);
  for (const char* part :
       {"a.obj: line 1, column 7: found 'zero', expected a finite z of vertex 1", "line 2: found nothing",
        "line 3, column 5: found 'nan', expected a finite y of vertex 3",
        "line 4, column 3: found '-inf', expected a finite x of vertex 4", "line 5, column 3: found '1e999'",
        "line 6, column 4: found 'x', expected a finite texture coordinate", "line 7, column 9: found '0'",
        "line 8, column 7: found 'x'", "line 9: found vertex 9, expected one of the 5 vertices",
        "line 10, column 7: found '-9'",
        "line 11: found texture coordinate 4, expected one of the 1 texture coordinates"})
    EXPECT_MESSAGE(mesh, part);
}

TEST(ReadObj, refuses_a_point_cloud_and_tells_what_to_do) {
  EXPECT_EQ(message(parse_obj("v 0 0 0\nv 1 0 0\nf 1 2\n", "a.obj")),
            "a.obj: no faces (2 points). A soft body needs a surface, or points with normals (PLY: nx, "
            "ny, nz; OBJ: vn and p).\n");
  EXPECT_MESSAGE(parse_obj("\x7f\x45\x4c\x46 garbage \x01\x02", "a.obj"), "no faces (0 points)");
}

TEST(ReadObj, reads_numbers_too_small_for_a_double_as_zero) {
  const Result<PolygonMesh> mesh = parse_obj("v 1e-400 -1e-400 1e-320\nf 1 1 1\n", "a.obj");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices[0], Vec3(0, 0, 1e-320));
}

TEST(ReadObj, never_looks_behind_the_end_of_the_text) {
  const std::string_view text = "v 0 0 1*234567890";  // the file ends at the star
  EXPECT_MESSAGE(parse_obj(text.substr(0, 8), "a.obj"), "found '1*'");
  EXPECT_MESSAGE(parse_obj(text.substr(0, 7), "a.obj"), "no faces (1 points)");
  EXPECT_MESSAGE(parse_obj(std::string_view("v 0 0 1e-40009").substr(0, 12), "a.obj"), "no faces (1 points)");
}

TEST(ReadObj, passes_over_a_byte_order_mark) {
  EXPECT_EQ(parse_obj("\xEF\xBB\xBFv 1 2 3\nf 1 1 1\n", "a.obj")->vertices.size(), 1u);
}

}  // namespace obj_test
}  // namespace pliant
