// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/cell_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::meshless {

const CellKernels& cell_kernels() {
  return choose_kernels(cell_kernels_portable, cell_kernels_avx2, cell_kernels_avx512);
}

}  // namespace pliant::meshless
