// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/rotation_kernels.inl"

namespace pliant {

unsigned nearest16_avx2(const float (*a)[16], float (*q)[16], float (*r)[16], int iterations) {
  return rotation_lanes::nearest16(a, q, r, iterations);
}

}  // namespace pliant
