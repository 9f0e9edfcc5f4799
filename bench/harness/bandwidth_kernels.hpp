// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace pliant::bench {

/// Loads `bytes` from `data` (64-byte aligned, bytes a multiple of read_granule), `passes` times; returns the
/// or of all of it so that no load can be left out.
using ReadKernel = long long (*)(const char* data, std::size_t bytes, int passes);
inline constexpr int read_kernel_count = 8;
inline constexpr std::size_t read_granule = 1024;

const ReadKernel* read_kernels_portable();
const ReadKernel* read_kernels_avx2();
const ReadKernel* read_kernels_avx512();

}  // namespace pliant::bench
