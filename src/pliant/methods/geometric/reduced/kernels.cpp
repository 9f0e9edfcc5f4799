// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::geometric {

const ReducedKernels& reduced_kernels() {
  return choose_kernels(reduced_kernels_portable, reduced_kernels_avx2, reduced_kernels_avx512);
}

}  // namespace pliant::geometric
