// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/body_pairs.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace body_pairs_test {

std::vector<MotionBox> scattered(int count, const Vec3& spread, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> at(0, 1);
  std::vector<MotionBox> boxes(count);
  for (MotionBox& box : boxes) {
    box.add(Vec3(Vec3(at(random), at(random), at(random)).cwiseProduct(spread)));
    box.add(Vec3(box.low + 0.8 * Vec3(at(random), at(random), at(random))));
  }
  return boxes;
}

TEST(BodyPairs, are_those_of_brute_force_in_order) {
  BodyPairs search;
  std::vector<IndexPair> found;
  for (const Vec3& spread : {Vec3(3, 1, 1), Vec3(1, 1, 20), Vec3(0, 5, 0)}) {
    std::vector<MotionBox> boxes = scattered(100, spread, 1);
    boxes[7] = boxes[93];
    boxes[20] = MotionBox();         // nothing in it
    boxes[30].low = boxes[31].high;  // they touch
    boxes[30].high = boxes[30].low + Vec3::Ones();
    std::vector<IndexPair> expected;
    for (Index i = 0; i < 100; ++i)
      for (Index j = i + 1; j < 100; ++j)
        if (boxes[i].overlaps(boxes[j])) expected.push_back({i, j});
    search.find(boxes, found);
    EXPECT_EQ(found, expected);
    EXPECT_GT(found.size(), 20u);
  }
  search.find({}, found);
  EXPECT_TRUE(found.empty());
}

TEST(BodyPairs, allocate_nothing_after_warm_up) {
  const std::vector<MotionBox> boxes = scattered(100, {1, 1, 1}, 2);
  BodyPairs search;
  std::vector<IndexPair> found;
  search.find(boxes, found);
  const std::size_t before = allocations();
  search.find(boxes, found);
  EXPECT_EQ(allocations(), before);
}

}  // namespace body_pairs_test
}  // namespace pliant
