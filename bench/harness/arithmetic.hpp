// SPDX-License-Identifier: Apache-2.0
// How fast this machine, now, computes: the limit of what computes more than it reads.
#pragma once

#include "pliant/base/parallel.hpp"

namespace pliant::bench {

/// Best rate in operations per second (a multiply-add is two) at which the threads of the pool together do
/// multiply-adds of single precision on registers, with the vectors of simd_level().
double arithmetic_rate(Pool& pool);

}  // namespace pliant::bench
