// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/box_tree.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace box_tree_test {

using Boxes = std::vector<MotionBox>;
using Pairs = std::vector<IndexPair>;

class BoxMaker {
 public:
  explicit BoxMaker(unsigned seed) : random_(seed) {}
  Boxes make(int count, double extent) {
    Boxes boxes(count);
    for (MotionBox& box : boxes) {
      box.add(place());
      box.add(Vec3(box.low + extent * (place() + Vec3::Ones())));
    }
    return boxes;
  }

 private:
  Vec3 place() { return {at_(random_), at_(random_), at_(random_)}; }
  std::mt19937 random_;
  std::uniform_real_distribution<double> at_{-1, 1};
};

Pairs sorted(Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

Pairs all_overlaps(const Boxes& a, const Boxes& b) {
  Pairs out;
  for (Index i = 0; i < Index(a.size()); ++i)
    for (Index j = 0; j < Index(b.size()); ++j)
      if (a[i].overlaps(b[j])) out.push_back({i, j});
  return out;
}

Pairs found(const BoxTree& a, const BoxTree& b) {
  Pairs out;
  a.pairs_with(b, out);
  return sorted(out);
}

Pairs found_within(const BoxTree& tree) {
  Pairs out;
  tree.pairs_within(out);
  return sorted(out);
}

TEST(BoxTree, finds_the_pairs_that_brute_force_finds) {
  BoxMaker maker(1);
  for (const int count : {1, 2, 3, 17, 200, 1000}) {
    const Boxes a = maker.make(count, 0.05), b = maker.make(2 * count, 0.03);
    const BoxTree tree_a(a), tree_b(b);
    EXPECT_EQ(found(tree_a, tree_b), all_overlaps(a, b)) << count;
    Pairs within = all_overlaps(a, a);
    std::erase_if(within, [](const IndexPair& p) { return p.first >= p.second; });
    EXPECT_EQ(found_within(tree_a), within) << count;
  }
  EXPECT_TRUE(found(BoxTree(), BoxTree(maker.make(3, 1))).empty());
  EXPECT_TRUE(found_within(BoxTree()).empty());
  EXPECT_EQ(BoxTree().size(), 0);
}

// Also where no plane divides them: the tree must not degenerate into a list.
TEST(BoxTree, holds_boxes_that_all_coincide) {
  const Boxes same(300, BoxMaker(1).make(1, 0.1).front());
  EXPECT_EQ(found_within(BoxTree(same)).size(), 300u * 299 / 2);
  // Each half as large as the one before: bins part off a few at a time.
  Boxes nested(1000), beside(1000);
  for (int i = 0; i < 1000; ++i) {
    nested[i].add(Vec3::Zero());
    nested[i].add(Vec3::Constant(std::pow(0.5, i)));
    beside[i].add(Vec3::Constant(std::pow(2.0, i / 9.0)));
  }
  EXPECT_EQ(found_within(BoxTree(nested)).size(), 1000u * 999 / 2);
  EXPECT_EQ(found_within(BoxTree(beside)).size(), 0u);
}

TEST(BoxTree, finds_after_a_refit_what_a_new_tree_finds) {
  BoxMaker maker(2);
  Boxes a = maker.make(500, 0.05), b = maker.make(400, 0.05);
  BoxTree tree_a(a), tree_b(b);
  for (int round = 0; round < 3; ++round) {
    a = maker.make(500, 0.05), b = maker.make(400, 0.05);  // nothing is where it was
    tree_a.refit(a), tree_b.refit(b);
    EXPECT_EQ(found(tree_a, tree_b), found(BoxTree(a), BoxTree(b)));
    EXPECT_EQ(found_within(tree_a), found_within(BoxTree(a)));
    EXPECT_EQ(found(tree_a, tree_b), all_overlaps(a, b));
  }
}

TEST(BoxTree, loses_no_pair_to_single_precision) {
  for (const double at : {0.0, 1e-30, 1e-3, 123.456, 1e6, -1e15}) {
    const double next = std::nextafter(at, 1e300);
    Boxes a(1), b(1), c(1);
    a[0].add(Vec3::Constant(at - 1));
    a[0].add(Vec3::Constant(at));
    b[0].add(Vec3::Constant(at));
    b[0].add(Vec3::Constant(at + 1));
    EXPECT_EQ(found(BoxTree(a), BoxTree(b)).size(), 1u) << at;
    EXPECT_EQ(found(BoxTree(b), BoxTree(a)).size(), 1u) << at;
    c[0].add(Vec3::Constant(next));
    EXPECT_LE(BoxTree(c).bounds().low.x(), next);
    EXPECT_GE(BoxTree(c).bounds().high.x(), next);
  }
}

TEST(BoxTree, gives_the_same_order_each_time_and_allocates_nothing_after_warm_up) {
  BoxMaker maker(3);
  const Boxes a = maker.make(300, 0.1), b = maker.make(300, 0.1);
  BoxTree tree_a(a), tree_b(b);
  Pairs first, within, again;
  tree_a.pairs_with(tree_b, first);
  tree_a.pairs_within(within);
  again.reserve(std::max(first.size(), within.size()));
  const std::size_t before = allocations();
  tree_a.refit(b);
  tree_a.refit(a);
  tree_a.pairs_within(again);
  tree_a.pairs_with(tree_b, again);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(again, first);
  BoxTree(a).pairs_with(BoxTree(b), again);
  EXPECT_EQ(again, first);
}

}  // namespace box_tree_test
}  // namespace pliant
