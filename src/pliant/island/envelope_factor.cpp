// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/envelope_factor.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

double EnvelopeFactor::size(std::span<const Index> first) {
  double sum = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += double(i + 1) - double(first[i]);
  return sum;
}

void EnvelopeFactor::reset(std::span<const Index> first) {
  first_.assign(first.begin(), first.end());
  begin_.clear();
  std::ptrdiff_t next = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    begin_.push_back(next - first[i]);
    next += std::ptrdiff_t(i) + 1 - first[i];
  }
  value_.assign(std::size_t(next), 0);
}

/// Row by row: L_ij = (A_ij - sum_k L_ik L_jk) / L_jj.
bool EnvelopeFactor::factor() {
  for (Index i = 0; i < Index(first_.size()); ++i) {
    const Index low = first_[std::size_t(i)];
    for (Index j = low; j < i; ++j) {
      const Index from = std::max(low, first_[std::size_t(j)]);
      at(i, j) = (at(i, j) - part(i, from, j - from).dot(part(j, from, j - from))) / at(j, j);
    }
    const double pivot = at(i, i) - part(i, low, i - low).squaredNorm();
    if (!(pivot > 0)) return false;
    at(i, i) = std::sqrt(pivot);
  }
  return true;
}

void EnvelopeFactor::solve(Eigen::Ref<Eigen::VectorXd> b) const {
  for (Index i = 0; i < Index(first_.size()); ++i) {
    const Index low = first_[std::size_t(i)], count = i - low;
    b[i] = (b[i] - part(i, low, count).dot(b.segment(low, count))) / part(i, i, 1)[0];
  }
  for (Index i = Index(first_.size()) - 1; i >= 0; --i) {
    const Index low = first_[std::size_t(i)], count = i - low;
    b[i] /= part(i, i, 1)[0];
    b.segment(low, count) -= b[i] * part(i, low, count);
  }
}

}  // namespace pliant
