// SPDX-License-Identifier: Apache-2.0
// How far two lists of points are from each other.
#pragma once

#include <algorithm>
#include <cmath>

#include "pliant/base/types.hpp"

namespace pliant {

inline double farthest(const Points& a, const Points& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

/// Root of the summed squares of the differences over that of `truth`: 1 is as wrong as no motion at all.
inline double relative_error(const Points& got, const Points& truth) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    error += (got[i] - truth[i]).squaredNorm();
    size += truth[i].squaredNorm();
  }
  return std::sqrt(error / size);
}

}  // namespace pliant
