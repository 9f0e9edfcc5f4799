// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/diffusion.hpp"

#include <algorithm>
#include <utility>

#include "pliant/base/check.hpp"
#include "pliant/math/direct_solver.hpp"

namespace pliant {
namespace {

/// The factor in single precision, corrected by residuals in double: each takes off three digits or more, so
/// that a correction this small leaves less than single precision keeps.
class RefinedSolver {
 public:
  explicit RefinedSolver(const SymmetricMatrix& matrix) : matrix_(matrix) {
    const DirectSolver::Report report = factor_.factor(matrix);
    PLIANT_CHECK(report.ok());
    f_.resize(std::size_t(matrix.rows()));
  }

  void solve(const Points& b, Points& x, Pool& pool) {
    std::fill(x.begin(), x.end(), Vec3::Zero());
    r_ = b;
    for (int k = 0; k < most_corrections; ++k) {
      if (k > 0) residual(b, x);
      for (std::size_t i = 0; i < x.size(); ++i)
        f_[i] = {float(r_[i].x()), float(r_[i].y()), float(r_[i].z()), 0};
      factor_.solve(f_.data(), f_.data(), pool);
      double change = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 d(f_[i].x, f_[i].y, f_[i].z);
        x[i] += d;
        change += d.squaredNorm();
        size += x[i].squaredNorm();
      }
      if (change <= small_correction * small_correction * size) break;
    }
  }

 private:
  static constexpr int most_corrections = 4;
  static constexpr double small_correction = 1e-4;

  void residual(const Points& b, const Points& x) {
    r_ = b;
    for (Index i = 0; i < matrix_.rows(); ++i) {
      const std::size_t begin = std::size_t(matrix_.begin[std::size_t(i)]),
                        end = std::size_t(matrix_.begin[std::size_t(i) + 1]) - 1;  // the diagonal
      Vec3 sum = matrix_.value[end] * x[std::size_t(i)];
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t j = std::size_t(matrix_.column[k]);
        sum += matrix_.value[k] * x[j];
        r_[j] -= matrix_.value[k] * x[std::size_t(i)];
      }
      r_[std::size_t(i)] -= sum;
    }
  }

  const SymmetricMatrix& matrix_;
  DirectSolver factor_;
  AlignedVector<Float4> f_;
  Points r_;
};

}  // namespace

AlignedVector<float> influence_of_sources(const SymmetricMatrix& l, const std::vector<Index>& source_of,
                                          Index sources, Pool& pool) {
  const Index n = l.rows(), s = sources;
  AlignedVector<float> out(std::size_t(n) * std::size_t(s), 0.0f);
  std::vector<Index> place(std::size_t(n), -1), free;
  for (Index i = 0; i < n; ++i)
    if (source_of[std::size_t(i)] < 0) {
      place[std::size_t(i)] = Index(free.size());
      free.push_back(i);
    } else {
      out[std::size_t(i) * std::size_t(s) + std::size_t(source_of[std::size_t(i)])] = 1;
    }
  if (free.empty()) return out;
  // Parts that no source reaches have nothing to diffuse: a breath of a diagonal keeps their block regular, and
  // their blend comes out as zero, which tells that nothing is known there.
  double mean = 0;
  for (Index i = 0; i < n; ++i) mean += l.value[std::size_t(l.begin[std::size_t(i) + 1] - 1)] / n;
  SymmetricMatrix inner;
  std::vector<std::vector<std::pair<Index, double>>> coupling{std::size_t(s)};  // of a sample: free row, -L
  for (Index i = 0; i < n; ++i) {
    for (Index k = l.begin[std::size_t(i)]; k < l.begin[std::size_t(i) + 1]; ++k) {
      const Index j = l.column[std::size_t(k)];
      const double value = l.value[std::size_t(k)];
      const Index pi = place[std::size_t(i)], pj = place[std::size_t(j)];
      if (pi >= 0 && pj >= 0) {
        inner.column.push_back(pj);
        inner.value.push_back(i == j ? value + 1e-10 * mean : value);
      } else if (pi >= 0) {
        coupling[std::size_t(source_of[std::size_t(j)])].push_back({pi, -value});
      } else if (pj >= 0) {
        coupling[std::size_t(source_of[std::size_t(i)])].push_back({pj, -value});
      }
    }
    if (place[std::size_t(i)] >= 0) inner.begin.push_back(Index(inner.column.size()));
  }
  RefinedSolver solver(inner);
  Points b(free.size()), z(free.size());
  for (Index first = 0; first < s; first += 3) {
    std::fill(b.begin(), b.end(), Vec3::Zero());
    for (Index c = 0; c < 3 && first + c < s; ++c)
      for (const auto& [row, value] : coupling[std::size_t(first + c)]) b[std::size_t(row)][c] += value;
    solver.solve(b, z, pool);
    for (std::size_t k = 0; k < free.size(); ++k)
      for (Index c = 0; c < 3 && first + c < s; ++c)
        out[std::size_t(free[k]) * std::size_t(s) + std::size_t(first + c)] = float(z[k][c]);
  }
  return out;
}

}  // namespace pliant
