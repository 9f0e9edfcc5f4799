// SPDX-License-Identifier: Apache-2.0
#define PLIANT_FRONT_KERNELS front_kernels_avx2
#include "pliant/math/front_kernels.inl"
