// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/block_gradients.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <random>

#include "tests/support/allocation_counter.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {
namespace block_gradients_test {

/// A chain of n rows with blocks to both neighbours, positive definite by its diagonal.
struct Chain {
  BlockGradients matrix;
  Eigen::MatrixXd dense;
  Points b;

  explicit Chain(Index n) : dense(Eigen::MatrixXd::Zero(3 * n, 3 * n)), b(n) {
    BlockPattern pattern;
    for (Index i = 0; i < n; ++i) {
      for (Index j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) pattern.column.push_back(j);
      pattern.begin.push_back(Index(pattern.column.size()));
    }
    matrix.arrange(pattern);
    std::mt19937 random(1);
    std::normal_distribution<double> normal;
    for (Index i = 0; i < n; ++i) {
      const Mat3 a = Mat3::NullaryExpr([&] { return normal(random); });
      dense.block<3, 3>(3 * i, 3 * i) += a * a.transpose() + Mat3::Identity();
      if (i > 0) {
        const Mat3 c = Mat3::NullaryExpr([&] { return normal(random); });
        dense.block<3, 3>(3 * i, 3 * i) += c * c.transpose();
        dense.block<3, 3>(3 * i - 3, 3 * i - 3) += Mat3::Identity();
        dense.block<3, 3>(3 * i, 3 * i - 3) = c;
        dense.block<3, 3>(3 * i - 3, 3 * i) = c.transpose();
      }
      b[i] = Vec3(normal(random), normal(random), normal(random));
    }
    for (Index i = 0; i < n; ++i)
      for (Index k = pattern.begin[i]; k < pattern.begin[i + 1]; ++k)
        Eigen::Map<Mat3>(matrix.block(k)) = dense.block<3, 3>(3 * i, 3 * pattern.column[k]);
  }
  Eigen::VectorXd exact() const {
    return solve_positive(dense, Eigen::Map<const Eigen::VectorXd>(b[0].data(), dense.rows()));
  }
};

TEST(BlockGradients, solve_what_a_dense_factor_solves) {
  Chain chain(600);
  Pool pool(1);
  Points x(chain.b.size());
  const auto out = chain.matrix.solve(chain.b.data(), x.data(), 1e-12, 10000, pool);
  EXPECT_LE(out.residual, 1e-12);
  EXPECT_GT(out.iterations, 5);
  const Eigen::VectorXd exact = chain.exact();
  EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x[0].data(), exact.size()) - exact).norm(),
            1e-9 * exact.norm());
}

TEST(BlockGradients, stop_at_the_reduction_asked_for_or_at_the_limit) {
  Chain chain(50);
  Pool pool(1);
  Points x(chain.b.size());
  const auto rough = chain.matrix.solve(chain.b.data(), x.data(), 0.1, 1000, pool);
  EXPECT_LE(rough.residual, 0.1);
  EXPECT_GT(rough.residual, 1e-3);
  const auto cut = chain.matrix.solve(chain.b.data(), x.data(), 1e-12, 2, pool);
  EXPECT_EQ(cut.iterations, 2);
  EXPECT_GT(cut.residual, 1e-12);
}

TEST(BlockGradients, give_the_same_bits_with_two_threads_and_allocate_nothing) {
  Chain chain(600);
  Pool one(1), two(2);
  Points x(chain.b.size()), y(chain.b.size());
  const std::size_t before = allocations();
  chain.matrix.solve(chain.b.data(), x.data(), 1e-8, 1000, one);
  chain.matrix.solve(chain.b.data(), y.data(), 1e-8, 1000, two);
  EXPECT_EQ(allocations(), before);
  EXPECT_EQ(x, y);
}

TEST(BlockGradients, answer_nothing_with_zero) {
  Chain chain(5);
  Pool pool(1);
  Points x(5, Vec3::Ones());
  std::fill(chain.b.begin(), chain.b.end(), Vec3::Zero());
  EXPECT_EQ(chain.matrix.solve(chain.b.data(), x.data(), 1e-8, 1000, pool).residual, 0);
  EXPECT_EQ(x, Points(5, Vec3::Zero()));
}

TEST(BlockGradients, tell_a_matrix_that_is_not_positive_definite) {
  Chain chain(5);
  Pool pool(1);
  Points x(5);
  for (Index i = 0; i < 5; ++i) Eigen::Map<Mat3>(chain.matrix.diagonal(i)) = 0.01 * Mat3::Identity();
  EXPECT_TRUE(std::isnan(chain.matrix.solve(chain.b.data(), x.data(), 1e-8, 1000, pool).residual));
}

}  // namespace block_gradients_test
}  // namespace pliant
