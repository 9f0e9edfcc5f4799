// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::geometric {

const SheetKernels& sheet_kernels() {
  return choose_kernels(sheet_kernels_portable, sheet_kernels_avx2, sheet_kernels_avx512);
}

}  // namespace pliant::geometric
