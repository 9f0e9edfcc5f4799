// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/soft_holds.hpp"

#include <algorithm>
#include <map>

#include "pliant/base/check.hpp"

namespace pliant::fem {

Index find_block(const BlockPattern& pattern, Index row, Index column) {
  const auto begin = pattern.column.begin() + pattern.begin[row],
             end = pattern.column.begin() + pattern.begin[row + 1];
  const auto at = std::lower_bound(begin, end, column);
  PLIANT_CHECK(at != end && *at == column);
  return Index(at - pattern.column.begin());
}

void SoftHolds::arrange(const Model& model, std::span<const Index> held, const BlockPattern& pattern) {
  rows_ = {};
  entries_.clear();
  if (held.empty()) return;
  stiffness_ = model.hold / double(held.size());
  std::map<std::pair<Index, Index>, double> sum;
  for (const Index node : held) {
    const Index first = Index(rows_.column.size());
    each_carrier(model, node, [&](Index carrier, double weight) {
      rows_.column.push_back(carrier);
      rows_.weight.push_back(weight);
    });
    rows_.begin.push_back(Index(rows_.column.size()));
    for (Index a = first; a < rows_.begin.back(); ++a)
      for (Index b = first; b < rows_.begin.back(); ++b)
        sum[{rows_.column[a], rows_.column[b]}] += stiffness_ * rows_.weight[a] * rows_.weight[b];
  }
  for (const auto& [place, value] : sum)
    entries_.push_back({find_block(pattern, place.first, place.second), value});
}

void SoftHolds::add_forces(const Points& x, std::span<const Vec3> targets, double factor,
                           std::span<Vec3> g) const {
  for (Index v = 0; v < rows_.rows(); ++v) {
    Vec3 off = -targets[std::size_t(v)];
    for (Index k = rows_.begin[v]; k < rows_.begin[v + 1]; ++k) off += rows_.weight[k] * x[rows_.column[k]];
    for (Index k = rows_.begin[v]; k < rows_.begin[v + 1]; ++k)
      g[std::size_t(rows_.column[k])] += factor * stiffness_ * rows_.weight[k] * off;
  }
}

void SoftHolds::add_blocks(double factor, BlockGradients& matrix) const {
  for (const Entry& entry : entries_)
    for (int c = 0; c < 3; ++c) matrix.block(entry.block)[4 * c] += factor * entry.value;
}

}  // namespace pliant::fem
