// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/sweep_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant {

const SweepKernels& sweep_kernels() {
  return choose_kernels(sweep_kernels_portable, sweep_kernels_avx2, sweep_kernels_avx512);
}

}  // namespace pliant
