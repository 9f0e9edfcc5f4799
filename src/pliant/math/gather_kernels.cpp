// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/gather_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant {

GatherRows gather_rows() {
  return choose_kernels(gather_rows_portable, gather_rows_avx2, gather_rows_avx512);
}

}  // namespace pliant
