// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/history.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace history_test {

TEST(History, continues_in_a_step_as_long_as_the_last_with_the_same_held_nodes) {
  const std::vector<Index> held{2, 5}, other{2, 6};
  const StepInput input{.h = 0.01, .held = held, .contact = {}};
  History<Points> history;
  EXPECT_FALSE(history.continues(input)) << "nothing is known";
  history.remember(input, Past::known);
  EXPECT_TRUE(history.continues(input));
  EXPECT_FALSE(history.continues({.h = 0.02, .held = held, .contact = {}}));
  EXPECT_FALSE(history.continues({.h = 0.01, .held = other, .contact = {}}));
  EXPECT_FALSE(history.continues({.h = 0.01, .contact = {}}));
  history.remember(input, Past::straight);
  EXPECT_FALSE(history.continues(input));
}

template <class Places>
void expect_back(const Places& x, const Places& v, const Places& other) {
  History<Places> history;
  history.x_before = x;
  history.v_before = v;
  const std::vector<Index> held{1};
  history.remember({.h = 0.5, .held = held, .contact = {}}, Past::straight);
  Writer writer;
  history.save_history(writer);
  History<Places> back;
  back.x_before = back.v_before = other;
  Reader reader(writer.bytes());
  back.load_history(reader);
  EXPECT_TRUE(reader.ok() && reader.at_end());
  EXPECT_EQ(back.x_before, x);
  EXPECT_EQ(back.v_before, v);
  EXPECT_EQ(back.past, Past::straight);
  EXPECT_EQ(back.h, 0.5);
  EXPECT_EQ(back.held, held);
}

TEST(History, comes_back_from_what_it_wrote) {
  expect_back<Points>({{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {0, 1, 2}}, Points(2, Vec3::Zero()));
  using Columns = Eigen::Matrix3Xd;
  expect_back<Columns>(Columns::Random(3, 4), Columns::Random(3, 4), Columns::Zero(3, 4));
}

}  // namespace history_test
}  // namespace pliant
