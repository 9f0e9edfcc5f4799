// SPDX-License-Identifier: Apache-2.0
// A small pool whose results never depend on the number of threads: work is cut into parts by the caller, by
// size alone, and every part writes its own output; partial sums are added in the order of the parts.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "pliant/base/job_system.hpp"

namespace pliant {

class Pool {
 public:
  static constexpr int most_threads = 1024;

  /// threads = 1 runs everything in the caller; 0 or less = one per processor; more than most_threads count as
  /// those.
  explicit Pool(int threads = 1);
  /// The threads of a host, which must outlive the pool.
  explicit Pool(JobSystem& jobs);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const;

  /// Runs part(0) .. part(parts - 1), each exactly once, and returns when all are done. No allocation.
  /// A part that calls run on the same pool, and a second thread that does, run their parts themselves, one after the
  /// other. What a part throws arrives here when all are done; of several the first that was thrown. Numbers below the
  /// normal range count as 0 in every part (tiny_numbers.hpp).
  template <class Part>
  void run(int parts, Part&& part) {
    run_parts(
        parts, [](void* f, int i) { (*static_cast<std::remove_reference_t<Part>*>(f))(i); },
        const_cast<void*>(static_cast<const void*>(&part)));
  }

 private:
  void run_parts(int parts, void (*call)(void*, int), void* context);
  void share(int parts, void (*call)(void*, int), void* context);
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

/// Calls body(begin, end) over [0, count) in blocks of a fixed size, at least 1.
template <class Body>
void for_blocks(Pool& pool, int count, int block, Body&& body) {
  if (block < 1) block = 1;
  const int parts = count / block + int(count % block > 0);
  pool.run(parts, [&](int part) {
    const int begin = part * block, end = count - begin > block ? begin + block : count;
    body(begin, end);
  });
}

}  // namespace pliant
