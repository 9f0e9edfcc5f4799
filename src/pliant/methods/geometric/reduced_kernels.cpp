// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::geometric {

const ReducedKernels& reduced_kernels() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return reduced_kernels_avx512;
    case SimdLevel::avx2:
      return reduced_kernels_avx2;
    case SimdLevel::portable:
      break;
  }
  return reduced_kernels_portable;
}

}  // namespace pliant::geometric
