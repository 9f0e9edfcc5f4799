// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/stencil_kernels.inl"

namespace pliant::metric {

constinit const StencilKernels stencil_kernels_avx2 = make_stencil_kernels();

}  // namespace pliant::metric
