// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "pliant/base/types.hpp"

namespace pliant::geometric {

/// How far g is from the slopes of an energy, by central differences at every `stride`-th node; relative.
template <class Energy>
double slope_error(const Energy& energy_at, const Points& x, const Points& g, std::size_t stride) {
  double error = 0, size = 0;
  const double s = 1e-5;
  for (std::size_t i = 0; i < x.size(); i += stride)
    for (int k = 0; k < 3; ++k) {
      Points up = x, down = x;
      up[i][k] += s;
      down[i][k] -= s;
      const double slope = (energy_at(up) - energy_at(down)) / (2 * s);
      error += std::pow(slope - g[i][k], 2);
      size += slope * slope;
    }
  return std::sqrt(error / size);
}

}  // namespace pliant::geometric
