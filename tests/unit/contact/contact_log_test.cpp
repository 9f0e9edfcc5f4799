// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_log.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pliant {
namespace contact_log_test {

TEST(ContactLog, keeps_the_order_of_the_keys_and_leaves_out_what_has_no_impulse) {
  ContactLog log;
  log.add({.key = {3, 0, 0}, .impulse = Vec3(0, 1, 0)});
  log.add({.key = {1, 2, 0}, .impulse = Vec3(0, 1, 0)});
  log.add({.key = {2, 0, 0}});
  log.add({.key = {1, 0, 5}, .impulse = Vec3(0, 1, 0)});
  ASSERT_EQ(log.records().size(), 3u);
  EXPECT_EQ(log.records()[0].key, (ContactKey{1, 0, 5}));
  EXPECT_EQ(log.records()[1].key, (ContactKey{1, 2, 0}));
  EXPECT_EQ(log.records()[2].key, (ContactKey{3, 0, 0}));
}

TEST(ContactLog, sums_up_what_one_contact_does_at_several_times_of_a_step) {
  ContactLog log;
  log.add({.key = {1, 0, 0}, .point = Vec3(1, 0, 0), .gap = 0.5, .impulse = Vec3(0, 1, 0)});
  log.add({.key = {1, 0, 0}, .point = Vec3(2, 0, 0), .gap = 0.25, .impulse = Vec3(1, 2, 0)});
  log.add({.key = {1, 0, 0},
           .point = Vec3(3, 0, 0),
           .gap = std::numeric_limits<double>::quiet_NaN(),
           .impulse = Vec3(0, 4, 0)});
  ASSERT_EQ(log.records().size(), 1u);
  EXPECT_EQ(log.records()[0].impulse, Vec3(1, 7, 0));
  EXPECT_EQ(log.records()[0].point, Vec3(3, 0, 0));
  EXPECT_EQ(log.records()[0].gap, 0.25) << "restitution knows no gap";
  EXPECT_EQ(log.records()[0].pressed(), 7);
  log.clear();
  EXPECT_TRUE(log.records().empty());
}

TEST(ContactLog, tells_contacts_with_bodies_apart_and_lists_them_after_those_with_colliders) {
  ContactLog log;
  log.add({.key = {1, -1, 0}, .other = 2, .impulse = Vec3(0, 1, 0)});
  log.add({.key = {1, -1, 0}, .other = 1, .impulse = Vec3(0, 2, 0)});
  log.add({.key = {9, 0, 0}, .impulse = Vec3(0, 3, 0)});
  log.add({.key = {1, -1, 0}, .other = 1, .impulse = Vec3(0, 4, 0)});
  ASSERT_EQ(log.records().size(), 3u);
  EXPECT_EQ(log.records()[0].other, -1);
  EXPECT_EQ(log.records()[1].other, 1);
  EXPECT_EQ(log.records()[1].impulse, Vec3(0, 6, 0));
  EXPECT_EQ(log.records()[2].other, 2);
}

}  // namespace contact_log_test
}  // namespace pliant
