// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/step_kernels.inl"

namespace pliant::geometric {

constinit const StepKernels step_kernels_avx2 = make_step_kernels();

}  // namespace pliant::geometric
