// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/math/gather.hpp"

namespace pliant {

/// Row r of W channels. Two sums side by side: an addition need not wait for the one before.
inline Vec3 gather_row(const Gather& w, Index r, std::span<const Vec3> channels) {
  Vec3 even = Vec3::Zero(), odd = Vec3::Zero();
  Index k = w.begin[r];
  const Index end = w.begin[r + 1];
  for (; k + 1 < end; k += 2) {
    even += w.weight[k] * channels[w.column[k]];
    odd += w.weight[k + 1] * channels[w.column[k + 1]];
  }
  if (k < end) even += w.weight[k] * channels[w.column[k]];
  return even + odd;
}

}  // namespace pliant
