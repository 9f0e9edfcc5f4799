// SPDX-License-Identifier: Apache-2.0
// Passes over an array that follow each other through memory: a block of the second pass runs as soon as the
// blocks of the first that it reads are done, while they are still in the cache, instead of after all of
// them. Every block computes the same whenever it runs, so that results depend neither on this nor on the
// number of threads.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "pliant/base/parallel.hpp"

namespace pliant {

class TrailingPasses {
 public:
  static constexpr int most_passes = 4;

  /// The blocks [low, high] of the pass before that a block reads.
  struct Reach {
    int low = 0, high = 0;
  };

  /// The first pass, of so many blocks, reads nothing that another one writes.
  void add_first(int blocks) {
    reach_[0].resize(std::size_t(blocks));
    add_pass();
  }
  /// A pass more, with one reach for each of its blocks.
  void add(std::vector<Reach> reach) {
    reach_[passes_] = std::move(reach);
    add_pass();
  }

  /// Calls run(pass, block) for every block of every pass, each once. No allocation.
  template <class Run>
  void run(Pool& pool, Run&& run) {
    for (int s = 0; s < passes_; ++s) std::fill(done_[s].begin(), done_[s].end(), 0);
    const int parts = pool.threads();
    pool.run(parts, [&](int part) { follow(part, parts, run); });
    // What lies between two threads waited for both.
    for (int s = 1; s < passes_ && parts > 1; ++s)
      pool.run(blocks(s), [&](int b) {
        if (!done_[s][b]) run(s, b), done_[s][b] = 1;
      });
  }

 private:
  void add_pass() {
    done_[passes_].assign(reach_[passes_].size(), 0);
    ++passes_;
  }
  int blocks(int pass) const { return int(reach_[pass].size()); }

  template <class Run>
  void follow(int part, int parts, Run& run) {
    const auto cut = [&](int pass, int at) { return int(static_cast<long long>(blocks(pass)) * at / parts); };
    std::array<int, most_passes> first, next;
    for (int s = 0; s < passes_; ++s) first[s] = next[s] = cut(s, part);
    while (next[0] < cut(0, part + 1)) {
      run(0, next[0]);
      done_[0][next[0]++] = 1;
      for (int s = 1; s < passes_; ++s)
        for (; next[s] < cut(s, part + 1) && reach_[s][next[s]].high < next[s - 1]; ++next[s])
          if (all_done(s - 1, first[s - 1], reach_[s][next[s]])) {
            run(s, next[s]);
            done_[s][next[s]] = 1;
          }
    }
  }
  bool all_done(int pass, int first, const Reach& reach) const {
    if (reach.low < first) return false;
    for (int b = reach.low; b <= reach.high; ++b)
      if (!done_[pass][b]) return false;
    return true;
  }

  int passes_ = 0;
  std::array<std::vector<Reach>, most_passes> reach_;
  std::array<std::vector<unsigned char>, most_passes> done_;
};

}  // namespace pliant
