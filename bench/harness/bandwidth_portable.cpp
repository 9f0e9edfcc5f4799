// SPDX-License-Identifier: Apache-2.0
#define PLIANT_VECTOR_BYTES 16
#include "bench/harness/bandwidth_kernels.hpp"
#include "bench/harness/bandwidth_kernels.inl"

const pliant::bench::ReadKernel* pliant::bench::read_kernels_portable() { return kernels; }
