// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/block_gradients_kernels.hpp"
//
#include "pliant/math/block_gradients_kernels.inl"

namespace pliant {
constinit const BlockKernels block_kernels_avx512 = block_rows::kernels;
}
