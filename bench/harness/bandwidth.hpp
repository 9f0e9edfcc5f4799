// SPDX-License-Identifier: Apache-2.0
// How fast this machine, now, reads a working set of a given size: what every limit of the bench rests on.
#pragma once

#include <cstddef>

#include "pliant/base/parallel.hpp"

namespace pliant::bench {

class BandwidthMeter {
 public:
  explicit BandwidthMeter(Pool& pool) : pool_(pool) {}

  /// Best rate in bytes per second at which the threads of the pool together read `bytes` over and over, each
  /// its own part, with the vectors of simd_level(). The best of several access patterns and of many repeats,
  /// on huge pages where the system gives them: a bound, not a typical rate.
  double measure(std::size_t bytes);

 private:
  Pool& pool_;
};

}  // namespace pliant::bench
