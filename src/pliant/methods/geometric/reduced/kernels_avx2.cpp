// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/kernels.inl"

namespace pliant::geometric {

constinit const ReducedKernels reduced_kernels_avx2 = make_reduced_kernels();

}  // namespace pliant::geometric
