// SPDX-License-Identifier: Apache-2.0
#define PLIANT_VECTOR_BYTES 32
#include "bench/harness/bandwidth_kernels.hpp"
#include "bench/harness/bandwidth_kernels.inl"

const pliant::bench::ReadKernel* pliant::bench::read_kernels_avx2() { return kernels; }
