// SPDX-License-Identifier: Apache-2.0
// Green coordinates of eight points at a time, one set of kernels per instruction set (base/simd.hpp).
#pragma once

#include <cstdint>

namespace pliant {

inline constexpr int green_lanes = 8;  ///< points side by side

/// What a triangle of the cage is, whatever the point: 27 numbers.
struct GreenTriangle {
  double vertex[3][3];   ///< v_k
  double normal[3];      ///< n, unit, outward
  double along[3][3];    ///< t_k: unit, from v_k to v_k+1
  double outward[3][3];  ///< m_k = t_k x n
  double length[3];      ///< l_k
  double twice_area;     ///< A2
  std::int32_t index[3];
  std::int32_t face;
};

/// Arrays of eight lanes: phi[8 i], psi[8 j], their gradients [8 (3 i + c)]; gradients may be null.
struct GreenOutput {
  double *phi, *psi, *phi_gradient, *psi_gradient;
};

/// phi and its gradient are added to, psi and its gradient set. points: x, y, z of eight lanes.
using GreenKernel = void(const GreenTriangle* triangles, int count, const double* points,
                         const GreenOutput& out);
GreenKernel green_portable, green_avx2, green_avx512;

}  // namespace pliant
