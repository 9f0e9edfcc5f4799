// SPDX-License-Identifier: Apache-2.0
// Counts every operator new of the test program, so that a test can say "this allocates nothing".
#pragma once

#include <cstddef>

namespace pliant {

/// Allocations of all threads since the program started.
std::size_t allocation_count();

}  // namespace pliant
