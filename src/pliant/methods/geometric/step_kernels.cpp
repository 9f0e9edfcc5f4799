// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/step_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::geometric {

const StepKernels& step_kernels() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return step_kernels_avx512;
    case SimdLevel::avx2:
      return step_kernels_avx2;
    case SimdLevel::portable:
      break;
  }
  return step_kernels_portable;
}

}  // namespace pliant::geometric
