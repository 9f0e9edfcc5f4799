// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/flow_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::geometric {

float certain_strain(const FlowLaw& law) {
  constexpr float margin = 1e-5f;  // see flow_kernels.inl
  const float yield = float(law.yield);
  return yield - margin * (1 + yield);
}

const FlowKernels& flow_kernels() {
  return choose_kernels(flow_kernels_portable, flow_kernels_avx2, flow_kernels_avx512);
}

}  // namespace pliant::geometric
