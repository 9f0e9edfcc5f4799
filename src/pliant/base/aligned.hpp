// SPDX-License-Identifier: Apache-2.0
// Arrays for streaming: they start on a cache line, so that 512-bit loads never straddle two, and large ones
// lie on huge pages, because the hardware's prefetch stops at page borders.
#pragma once

#include <cstddef>
#include <vector>

namespace pliant {

void* allocate_aligned(std::size_t bytes);
void free_aligned(void* p, std::size_t bytes);

template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_aligned(count * sizeof(T))); }
  void deallocate(T* p, std::size_t count) { free_aligned(p, count * sizeof(T)); }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const {
    return true;
  }
};

template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace pliant
