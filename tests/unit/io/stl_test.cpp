// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/stl.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/glb_builder.hpp"
#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace stl_test {

std::string binary_stl(std::string head, std::uint32_t count, const std::string& data) {
  head.resize(80, ' ');
  return head + packed(count) + data;
}

std::string triangle(float z) {
  return packed(0.f, 0.f, 1.f, 0.f, 0.f, z, 1.f, 0.f, z, 0.f, 1.f, z, std::uint16_t(0));
}

TEST(ReadStl, reads_text_of_several_solids_in_any_case) {
  const Result<PolygonMesh> mesh = parse_stl(
      "solid a thing\n  facet normal nan 0 0\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n"
      " endloop\n endfacet\nendsolid a thing\nSOLID\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 5\n"
      "VERTEX 1e0 0 5\nVERTEX 0 1 5\nENDLOOP\nENDFACET\nENDSOLID\n",
      "a.stl");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(mesh->vertices[4], Vec3(1, 0, 5));
}

TEST(ReadStl, reads_binary_also_when_it_begins_with_solid) {
  for (const char* head : {"binary", "solid as a rock"}) {
    const Result<PolygonMesh> mesh = parse_stl(binary_stl(head, 2, triangle(0) + triangle(2)), "a.stl");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2}, {3, 4, 5}}));
    EXPECT_EQ(mesh->vertices[5], Vec3(0, 1, 2));
  }
}

TEST(ReadStl, refuses_a_count_that_leaves_triangles_out) {
  const std::string three = triangle(0) + triangle(1) + triangle(2);
  for (const char* head : {"binary", "solid as a rock"}) {
    EXPECT_MESSAGE(parse_stl(binary_stl(head, 2, three), "a.stl"),
                   "a.stl: byte 80: found a count of 2 triangles, expected 3, as many as the file holds");
    EXPECT_MESSAGE(parse_stl(binary_stl(head, 4, three), "a.stl"), "4 triangles of 50 bytes");
    const Result<PolygonMesh> mesh = parse_stl(binary_stl(head, 3, three + "by us"), "a.stl");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->faces(), 3);
  }
}

TEST(ReadStl, takes_a_backslash_at_the_end_of_a_name_for_what_it_is) {
  const Result<PolygonMesh> mesh = parse_stl(
      "solid C:\\parts\\\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
      "endloop\nendfacet\nendsolid\n",
      "a.stl");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->faces(), 1);
}

TEST(ReadStl, names_the_triangle_where_binary_data_goes_wrong) {
  const std::string whole = binary_stl("", 2, triangle(0) + triangle(2));
  EXPECT_MESSAGE(parse_stl(whole.substr(0, whole.size() - 7), "a.stl"),
                 "a.stl: byte 177, triangle 1: found the end of the file, expected 2 triangles");
  EXPECT_MESSAGE(parse_stl(whole.substr(0, 50), "a.stl"), "byte 50: found the end of the file");
  EXPECT_MESSAGE(
      parse_stl(binary_stl("", 2, triangle(0) + triangle(std::numeric_limits<float>::quiet_NaN())), "a.stl"),
      "byte 146, triangle 1, vertex 0: found a coordinate that is not finite");
  EXPECT_MESSAGE(parse_stl(binary_stl("", 10'000'000, triangle(0)), "a.stl"), "10000000 triangles");
  EXPECT_MESSAGE(parse_stl(binary_stl("", 0, ""), "a.stl"), "no faces (0 points)");
  EXPECT_MESSAGE(parse_stl(std::string(200, '\xA7'), "a.stl"), "not an STL");
}

TEST(ReadStl, reads_text_without_endsolid_and_says_so) {
  const Result<PolygonMesh> mesh = parse_stl(
      "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
      "a.stl");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->faces(), 1);
  ASSERT_EQ(mesh->remarks.size(), 1u);
  EXPECT_EQ(mesh->remarks[0], "the file ends without endsolid: the 1 facets before its end are read.");
}

TEST(ReadStl, names_the_line_where_text_goes_wrong) {
  const std::string head = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  const auto read = [&](const std::string& rest) { return parse_stl(head + rest, "a.stl"); };
  EXPECT_MESSAGE(read("vertex 0 inf 0\nendloop\nendfacet\nendsolid\n"), "line 6, column 10: found 'inf'");
  EXPECT_MESSAGE(read("vertex 0 1\nendloop\nendfacet\nendsolid\n"), "line 6: found nothing");
  EXPECT_MESSAGE(read("vertex 0 1 0\n"),
                 "line 6: found the end of the file, expected the end of the facet of line 2");
  EXPECT_MESSAGE(read("facet\n"), "line 6, column 1: found 'facet', expected vertex, endloop or endfacet");
  EXPECT_MESSAGE(parse_stl("solid\n\x01\n", "a.stl"), "line 2, column 1: found '?'");
  EXPECT_MESSAGE(parse_stl("solid\nendsolid\n", "a.stl"), "no faces (0 points)");
}

}  // namespace stl_test
}  // namespace pliant
