// SPDX-License-Identifier: Apache-2.0
// The factor of a sum of elements against a dense one, at every SIMD level.
#include "pliant/math/element_factor.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <thread>

#include "pliant/base/simd.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {
namespace element_factor_test {

using Elements = ElementFactor::Elements;

struct Case {
  std::string name;
  Index nodes = 0;
  Elements elements;

  void add(const std::vector<Index>& members) {
    elements.node.insert(elements.node.end(), members.begin(), members.end());
    elements.begin.push_back(Index(elements.node.size()));
  }
};

/// Every node is in an element of its own, too: a graph of one node has no other.
Case with_nodes(const std::string& name, Index nodes) {
  Case c{name + " of " + std::to_string(nodes), nodes, {}};
  for (Index i = 0; i < nodes; ++i) c.add({i});
  return c;
}

Case chain(Index nodes) {
  Case c = with_nodes("chain", nodes);
  for (Index i = 1; i < nodes; ++i) c.add({i, i - 1});
  return c;
}

Case tree(Index nodes) {
  Case c = with_nodes("tree", nodes);
  for (Index i = 1; i < nodes; ++i) c.add({i, (i - 1) / 3});
  return c;
}

/// The cells of a sheet as square as it can be.
Case grid(Index nodes) {
  Case c = with_nodes("grid", nodes);
  Index width = 1;
  while ((width + 1) * (width + 1) <= nodes) ++width;
  for (Index i = 0; i < nodes; ++i) {
    std::vector<Index> cell{i};
    if (i % width > 0) cell.push_back(i - 1);
    if (i >= width) cell.push_back(i - width);
    if (i % width > 0 && i >= width) cell.push_back(i - width - 1);
    c.add(cell);
  }
  return c;
}

/// Groups of two to seven nodes not far from each other.
Case cliques(Index nodes) {
  Case c = with_nodes("cliques", nodes);
  std::mt19937 random(unsigned(7 * nodes));
  for (Index e = 0; e < nodes / 2; ++e) {
    std::set<Index> members;
    const Index first = Index(random() % unsigned(nodes)), size = 2 + Index(random() % 6u);
    for (Index k = 0; k < size; ++k) members.insert((first + Index(random() % 20u)) % nodes);
    std::vector<Index> shuffled(members.begin(), members.end());
    std::shuffle(shuffled.begin(), shuffled.end(), random);
    c.add(shuffled);
  }
  return c;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (Index nodes : {1, 2, 3, 5, 17, 100, 400})
    for (const auto& make : {chain, tree, grid, cliques}) all.push_back(make(nodes));
  // One front, as wide as it is high: every remainder of a register.
  for (Index nodes = 1; nodes <= 12; ++nodes) {
    Case c{"one element of " + std::to_string(nodes), nodes, {}};
    std::vector<Index> members(nodes);
    for (Index i = 0; i < nodes; ++i) members[i] = nodes - 1 - i;
    c.add(members);
    all.push_back(c);
  }
  Case large = grid(100);
  large.name = "an element of 40 nodes among small ones and empty ones";
  std::vector<Index> members;
  members.reserve(40);
  for (Index i = 0; i < 40; ++i) members.push_back((37 * i + 5) % 100);
  large.add({});
  large.add(members);
  large.add({});
  all.push_back(large);
  return all;
}

/// Element e as a function of its nodes, whatever their order: symmetric, positive.
Eigen::MatrixXd matrix_of(std::span<const Index> members, Index e, unsigned numbers) {
  const Index n = 3 * Index(members.size());
  std::vector<Index> order(members.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = Index(i);
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return members[a] < members[b]; });
  std::mt19937 random(unsigned(e) * 31 + numbers);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd half(n, n);
  for (Index i : order)
    for (int c = 0; c < 3; ++c)
      for (Index k = 0; k < n; ++k) half(3 * i + c, k) = normal(random);
  return half * half.transpose() / n + 0.1 * Eigen::MatrixXd::Identity(n, n);
}

Eigen::MatrixXd dense_of(const Case& c, unsigned numbers) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(3 * c.nodes, 3 * c.nodes);
  for (Index e = 0; e < c.elements.count(); ++e) {
    const std::span<const Index> members(c.elements.node.data() + c.elements.begin[e],
                                         c.elements.node.data() + c.elements.begin[e + 1]);
    const Eigen::MatrixXd m = matrix_of(members, e, numbers);
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = 0; j < members.size(); ++j)
        out.block<3, 3>(3 * members[i], 3 * members[j]) += m.block<3, 3>(3 * Index(i), 3 * Index(j));
  }
  return out;
}

Eigen::VectorXd load_of(const Case& c) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  return Eigen::VectorXd::NullaryExpr(3 * c.nodes, [&] { return normal(random); });
}

/// Writes the lower triangle; above it is something else.
void write_lower(const Eigen::MatrixXd& m, double* matrix) {
  const Index stride = front_stride(int(m.rows()));
  for (Index j = 0; j < m.cols(); ++j)
    for (Index i = 0; i < m.rows(); ++i) matrix[j * stride + i] = i >= j ? m(i, j) : 777.0 + double(i);
}

