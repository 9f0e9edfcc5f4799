// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_fibres.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace build_fibres_test {

struct Read {
  Points directions;
  Problems problems;
};
Read read(const std::string& text, std::size_t nodes) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "fibres.txt";
  std::ofstream(file) << text;
  Read out;
  out.directions = read_directions(file, nodes, "bodies.0.geometric.fibres.file", out.problems);
  return out;
}

TEST(FibreFile, holds_one_direction_a_line_and_comments) {
  const Read two = read("# along x, then nothing\n1 0 0\n\n0 0 0 # none here\n", 2);
  EXPECT_TRUE(two.problems.empty());
  ASSERT_EQ(two.directions.size(), 2u);
  EXPECT_EQ(two.directions[0], Vec3(1, 0, 0));
}

TEST(FibreFile, says_what_is_wrong_and_where) {
  const Read word = read("1 0 0\n1 x 0\n", 2);
  ASSERT_EQ(word.problems.size(), 1u);
  EXPECT_NE(word.problems[0].place.find("line 2"), std::string::npos);
  EXPECT_EQ(read("1 0 0 4\n", 1).problems.size(), 1u);
  EXPECT_EQ(read("1 0\n", 1).problems.size(), 1u);
  const Read few = read("1 0 0\n", 2);
  ASSERT_EQ(few.problems.size(), 1u);
  EXPECT_NE(few.problems[0].expected.find("2"), std::string::npos);
  Problems missing;
  EXPECT_TRUE(read_directions("no such file", 3, "place", missing).empty());
  EXPECT_EQ(missing.size(), 1u);
}

}  // namespace build_fibres_test
}  // namespace pliant
