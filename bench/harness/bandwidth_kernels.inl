// SPDX-License-Identifier: Apache-2.0
// The fastest way we know to load every byte of a buffer: aligned vectors of the widest kind, eight
// independent accumulators, one or several streams at once (one stream leaves line-fill buffers of a core
// idle beyond L2), always forwards or to and fro (as a forward and a backward substitution go: what was read
// last is still in the nearer cache). PLIANT_VECTOR_BYTES is set by the including file.
#include <cstddef>

namespace pliant::bench {
namespace {

typedef long long Vector __attribute__((vector_size(PLIANT_VECTOR_BYTES), may_alias));
constexpr std::size_t lane_bytes = sizeof(Vector);
constexpr std::size_t line_bytes = 64;
constexpr std::size_t block_bytes = 4 * line_bytes;  // read from a stream before the next one has its turn

// Reads `bytes` (a multiple of Streams * block_bytes) `passes` times. Ahead > 0 asks for the line that many
// bytes ahead of every stream; ToAndFro takes the blocks of every second pass in the opposite order.
template <int Streams, std::size_t Ahead, bool ToAndFro>
long long read_passes(const char* data, std::size_t bytes, int passes) {
  Vector sum[8] = {};
  const std::size_t stream = bytes / Streams;
  for (int pass = 0; pass < passes; ++pass) {
    const bool back = ToAndFro && pass % 2 == 1;
    for (std::size_t done = 0; done < stream; done += block_bytes) {
      const std::size_t at = back ? stream - block_bytes - done : done;
      for (int s = 0; s < Streams; ++s) {
        const char* block = data + s * stream + at;
        if (Ahead > 0)
          for (std::size_t line = 0; line < block_bytes; line += line_bytes)
            __builtin_prefetch((back ? block - Ahead : block + Ahead) + line, 0, 3);
        const Vector* vectors = reinterpret_cast<const Vector*>(block);
#pragma GCC unroll 16
        for (std::size_t k = 0; k < block_bytes / lane_bytes; ++k) sum[k % 8] |= vectors[k];
      }
    }
    // The next pass must load everything again.
    asm volatile("" ::: "memory");
  }
  for (int k = 1; k < 8; ++k) sum[0] |= sum[k];
  long long result = 0;
  for (std::size_t k = 0; k < lane_bytes / sizeof(long long); ++k) result |= sum[0][k];
  return result;
}

constexpr ReadKernel kernels[read_kernel_count] = {
    read_passes<1, 0, false>, read_passes<1, 1024, false>, read_passes<2, 0, false>, read_passes<4, 0, false>,
    read_passes<1, 0, true>,  read_passes<1, 1024, true>,  read_passes<2, 0, true>,  read_passes<4, 0, true>,
};

}  // namespace
}  // namespace pliant::bench
