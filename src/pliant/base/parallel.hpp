// SPDX-License-Identifier: Apache-2.0
// A small pool whose results never depend on the number of threads: work is cut into parts by the caller, by
// size alone, and every part writes its own output; partial sums are added in the order of the parts.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace pliant {

class Pool {
 public:
  /// threads = 1 runs everything in the caller; 0 = one per processor.
  explicit Pool(int threads = 1);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const;

  /// Runs part(0) .. part(parts - 1), each exactly once, and returns when all are done. No allocation.
  /// A part must not call run on the same pool. Numbers below the normal range count as 0 in every part
  /// (tiny_numbers.hpp).
  template <class Part>
  void run(int parts, Part&& part) {
    run_parts(
        parts, [](void* f, int i) { (*static_cast<std::remove_reference_t<Part>*>(f))(i); },
        const_cast<void*>(static_cast<const void*>(&part)));
  }

 private:
  void run_parts(int parts, void (*call)(void*, int), void* context);
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// Calls body(begin, end) over [0, count) in blocks of a fixed size.
template <class Body>
void for_blocks(Pool& pool, int count, int block, Body&& body) {
  const int parts = (count + block - 1) / block;
  pool.run(parts, [&](int part) {
    const int begin = part * block, end = begin + block < count ? begin + block : count;
    body(begin, end);
  });
}

}  // namespace pliant
