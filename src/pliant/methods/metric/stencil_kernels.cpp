// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/stencil_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::metric {

const StencilKernels& stencil_kernels() {
  return choose_kernels(stencil_kernels_portable, stencil_kernels_avx2, stencil_kernels_avx512);
}

}  // namespace pliant::metric
