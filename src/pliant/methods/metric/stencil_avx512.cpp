// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/stencil_kernels.inl"

namespace pliant::metric {

const StencilKernels stencil_kernels_avx512 = {
    evaluate, apply, apply_blocks, apply_angles, diagonal, diagonal_blocks,
    cells,    dot,   advance,      turn,         multiply, multiply_blocks};

}  // namespace pliant::metric
