// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_rows.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace contact_rows_test {

TEST(ContactRows, what_they_collect_does_the_work_that_they_observe) {
  Gather points;  // one vertex between two nodes, one on the third
  points.begin = {0, 2, 3};
  points.column = {0, 1, 2};
  points.weight = {0.25, 0.75, 1};
  ContactRows rows;
  rows.attach(points);
  const std::vector<Contact> contacts{{.key = {0, 0, 0}}, {.key = {1, 0, 0}}};
  const Points v{{1, 2, 3}, {-1, 0.5, 2}, {4, 4, -4}}, r{{0, 2, 0}, {1, 0, -1}};
  EXPECT_EQ(rows.observe(contacts[0], v), 0.25 * v[0] + 0.75 * v[1]);
  Points on_nodes(3, Vec3::Ones());
  rows.collect(contacts, r, 2, on_nodes);
  double work = 0, seen = 0;
  for (std::size_t i = 0; i < v.size(); ++i) work += v[i].dot(on_nodes[i]);
  for (std::size_t c = 0; c < r.size(); ++c) seen += 2 * r[c].dot(rows.observe(contacts[c], v));
  EXPECT_NEAR(work, seen, 1e-12);
  rows.add(contacts[1], r[1], on_nodes);
  EXPECT_EQ(on_nodes[2], Vec3(3, 0, -3));
}

}  // namespace contact_rows_test
}  // namespace pliant
