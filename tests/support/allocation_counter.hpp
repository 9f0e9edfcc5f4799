// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace pliant {

/// Calls of operator new, malloc and their kin in this program so far, over all threads.
std::size_t allocations();

}  // namespace pliant
