// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/stencil_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::metric {

const StencilKernels& stencil_kernels() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return stencil_kernels_avx512;
    case SimdLevel::avx2:
      return stencil_kernels_avx2;
    case SimdLevel::portable:
      break;
  }
  return stencil_kernels_portable;
}

}  // namespace pliant::metric
