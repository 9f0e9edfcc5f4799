// SPDX-License-Identifier: Apache-2.0
// The linker sends every call of malloc and its kin in this program here (tests/CMakeLists.txt): Eigen's arrays do
// not come from operator new. Shared libraries keep their own calls.
#include "tests/support/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

extern "C" {
void* __real_malloc(std::size_t size);
void* __real_calloc(std::size_t number, std::size_t size);
void* __real_realloc(void* p, std::size_t size);
void* __real_aligned_alloc(std::size_t alignment, std::size_t size);
int __real_posix_memalign(void** p, std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<std::size_t> calls{0};

void count() { calls.fetch_add(1, std::memory_order_relaxed); }

void* counted_or_null(std::size_t size, std::size_t alignment) {
  count();
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return alignment > alignof(std::max_align_t) ? __real_aligned_alloc(alignment, rounded)
                                               : __real_malloc(size ? size : 1);
}

void* counted(std::size_t size, std::size_t alignment) {
  void* p = counted_or_null(size, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

extern "C" {
void* __wrap_malloc(std::size_t size) {
  count();
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t number, std::size_t size) {
  count();
  return __real_calloc(number, size);
}
void* __wrap_realloc(void* p, std::size_t size) {
  count();
  return __real_realloc(p, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** p, std::size_t alignment, std::size_t size) {
  count();
  return __real_posix_memalign(p, alignment, size);
}
}

namespace pliant {
std::size_t allocations() { return calls.load(std::memory_order_relaxed); }
}  // namespace pliant

void* operator new(std::size_t size) { return counted(size, 1); }
void* operator new[](std::size_t size) { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t align) { return counted(size, std::size_t(align)); }
void* operator new[](std::size_t size, std::align_val_t align) { return counted(size, std::size_t(align)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size, 1); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
