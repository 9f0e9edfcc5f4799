// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/free_stiffness.hpp"

#include <algorithm>
#include <random>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Makes `block` M-orthonormal and M-orthogonal to the first `known` columns of v; what depends on them is
/// replaced by 0. Twice is enough for round-off.
void orthonormalise(const MatrixXd& v, Index known, const VectorXd& mass, MatrixXd& block) {
  for (Index c = 0; c < block.cols(); ++c) {
    const double before = std::sqrt(block.col(c).dot(mass.cwiseProduct(block.col(c))));
    for (int round = 0; round < 2; ++round) {
      const VectorXd heavy = mass.cwiseProduct(block.col(c));
      const VectorXd on_known = v.leftCols(known).transpose() * heavy;
      const VectorXd on_block = block.leftCols(c).transpose() * heavy;
      block.col(c) -= v.leftCols(known) * on_known + block.leftCols(c) * on_block;
    }
    const double after = std::sqrt(block.col(c).dot(mass.cwiseProduct(block.col(c))));
    if (after > 1e-10 * before)
      block.col(c) /= after;
    else
      block.col(c).setZero();
  }
}

}  // namespace

FreeStiffness::FreeStiffness(const Model& model, const std::vector<unsigned char>& held)
    : model_(model), stiffness_(stiffness_matrix(model)), row_(model.rest.size(), -1) {
  for (Index i = 0; i < model.nodes(); ++i)
    if (!held[i]) row_[i] = Index(node_.size()), node_.push_back(i);
  if (free() == 0) return;
  double diagonal = 0, mass = 0;
  for (Index i : node_) {
    diagonal += stiffness_.value[stiffness_.begin[i + 1] - 1];
    mass += model.mass[i];
  }
  // A body's lowest mode is far above a millionth of its highest, and the shift far above round-off.
  if (free() == model.nodes()) shift_ = 1e-6 * diagonal / mass;
  SymmetricMatrix matrix;
  for (Index i : node_) {
    for (Index k = stiffness_.begin[i]; k < stiffness_.begin[i + 1]; ++k)
      if (const Index column = row_[stiffness_.column[k]]; column >= 0) {
        matrix.column.push_back(column);
        matrix.value.push_back(stiffness_.value[k]);
      }
    matrix.value.back() += shift_ * model.mass[i];
    matrix.begin.push_back(Index(matrix.column.size()));
  }
  factor_.keep_double(true);
  trouble_ = factor_.factor(matrix).trouble;
}

MatrixXd FreeStiffness::solve(const MatrixXd& right) const {
  MatrixXd out(right.rows(), right.cols());
  Points b(node_.size()), z = b;
  for (Index first = 0; first < right.cols(); first += 3) {
    const Index here = std::min<Index>(3, Index(right.cols()) - first);
    for (Index i = 0; i < free(); ++i)
      for (Index c = 0; c < 3; ++c) b[i][c] = c < here ? right(i, first + c) : 0;
    factor_.solve(b.data(), z.data());
    for (Index i = 0; i < free(); ++i)
      for (Index c = 0; c < here; ++c) out(i, first + c) = z[i][c];
  }
  return out;
}

MatrixXd FreeStiffness::extend(const MatrixXd& on_all) const {
  MatrixXd right = MatrixXd::Zero(free(), on_all.cols());
  for (Index i = 0; i < model_.nodes(); ++i)
    for (Index k = stiffness_.begin[i]; k < stiffness_.begin[i + 1]; ++k) {
      const Index j = stiffness_.column[k];
      if (row_[i] >= 0 && row_[j] < 0) right.row(row_[i]) -= stiffness_.value[k] * on_all.row(j);
      if (row_[j] >= 0 && row_[i] < 0) right.row(row_[j]) -= stiffness_.value[k] * on_all.row(i);
    }
  const MatrixXd inside = solve(right);
  MatrixXd out = on_all;
  for (Index r = 0; r < free(); ++r) out.row(node_[r]) = inside.row(r);
  return out;
}

/// Block Lanczos on (K + shift M)^-1 M with full orthogonalisation: each round costs one solve of three
/// columns, and finds the ends of the spectrum first, which are the lowest modes.
MatrixXd FreeStiffness::modes(int count) const {
  const Index n = free();
  const bool floating = shift_ > 0;
  const Index wanted = std::min<Index>(count + (floating ? 1 : 0), n);
  const Index most = std::min<Index>(n, std::max<Index>(6 * wanted, 60));
  VectorXd mass(n);
  for (Index r = 0; r < n; ++r) mass[r] = model_.mass[node_[r]];

  std::mt19937_64 random(1);
  const auto number = [&] { return double(random() >> 11) * 0x1.0p-52 - 1; };
  constexpr Index block = 3;
  MatrixXd v(n, most), images(n, most), ritz = MatrixXd::Zero(most, most), now(n, block);
  for (Index c = 0; c < block; ++c)
    for (Index r = 0; r < n; ++r) now(r, c) = number();
  Index known = 0;
  SpectrumX pairs;
  while (known < most) {
    if (known + block > most) now.conservativeResize(n, most - known);
    orthonormalise(v, known, mass, now);
    // A direction that is used up is replaced by a random one, so that no multiple mode is missed.
    for (Index c = 0; c < now.cols(); ++c)
      if (now.col(c).squaredNorm() == 0)
        for (Index r = 0; r < n; ++r) now(r, c) = number();
    orthonormalise(v, known, mass, now);
    const Index width = Index(now.cols());
    v.middleCols(known, width) = now;
    images.middleCols(known, width) = solve(mass.asDiagonal() * now);
    known += width;
    const MatrixXd heavy = mass.asDiagonal() * images.middleCols(known - width, width);
    const MatrixXd coefficients = v.leftCols(known).transpose() * heavy;
    ritz.block(0, known - width, known, width) = coefficients;
    ritz.block(known - width, 0, width, known) = coefficients.transpose();
    now = images.middleCols(known - width, width);
    if (known < wanted + block && known < most) continue;
    pairs = dense_spectrum(ritz.topLeftCorner(known, known));
    if (known == most) break;
    // The residual of a Ritz pair is what the last block still couples to.
    const MatrixXd rest = now - v.leftCols(known) * coefficients;
    const double coupling = std::sqrt((mass.asDiagonal() * rest).cwiseProduct(rest).sum());
    double worst = 0;
    for (Index m = 0; m < wanted; ++m) {
      const Index at = known - 1 - m;
      const double last = pairs.vectors.col(at).tail(width).norm();
      worst = std::max(worst, coupling * last / pairs.values[at]);
    }
    if (worst < 1e-8) break;
  }
  MatrixXd out = MatrixXd::Zero(model_.nodes(), wanted - (floating ? 1 : 0));
  for (Index m = floating ? 1 : 0; m < wanted; ++m) {
    const VectorXd mode = v.leftCols(known) * pairs.vectors.col(known - 1 - m);
    for (Index r = 0; r < n; ++r) out(node_[r], m - (floating ? 1 : 0)) = mode[r];
  }
  return out;
}

}  // namespace pliant::geometric
