// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/block_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/simd.hpp"
#include "pliant/math/block_gradients_kernels.hpp"

namespace pliant {
namespace {

constexpr int rows_at_once = 512;

const BlockKernels& block_kernels() {
  static constexpr const BlockKernels* by_level[] = {&block_kernels_portable, &block_kernels_avx2,
                                                     &block_kernels_avx512};
  return *by_level[int(simd_level())];
}

}  // namespace

void BlockGradients::arrange(BlockPattern pattern) {
  pattern_ = std::move(pattern);
  const std::size_t n = std::size_t(pattern_.rows());
  diagonal_.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    for (Index k = pattern_.begin[i]; k < pattern_.begin[i + 1]; ++k)
      if (pattern_.column[k] == Index(i)) diagonal_[i] = k;
    PLIANT_CHECK(diagonal_[i] >= 0);
  }
  blocks_.assign(9 * pattern_.column.size() + 1, 0);
  inverse_.assign(9 * n + 1, 0);
  for (AlignedVector<double>* vector : {&x_, &r_, &z_, &p_, &q_}) vector->assign(4 * n, 0);
  partial_.assign((n + rows_at_once - 1) / rows_at_once, 0);
}

/// part(begin, end) over all rows in blocks of a fixed size, the results added in order.
template <class Part>
double BlockGradients::sum(Pool& pool, Part&& part) {
  for_blocks(pool, pattern_.rows(), rows_at_once,
             [&](int begin, int end) { partial_[begin / rows_at_once] = part(begin, end); });
  double total = 0;
  for (double value : partial_) total += value;
  return total;
}

BlockGradients::Outcome BlockGradients::solve(const Vec3* b, Vec3* x, double reduction, int most,
                                              Pool& pool) {
  const Index n = pattern_.rows();
  const BlockRows rows{pattern_.begin.data(), pattern_.column.data(), blocks_.data(), inverse_.data()};
  for (Index i = 0; i < n; ++i) {
    Eigen::Map<Mat3> inverse(&inverse_[9 * std::size_t(i)]);
    inverse = Eigen::Map<const Mat3>(diagonal(i)).inverse();
    for (int c = 0; c < 3; ++c) r_[4 * std::size_t(i) + c] = b[i][c];
  }
  std::fill(x_.begin(), x_.end(), 0.0);
  std::fill(p_.begin(), p_.end(), 0.0);
  double rho = sum(pool, [&](int begin, int end) {
    return block_kernels().precondition(rows, begin, end, r_.data(), z_.data());
  });
  const double start = rho;
  double direction = 0;
  Outcome out;
  while (rho > reduction * reduction * start && out.iterations < most) {
    for_blocks(pool, n, rows_at_once, [&](int begin, int end) {
      block_kernels().redirect(begin, end, direction, z_.data(), p_.data());
    });
    const double curvature = sum(pool, [&](int begin, int end) {
      return block_kernels().product(rows, begin, end, p_.data(), q_.data());
    });
    if (!(curvature > 0)) {
      rho = std::nan("");
      break;
    }
    const double a = rho / curvature, before = rho;
    rho = sum(pool, [&](int begin, int end) {
      return block_kernels().advance(rows, begin, end, a, p_.data(), q_.data(), x_.data(), r_.data(),
                                     z_.data());
    });
    direction = rho / before;
    ++out.iterations;
  }
  for (Index i = 0; i < n; ++i) x[i] = Eigen::Map<const Vec3>(&x_[4 * std::size_t(i)]);
  // rho is never negative: D^-1 is positive definite with A. An infinite start counts as no number.
  out.residual = start == 0 ? 0 : std::isfinite(start) ? std::sqrt(rho / start) : std::nan("");
  return out;
}

std::size_t BlockGradients::bytes_per_iteration() const {
  // p in and out with z; matrix, q out; p, q in, x, r in and out, z out, D^-1 in.
  return matrix_bytes() + x_.size() * sizeof(double) * (3 + 1 + 7) + inverse_.size() * sizeof(double);
}

std::size_t BlockGradients::memory_bytes() const {
  return sizeof(double) * (blocks_.size() + inverse_.size() + 5 * x_.size()) +
         sizeof(Index) * (pattern_.column.size() + 2 * diagonal_.size());
}

void BlockGradients::multiply(const Vec3* p, Vec3* out) const {
  for (Index i = 0; i < pattern_.rows(); ++i) {
    out[i].setZero();
    for (Index k = pattern_.begin[std::size_t(i)]; k < pattern_.begin[std::size_t(i) + 1]; ++k)
      out[i] += Eigen::Map<const Mat3>(&blocks_[9 * std::size_t(k)]) * p[pattern_.column[std::size_t(k)]];
  }
}

}  // namespace pliant
