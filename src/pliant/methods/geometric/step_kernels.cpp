// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/step_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::geometric {

const StepKernels& step_kernels() {
  return choose_kernels(step_kernels_portable, step_kernels_avx2, step_kernels_avx512);
}

}  // namespace pliant::geometric
