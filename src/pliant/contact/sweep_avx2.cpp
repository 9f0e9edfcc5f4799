// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/sweep_kernels.inl"

namespace pliant {

constinit const SweepKernels sweep_kernels_avx2 = {row};

}  // namespace pliant
