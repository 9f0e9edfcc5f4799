// SPDX-License-Identifier: Apache-2.0
#define PLIANT_VECTOR_BYTES 32
#include "bench/harness/arithmetic_kernels.hpp"
#include "bench/harness/arithmetic_kernels.inl"

pliant::bench::Arithmetic pliant::bench::arithmetic_avx2() { return kernel; }
