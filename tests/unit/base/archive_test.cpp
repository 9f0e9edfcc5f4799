// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/archive.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace archive_test {

TEST(Archive, a_list_comes_back_with_the_size_it_had) {
  Writer writer;
  writer.array(std::vector<double>{1, 2, 3});
  writer.value(7);
  Reader reader(writer.bytes());
  std::vector<double> list{9};
  int after = 0;
  reader.list(list);
  reader.value(after);
  EXPECT_TRUE(reader.ok() && reader.at_end());
  EXPECT_EQ(list, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(after, 7);
}

TEST(Archive, a_list_longer_than_what_is_left_is_refused_before_memory_is_asked_for) {
  Writer writer;
  writer.value(std::uint64_t(1) << 61);  // times the size of a double it wraps around to 0
  writer.value(1.0);
  Reader reader(writer.bytes());
  std::vector<double> list{9};
  reader.list(list);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(list, std::vector<double>{9});
}

}  // namespace archive_test
}  // namespace pliant
