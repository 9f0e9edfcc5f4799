// SPDX-License-Identifier: Apache-2.0
// The signed volume of a cell by six tetrahedra about the diagonal from corner 0 to corner 7. With
// d = r_7 - r_0 and c_k = r_k - r_0 around the ring k = 1, 3, 2, 6, 4, 5:
//   V = 1/6 d . sum_k c_k x c_k+1,   dV/dr_7 = 1/6 sum_k c_k x c_k+1,   dV/dr_k = 1/6 (c_k+1 - c_k-1) x d
// and dV/dr_0 = minus the sum of the others.
#pragma once

#include <span>

#include "pliant/base/types.hpp"

namespace pliant::metric {

inline constexpr int cell_ring[6] = {1, 3, 2, 6, 4, 5};

double signed_volume(const std::array<Index, 8>& cell, std::span<const Vec3> x);

/// V, and its gradient per corner.
double signed_volume(const std::array<Index, 8>& cell, std::span<const Vec3> x,
                     std::array<Vec3, 8>& gradient);

}  // namespace pliant::metric
