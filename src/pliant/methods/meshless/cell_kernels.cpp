// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/cell_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::meshless {

const CellKernels& cell_kernels() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return cell_kernels_avx512;
    case SimdLevel::avx2:
      return cell_kernels_avx2;
    case SimdLevel::portable:
      break;
  }
  return cell_kernels_portable;
}

}  // namespace pliant::meshless