auto filling(const ElementFactor& factor, unsigned numbers) {
  return [&factor, numbers](Index e, double* matrix) {
    write_lower(matrix_of(factor.members(e), e, numbers), matrix);
  };
}

Eigen::VectorXd solved(ElementFactor& factor, const Case& c) {
  Eigen::VectorXd x = load_of(c);
  factor.solve({x.data(), std::size_t(x.size())});
  return x;
}

/// Dense solutions are what takes the time here: once for all levels.
const Eigen::VectorXd& dense_solution(const Case& c, unsigned numbers) {
  static std::map<std::pair<std::string, unsigned>, Eigen::VectorXd> known;
  Eigen::VectorXd& x = known[{c.name, numbers}];
  if (x.size() == 0) x = solve_positive(dense_of(c, numbers), load_of(c));
  return x;
}

class ElementFactorAtEverySimdLevel : public testing::TestWithParam<SimdLevel> {
 protected:
  void SetUp() override {
    if (set_simd_level(GetParam()) != GetParam()) GTEST_SKIP() << "not on this processor";
  }
  void TearDown() override { set_simd_level(before_); }

 private:
  const SimdLevel before_ = simd_level();
};

TEST_P(ElementFactorAtEverySimdLevel, solves_what_a_dense_factor_solves_also_with_other_numbers) {
  Pool pool(2);
  for (const Case& c : cases()) {
    ElementFactor factor;
    factor.analyse(c.nodes, c.elements);
    for (unsigned numbers : {1u, 2u, 1u}) {
      if (numbers == 2 && c.nodes > 100) continue;  // a dense factor takes long
      ASSERT_TRUE(factor.factor(filling(factor, numbers), pool)) << c.name;
      const Eigen::VectorXd& wanted = dense_solution(c, numbers);
      EXPECT_LT((solved(factor, c) - wanted).norm(), 1e-10 * wanted.norm()) << c.name;
    }
  }
}

TEST_P(ElementFactorAtEverySimdLevel, an_analysis_of_something_else_leaves_nothing_behind) {
  Pool pool(1);
  ElementFactor factor;
  for (const Case& c : {grid(100), chain(5), cliques(17), grid(100)}) {
    factor.analyse(c.nodes, c.elements);
    ASSERT_TRUE(factor.factor(filling(factor, 1), pool));
    const Eigen::VectorXd& wanted = dense_solution(c, 1);
    EXPECT_LT((solved(factor, c) - wanted).norm(), 1e-10 * wanted.norm()) << c.name;
  }
}

TEST_P(ElementFactorAtEverySimdLevel, any_number_of_threads_gives_the_same_bits) {
  for (const Case& c : {chain(400), grid(400), cliques(400)}) {  // with two parts, see below
    ElementFactor factor;
    factor.analyse(c.nodes, c.elements);
    Pool one(1);
    ASSERT_TRUE(factor.factor(filling(factor, 1), one));
    const Eigen::VectorXd first = solved(factor, c);
    for (int threads : {2, 3, 2}) {
      Pool pool(threads);
      ASSERT_TRUE(factor.factor(filling(factor, 1), pool));
      EXPECT_EQ(solved(factor, c), first) << c.name << ", " << threads << " threads";
    }
  }
}

