// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/off.hpp"

#include <gtest/gtest.h>

#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace off_test {

const std::string square = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";
const Points corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)};

TEST(ReadOff, finds_the_counts_wherever_they_are_written) {
  for (const char* head :
       {"OFF\n4 1 0\n", "OFF 4 1 0\n", "OFF\n4 1\n", "OFF 4 1\n", "# by hand\nOFF # so\n\n#\n4 1 4\n\n",
        "OFF\r\n4 1 0\r\n", "\xEF\xBB\xBFOFF\n4 1 0\n"}) {
    const Result<PolygonMesh> mesh = parse_off(head + square + "4 0 1 2 3\n", "a.off");
    ASSERT_TRUE(mesh) << message(mesh) << head;
    EXPECT_EQ(mesh->vertices, corners);
    EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2, 3}}));
  }
}

TEST(ReadOff, passes_over_colours_and_normals) {
  for (const char* head : {"OFF", "COFF", "NOFF", "CNOFF"}) {
    const Result<PolygonMesh> mesh =
        parse_off(std::string(head) +
                      "\n4 2 0\n0 0 0 255 0 0 255\n1 0 0 1 0 0\n1 1 0 0.5 0.5 0.5 1\n"
                      "0 1 0 0 0 1 0 0 1 0\n3 0 1 2 255 0 0\n\n4 0 1 2 3 0.1 0.2 0.3 1.0\n",
                  "a.off");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(mesh->vertices, corners);
    EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2}, {0, 1, 2, 3}}));
    EXPECT_TRUE(mesh->texcoords.empty());
  }
}

TEST(ReadOff, keeps_texture_coordinates) {
  for (const auto& [head, more] :
       {std::pair{"STOFF", ""}, {"STCNOFF", "0 0 1 9 9 9 "}, {"STCOFF", "1 1 1 1 "}}) {
    const std::string m = more;
    const Result<PolygonMesh> mesh = parse_off(std::string(head) + "\n3 1\n0 0 0 " + m + "0.5 1\n1 0 0 " + m +
                                                   "0 0.25\n0 1 0 " + m + "1 1\n3 2 0 1\n",
                                               "a.off");
    ASSERT_TRUE(mesh) << message(mesh);
    EXPECT_EQ(corner_texcoords(*mesh), (Texcoords{{1, 1}, {0.5f, 1}, {0, 0.25f}}));
  }
}

TEST(ReadOff, reads_elements_broken_over_lines) {
  const Result<PolygonMesh> mesh = parse_off("OFF\n4 1\n0 0\n0\n1 0 0\n1\n1 0\n0 1 0\n4 0 1\n2 3\n", "a.off");
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices, corners);
  EXPECT_EQ(faces_of(*mesh), (Faces{{0, 1, 2, 3}}));
}

TEST(ReadOff, names_the_line_of_a_problem) {
  const auto read = [](const std::string& text) { return parse_off(text, "a.off"); };
  EXPECT_MESSAGE(read("OF\n"), "a.off: line 1, column 1: found 'OF', expected OFF");
  EXPECT_MESSAGE(read("4OFF\n1 1\n"), "three coordinates");
  EXPECT_MESSAGE(read("OFF BINARY\n"), "column 5: found 'BINARY', expected a text OFF");
  EXPECT_MESSAGE(read("OFF\n4\n" + square), "line 2: found nothing, expected the number of faces");
  EXPECT_MESSAGE(read("OFF\n-1 1\n" + square), "line 2, column 1: found '-1'");
  EXPECT_MESSAGE(read("OFF\n4 1 0\n0 0 0\n1 nan 0\n1 1 0\n0 1 0\n4 0 1 2 3\n"),
                 "line 4, column 3: found 'nan', expected a finite y of vertex 1, counted from 0");
  EXPECT_MESSAGE(read("OFF\n4 1 0\n" + square + "4 0 1 2 4\n"),
                 "line 7, column 9: found '4', expected one of the 4 vertices");
  EXPECT_MESSAGE(read("OFF\n4 1 0\n" + square + "4 0 1 2\n"),
                 "line 7: found nothing, expected one of the 4 vert");
  EXPECT_MESSAGE(read("OFF\n4 2 0\n" + square + "4 0 1 2 3\n"),
                 "found the end of the file, expected face 1 of 2");
  EXPECT_MESSAGE(read("OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0\n"),
                 "line 5: found the end of the file, expected vertex 3 of 4");
  EXPECT_MESSAGE(read(std::string("\x00\x01\xff", 3)), "line 1, column 1");
}

TEST(ReadOff, believes_no_count_that_the_file_cannot_hold) {
  EXPECT_MESSAGE(parse_off("OFF\n10000000 20000000 0\n0 0 0\n", "a.off"),
                 "line 2, column 1: found 10000000 vertices, expected no more than the 6 bytes behind");
  EXPECT_MESSAGE(parse_off("OFF\n1 20000000 0\n0 0 0\n", "a.off"), "found 20000000 faces");
}

TEST(ReadOff, refuses_a_point_cloud) {
  EXPECT_MESSAGE(parse_off("OFF\n4 0 0\n" + square, "a.off"),
                 "no faces (4 points). A soft body needs a surface");
}

}  // namespace off_test
}  // namespace pliant
