// SPDX-License-Identifier: Apache-2.0
// The one sweep a reduced step is made of, in single precision, once per instruction set. Per node it reads
// the k x 3 numbers C_i once and uses them twice: for the node's 3x3 and for the sum over all nodes.
//   A_i = A_i(X) + Z^T C_i, one 3x3 T_i from it, sum += C_i T_i^T                    [Huang06, Eq. 7]
#pragma once

namespace pliant::geometric {

inline constexpr int reduced_lanes = 16;

/// Nodes come in batches of 16, padded by empty ones (C = 0).
struct ReducedArrays {
  int columns = 0;              ///< k
  const float* pull = nullptr;  ///< C: [batch][k][3][16]
  const float* rest = nullptr;  ///< A(X): [batch][xx xy xz yy yz zz][16]
  const float* skew = nullptr;  ///< of plastic bodies: the axial vector of A(X), [batch][x y z][16]
  const float* slew = nullptr;  ///< J of energy.hpp, the layout of rest
  float* quaternion = nullptr;  ///< [batch][w x y z][16]: warm start in, result out

  /// math/rotation.hpp: finish_rotations.
  unsigned (*finish)(const float (*)[16], float (*)[16], float (*)[16], unsigned) = nullptr;
};

struct ReducedKernels {
  /// A of the batches [first, last): [batch][9][16], out.
  void (*measure)(const ReducedArrays&, const float* z, float* covariance, int first, int last);
  /// Batches [first, last): T = 1 - R, with R(A) from the warm start (renew) or the R that is there. z: k x 3
  /// floats; lanes: scratch of k x 3 x 16 floats, aligned; sum: k x 3 doubles, out.
  void (*rotate)(const ReducedArrays&, bool renew, const float* z, float* lanes, double* sum, int first,
                 int last);
  /// T = R [w]x with w = J axial(R^T Z^T C). Returns the largest |w|^2.
  float (*turn)(const ReducedArrays&, const float* z, float* lanes, double* sum, int first, int last);
};

const ReducedKernels& reduced_kernels();  ///< of base/simd.hpp's level

extern const ReducedKernels reduced_kernels_portable, reduced_kernels_avx2, reduced_kernels_avx512;

}  // namespace pliant::geometric
