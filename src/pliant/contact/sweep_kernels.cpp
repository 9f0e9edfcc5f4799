// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/sweep_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant {

const SweepKernels& sweep_kernels() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return sweep_kernels_avx512;
    case SimdLevel::avx2:
      return sweep_kernels_avx2;
    case SimdLevel::portable:
      break;
  }
  return sweep_kernels_portable;
}

}  // namespace pliant
