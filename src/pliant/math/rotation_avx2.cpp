// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/rotation_kernels.inl"

namespace pliant {

unsigned nearest_in_batches_avx2(float* first, bool two, int iterations) {
  return rotation_lanes::nearest_in_batches(first, two, iterations);
}

}  // namespace pliant
