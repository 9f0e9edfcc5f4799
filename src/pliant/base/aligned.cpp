// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/aligned.hpp"

#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace pliant {
namespace {

constexpr std::align_val_t cache_line{64}, huge_page{std::size_t(2) << 20};

// Below, a huge page would be mostly empty.
bool is_large(std::size_t bytes) { return bytes >= std::size_t(huge_page) / 4; }

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  if (!is_large(bytes)) return ::operator new(bytes, cache_line);
  const std::size_t page = std::size_t(huge_page), whole = (bytes + page - 1) / page * page;
  void* memory = ::operator new(whole, huge_page);
#if defined(__linux__)
  madvise(memory, whole, MADV_HUGEPAGE);  // advice only: a refusal costs time, nothing else
#endif
  return memory;
}

void free_aligned(void* p, std::size_t bytes) {
  ::operator delete(p, is_large(bytes) ? huge_page : cache_line);
}

}  // namespace pliant
