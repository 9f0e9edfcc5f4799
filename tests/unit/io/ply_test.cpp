// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/ply.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/support/glb_builder.hpp"
#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace ply_test {

const std::string ascii_ply =
    "ply\nformat ascii 1.0\nelement camera 1\nproperty float fov\nelement vertex 4\nproperty uchar red\n"
    "property double x\nproperty double y\nproperty double z\nelement face 1\nproperty list uchar int other\n"
    "property list uchar uint vertex_index\nend_header\n";

TEST(ReadPly, passes_over_what_it_does_not_need) {
  const Result<PolygonMesh> mesh =
      parse_ply(ascii_ply + "60\n1 0 0 0\n1 1 0 0\n\n1 1 1 0\n1 0 1 0\n2 7 7 4 0 1 2 3\n", "a.ply");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2, 3}}));
  EXPECT_EQ(mesh->vertices[2], Vec3(1, 1, 0));
}

TEST(ReadPly, passes_over_stray_lines_of_the_header_and_says_so) {
  std::string text = ascii_ply + "60\n1 0 0 0\n1 1 0 0\n1 1 1 0\n1 0 1 0\n2 7 7 4 0 1 2 3\n";
  text.insert(text.find("element vertex"), "made by a scanner\n");
  const Result<PolygonMesh> mesh = parse_ply(text, "a.ply");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2, 3}}));
  ASSERT_EQ(mesh->remarks.size(), 1u);
  EXPECT_EQ(mesh->remarks[0],
            "line 5 of the header, 'made by a scanner', is none that PLY knows: passed over.");
  std::string many = "ply\n";
  for (int line = 0; line < 1000; ++line) many += "x\n";
  EXPECT_MESSAGE(parse_ply(many, "a.ply"), "line 22: found 'x', expected a format, element, property");
}

std::string swapped(std::string word) {
  std::reverse(word.begin(), word.end());
  return word;
}

/// One triangle with every scalar type in both byte orders.
std::string mixed_ply(bool big) {
  const auto put = [big](auto value) { return big ? swapped(packed(value)) : packed(value); };
  return std::string("ply\nformat binary_") + (big ? "big" : "little") +
         "_endian 1.0\nelement vertex 3\nproperty char a\nproperty float x\nproperty double y\n"
         "property short z\nproperty uint b\nelement face 1\nproperty ushort c\n"
         "property list int short vertex_indices\nelement edge 1\nproperty list uchar double rest\n"
         "end_header\n" +
         put(std::int8_t(-1)) + put(0.5f) + put(2.25) + put(std::int16_t(-3)) + put(std::uint32_t(7)) +
         put(std::int8_t(-1)) + put(1.5f) + put(0.25) + put(std::int16_t(300)) + put(std::uint32_t(7)) +
         put(std::int8_t(-1)) + put(2.5f) + put(1e100) + put(std::int16_t(0)) + put(std::uint32_t(7)) +
         put(std::uint16_t(9)) + put(std::int32_t(3)) + put(std::int16_t(2)) + put(std::int16_t(0)) +
         put(std::int16_t(1)) + put(std::uint8_t(1)) + put(1.0);
}

TEST(ReadPly, reads_all_scalar_types_in_both_byte_orders) {
  for (bool big : {false, true}) {
    const Result<PolygonMesh> mesh = parse_ply(mixed_ply(big), "a.ply");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->vertices, (Points{Vec3(0.5, 2.25, -3), Vec3(1.5, 0.25, 300), Vec3(2.5, 1e100, 0)}));
    EXPECT_EQ(faces_of(*mesh), (Faces{{2, 0, 1}}));
  }
}

TEST(ReadPly, keeps_texture_coordinates_of_vertices_by_any_of_their_names) {
  for (const auto& [u, v] : {std::pair{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}}) {
    const Result<PolygonMesh> mesh =
        parse_ply(std::string("ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                              "property float z\nproperty float ") +
                      u + "\nproperty float " + v +
                      "\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
                      "0 0 0 0.5 0.25\n1 0 0 1 0\n0 1 0 0 1\n3 2 1 0\n",
                  "a.ply");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(corner_texcoords(*mesh), (Texcoords{{0, 1}, {1, 0}, {0.5f, 0.25f}})) << u;
  }
}

TEST(ReadPly, keeps_texture_coordinates_of_the_corners_of_faces) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
      "element face 2\nproperty list uchar int vertex_indices\nproperty list uchar float "
      "texcoord\nend_header\n"
      "0 0 0\n1 0 0\n0 1 0\n3 0 1 2 ";
  const Result<PolygonMesh> mesh = parse_ply(head + "6 0 0.5 1 0 0 1\n3 2 1 0 0\n", "a.ply");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(corner_texcoords(*mesh), (Texcoords{{0, 0.5f}, {1, 0}, {0, 1}}));
  EXPECT_EQ(mesh->corner_texcoord, (std::vector<Index>{0, 1, 2, -1, -1, -1}));
  EXPECT_MESSAGE(parse_ply(head + "4 0 0.5 1 0\n3 2 1 0 0\n", "a.ply"),
                 "face 0: found 4 texture values, expected 6 for 3 corners");
}

