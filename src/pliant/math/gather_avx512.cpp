// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/gather_kernels.inl"

namespace pliant {

void gather_rows_avx512(const GatherArrays& arrays, int first, int last) {
  gather_rows_here(arrays, first, last);
}

}  // namespace pliant
