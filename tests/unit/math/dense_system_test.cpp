// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/dense_system.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "pliant/base/simd.hpp"
#include "tests/support/linear_algebra.hpp"

namespace pliant {
namespace dense_system_test {

/// Every instruction set of this processor, and the best one again afterwards.
template <class Each>
void for_levels(Each&& each) {
  const SimdLevel best = simd_level();
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512})
    if (set_simd_level(level) == level) each(level);
  set_simd_level(best);
}

Eigen::MatrixXd random_matrix(int rows, int columns) {
  std::mt19937 random(unsigned(rows * 1000 + columns));
  std::uniform_real_distribution<double> number(-1, 1);
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return number(random); });
}

template <class T>
AlignedVector<T> as_panels(const Eigen::MatrixXd& m, int columns) {
  AlignedVector<T> out(panel_size(int(m.rows()), columns), T(0));
  for (int i = 0; i < int(m.rows()); ++i)
    for (int k = 0; k < int(m.cols()); ++k) out[in_panels(i, k, columns)] = T(m(i, k));
  return out;
}

template <class T>
Eigen::MatrixXd lower(int n, const AlignedVector<T>& a) {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) out(i, j) = double(a[in_panels(i, j, padded(n))]);
  return out;
}

constexpr int sizes[] = {1, 15, 16, 17, 48, 56, 100, 168, 200};

template <class T>
void check_gram(double tolerance) {
  for (const int n : sizes)
    for (const int k : {1, 7, 300}) {
      const Eigen::MatrixXd a = random_matrix(n, k),
                            exact = (a * a.transpose()).triangularView<Eigen::Lower>();
      const AlignedVector<T> panels = as_panels<T>(a, k);
      for_levels([&](SimdLevel level) {
        AlignedVector<T> one(panel_size(n, padded(n)), T(7)), two = one;
        Pool alone(1), pool(3);
        gram_panels(n, k, panels.data(), one.data(), alone);
        gram_panels(n, k, panels.data(), two.data(), pool);
        EXPECT_LT((lower(n, one) - exact).cwiseAbs().maxCoeff(), tolerance * k)
            << name(level) << n << " " << k;
        EXPECT_EQ(lower(n, one), lower(n, two)) << "threads";
      });
    }
}

TEST(DenseSystem, a_product_of_rows_is_the_same_on_every_instruction_set_and_number_of_threads) {
  check_gram<double>(1e-15);
  check_gram<float>(1e-6);
}

template <class T>
void check_solves(double tolerance) {
  for (const int n : sizes) {
    const Eigen::MatrixXd a = random_matrix(n, n + 5);
    const Eigen::MatrixXd m = a * a.transpose() + Eigen::MatrixXd::Identity(n, n);
    const Eigen::MatrixXd l = m.llt().matrixL();
    const Eigen::VectorXd b = random_matrix(n, 1);
    const Eigen::MatrixXd rows = random_matrix(37, n);
    for_levels([&](SimdLevel level) {
      AlignedVector<T> at = as_panels<T>(m.triangularView<Eigen::Lower>(), padded(n));
      ASSERT_TRUE(factor(n, at.data()));
      EXPECT_LT((lower(n, at) - l).norm() / l.norm(), tolerance) << name(level) << " " << n;
      AlignedVector<T> x(std::size_t(padded(n)), T(0));
      for (int i = 0; i < n; ++i) x[std::size_t(i)] = T(b[i]);
      const auto apart = [&](const Eigen::VectorXd& exact) {
        double most = 0;
        for (int i = 0; i < n; ++i) most = std::max(most, std::abs(double(x[std::size_t(i)]) - exact[i]));
        return most / exact.cwiseAbs().maxCoeff();
      };
      solve_lower(n, at.data(), x.data());
      EXPECT_LT(apart(l.triangularView<Eigen::Lower>().solve(b)), 30 * tolerance) << name(level) << " " << n;
      solve_upper(n, at.data(), x.data());
      EXPECT_LT(apart(solve_positive(m, b)), 1000 * tolerance) << name(level) << " " << n;
      for (int i = n; i < padded(n); ++i) EXPECT_EQ(x[std::size_t(i)], T(0));
      for (int i = 0; i < n; ++i) x[std::size_t(i)] = T(b[i]);
      solve(n, at.data(), x.data());
      EXPECT_LT(apart(solve_positive(m, b)), 1000 * tolerance) << name(level) << " " << n;

      AlignedVector<T> many = as_panels<T>(rows, padded(n));
      Pool pool(2);
      solve_lower_rows(n, at.data(), 37, many.data(), pool);
      const Eigen::MatrixXd exact = l.triangularView<Eigen::Lower>().solve(rows.transpose()).transpose();
      double most = 0;
      for (int i = 0; i < 37; ++i)
        for (int k = 0; k < n; ++k)
          most = std::max(most, std::abs(double(many[in_panels(i, k, padded(n))]) - exact(i, k)));
      EXPECT_LT(most, 30 * tolerance * exact.cwiseAbs().maxCoeff()) << name(level) << " " << n;
    });
  }
}

TEST(DenseSystem, factor_and_solves_are_those_of_an_exact_factor_on_every_instruction_set) {
  check_solves<double>(1e-14);
  check_solves<float>(1e-5);
}

TEST(DenseSystem, a_matrix_that_is_not_positive_is_told) {
  for (const int n : {3, 16, 40})
    for_levels([&](SimdLevel) {
      Eigen::MatrixXd m = Eigen::MatrixXd::Identity(n, n);
      m(n - 1, n - 1) = -1e-3;
      AlignedVector<double> at = as_panels<double>(m, padded(n));
      EXPECT_FALSE(factor(n, at.data()));
      m(n - 1, n - 1) = std::numeric_limits<double>::quiet_NaN();
      at = as_panels<double>(m, padded(n));
      EXPECT_FALSE(factor(n, at.data()));
    });
}

TEST(DenseSystem, a_product_of_columns_has_the_same_numbers) {
  const int n = 200, k = 40;
  const Eigen::MatrixXd a = random_matrix(k, n), exact = (a.transpose() * a).triangularView<Eigen::Lower>();
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(n, n);
  Pool pool(2);
  gram(n, k, a.data(), out.data(), pool);
  const Eigen::MatrixXd seen = out.triangularView<Eigen::Lower>();
  EXPECT_LT((seen - exact).cwiseAbs().maxCoeff(), 1e-13);
}

}  // namespace dense_system_test
}  // namespace pliant