TEST_P(ElementFactorAtEverySimdLevel,
       an_indefinite_matrix_has_no_factor_wherever_it_is_and_the_next_one_has) {
  Pool pool(2);
  for (const Case& c : {grid(100), grid(400)}) {  // the larger one in both parts and above them
    ElementFactor factor;
    factor.analyse(c.nodes, c.elements);
    for (Index bad = 0; bad < c.elements.count(); bad += c.nodes / 14)
      for (double value : {-1e3, std::numeric_limits<double>::quiet_NaN()}) {
        const auto spoiled = [&](Index e, double* matrix) {
          Eigen::MatrixXd m = matrix_of(factor.members(e), e, 1);
          if (e == bad) m(m.rows() - 1, m.rows() - 1) = value;
          write_lower(m, matrix);
        };
        ASSERT_FALSE(factor.factor(spoiled, pool)) << bad;
      }
    ASSERT_TRUE(factor.factor(filling(factor, 1), pool));
    const Eigen::VectorXd& wanted = dense_solution(c, 1);
    EXPECT_LT((solved(factor, c) - wanted).norm(), 1e-10 * wanted.norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, ElementFactorAtEverySimdLevel,
                         testing::Values(SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512),
                         [](const auto& level) { return std::string(name(level.param)); });

/// Whether two threads were asked for elements at the same time: each waits for the other at its first.
bool filled_by_two_at_once(const Case& c) {
  ElementFactor factor;
  factor.analyse(c.nodes, c.elements);
  std::atomic<std::thread::id> first{};
  std::atomic<bool> met = false, waited = false;
  Pool pool(2);
  const auto fill = [&](Index e, double* matrix) {
    std::thread::id nobody{};
    const std::thread::id me = std::this_thread::get_id();
    if (!first.compare_exchange_strong(nobody, me) && nobody != me) met = true;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(waited ? 0 : 2);
    while (!met && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    waited = true;
    write_lower(matrix_of(factor.members(e), e, 1), matrix);
  };
  EXPECT_TRUE(factor.factor(fill, pool));
  return met;
}

TEST(ElementFactor, the_large_cases_of_these_tests_have_a_part_for_each_of_two_threads) {
  for (const Case& c : {grid(400), cliques(400)}) EXPECT_TRUE(filled_by_two_at_once(c)) << c.name;
}

TEST(ElementFactor, asks_for_every_element_that_has_nodes_once) {
  Case c = grid(100);
  c.add({});
  ElementFactor factor;
  factor.analyse(c.nodes, c.elements);
  std::vector<int> asked(c.elements.count(), 0);
  Pool pool(1);
  ASSERT_TRUE(factor.factor(
      [&](Index e, double* matrix) {
        ++asked[e];
        write_lower(matrix_of(factor.members(e), e, 1), matrix);
      },
      pool));
  EXPECT_EQ(asked.back(), 0);
  asked.pop_back();
  for (int count : asked) EXPECT_EQ(count, 1);
}

TEST(ElementFactor, members_are_those_given_in_one_order_for_all_elements) {
  const Case c = cliques(100);
  ElementFactor factor;
  factor.analyse(c.nodes, c.elements);
  // An order of elimination of all nodes exists that every element follows: "a before b" has no circle.
  std::vector<std::set<Index>> after(c.nodes);
  std::vector<int> before(c.nodes, 0);
  for (Index e = 0; e < c.elements.count(); ++e) {
    const std::span<const Index> members = factor.members(e);
    std::vector<Index> given(c.elements.node.begin() + c.elements.begin[e],
                             c.elements.node.begin() + c.elements.begin[e + 1]);
    std::vector<Index> got(members.begin(), members.end());
    std::sort(given.begin(), given.end());
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, given);
    for (std::size_t k = 1; k < members.size(); ++k)
      if (after[members[k - 1]].insert(members[k]).second) ++before[members[k]];
  }
  std::vector<Index> next;
  for (Index i = 0; i < c.nodes; ++i)
    if (before[i] == 0) next.push_back(i);
  Index eliminated = 0;
  for (; !next.empty(); ++eliminated) {
    const Index i = next.back();
    next.pop_back();
    for (Index j : after[i])
      if (--before[j] == 0) next.push_back(j);
  }
  EXPECT_EQ(eliminated, c.nodes);
}

TEST(ElementFactor, of_nothing_is_nothing) {
  ElementFactor factor;
  factor.analyse(0, {});
  Pool pool(2);
  EXPECT_TRUE(factor.factor([](Index, double*) { FAIL(); }, pool));
  factor.solve({});
  EXPECT_EQ(factor.multiply_adds(), 0);
}

TEST(ElementFactor, allocates_nothing_once_it_has_factored) {
  const Case c = grid(400);
  ElementFactor factor;
  factor.analyse(c.nodes, c.elements);
  std::vector<Eigen::MatrixXd> matrices;
  matrices.reserve(std::size_t(c.elements.count()));
  for (Index e = 0; e < c.elements.count(); ++e) matrices.push_back(matrix_of(factor.members(e), e, 1));
  Eigen::VectorXd x = load_of(c);
  Pool pool(2);
  std::size_t before = 0;
  for (int again = 0; again < 3; ++again) {
    EXPECT_TRUE(factor.factor([&](Index e, double* matrix) { write_lower(matrices[e], matrix); }, pool));
    factor.solve({x.data(), std::size_t(x.size())});
    if (again == 0) before = allocations();
  }
  EXPECT_EQ(allocations(), before);
}

TEST(ElementFactor, tells_its_work_and_its_bytes) {
  // One front of n rows: n^3/6 multiply-adds.
  Case one{"one", 4, {}};
  one.add({0, 1, 2, 3});
  ElementFactor factor;
  factor.analyse(one.nodes, one.elements);
  EXPECT_NEAR(factor.multiply_adds(), 12.0 * 12 * 12 / 6, 1e-9);
  EXPECT_GE(factor.solve_bytes(), 2 * 8u * 12 * 13 / 2);
  // A chain twice as long is twice the work, a sheet of twice the sides nearly eight times.
  const auto work = [](const Case& c) {
    ElementFactor f;
    f.analyse(c.nodes, c.elements);
    return f.multiply_adds();
  };
  EXPECT_NEAR(work(chain(400)) / work(chain(200)), 2, 0.2);
  EXPECT_GT(work(grid(1600)) / work(grid(400)), 5);
}

}  // namespace element_factor_test
}  // namespace pliant