TEST(ReadPly, names_the_line_of_a_problem) {
  const std::string& head = ascii_ply;
  const auto read = [](const std::string& text) { return parse_ply(text, "a.ply"); };
  EXPECT_MESSAGE(read("obj\n"), "a.ply: line 1: found 'obj'");
  EXPECT_MESSAGE(read("ply\nformat ascii 2.0\n"), "line 2");
  EXPECT_MESSAGE(read("ply\nformat ascii 1.0\nelement vertex -1\n"), "line 3");
  EXPECT_MESSAGE(read("ply\nformat ascii 1.0\n"), "no end_header");
  EXPECT_MESSAGE(read("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n"),
                 "without property y");
  EXPECT_MESSAGE(read(head + "60\n1 0 0 0\n1 1 0 zero\n1 0 0 0\n1 0 0 0\n0 3 0 1 2\n"),
                 "line 16, vertex 1: found 'zero', expected a finite number in element 2 of 4 'vertex'");
  EXPECT_MESSAGE(read(head + "60\n1 0 0 0\n                                        \n"),
                 "line 16, vertex 1: found the end of the file, expected 2 of 4 elements 'vertex'");
  EXPECT_MESSAGE(read(head + "60\n1 0 0 0\n1 1 0 0\n1 1 1 0\n1 0 1 0\n0 3 0 1 4\n"),
                 "line 19, face 0: found vertex 4, expected one of the 4 vertices");
  EXPECT_MESSAGE(read(head + "60\n1 0 0 0\n1 NaN 0 0\n1 1 -inf 0\n1 0 1 0\n0 3 0 1 2\n"),
                 "line 16, vertex 1: found a coordinate that is not finite");
  EXPECT_MESSAGE(read("\x89PNG\r\n\x1a\n"), "line 1: found '?PNG'");
}

TEST(ReadPly, names_the_byte_and_the_element_of_a_problem) {
  const std::string head =
      "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
  const auto read = [&](const std::string& data) { return parse_ply(head + data, "a.ply"); };
  const float inf = std::numeric_limits<float>::infinity();
  const std::string zeros(24, '\0');
  EXPECT_MESSAGE(read(zeros + packed(0.f, inf, 0.f) + "\3" + packed(0, 1, 2)),
                 "byte " + std::to_string(head.size() + 24) + ", vertex 2: found a coordinate that is not");
  EXPECT_MESSAGE(read(zeros + packed(0.f, 0.f, 0.f) + "\3" + packed(0)),
                 "byte " + std::to_string(head.size() + 36) + ", face 0");
  EXPECT_MESSAGE(read(zeros + packed(0.f, 0.f, 0.f) + "\3" + packed(0, 1, 3)), "face 0: found vertex 3");
  EXPECT_MESSAGE(read(zeros + packed(0.f, 0.f, 0.f) + "\3" + packed(0, 1, -1)), "face 0: found vertex -1");
  EXPECT_MESSAGE(read(zeros + packed(0.f, 0.f, 0.f) + "\3" + packed(0, 1)),
                 "face 0: found the end of the file");
}

TEST(ReadPly, believes_no_count_that_the_file_cannot_hold) {
  for (const char* format : {"ascii", "binary_little_endian", "binary_big_endian"}) {
    const Result<PolygonMesh> mesh = parse_ply(std::string("ply\nformat ") + format +
                                                   " 1.0\nelement vertex 10000000\nproperty float "
                                                   "x\nproperty float y\nproperty float z\nend_header\n",
                                               "a.ply");
    EXPECT_MESSAGE(mesh,
                   "header: found 10000000 elements 'vertex', expected no more than the 0 bytes behind");
  }
}

TEST(ReadPly, refuses_what_is_no_surface) {
  const std::string vertex =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
  EXPECT_EQ(message(parse_ply(vertex + "end_header\n0 0 0\n", "a.ply")),
            "a.ply: no faces (1 points). A soft body needs a surface, or points with normals (PLY: nx, "
            "ny, nz; OBJ: vn and p).\n");
  EXPECT_MESSAGE(
      parse_ply(vertex + "element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0\n0\n",
                "a.ply"),
      "triangle strips");
  EXPECT_MESSAGE(parse_ply(vertex + "element face 1\nproperty int a\nend_header\n0 0 0\n0\n", "a.ply"),
                 "without a list of corners");
}

}  // namespace ply_test
}  // namespace pliant
