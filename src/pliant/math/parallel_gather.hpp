// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/math/gather.hpp"

namespace pliant {

/// As gather(w, channels, out), the rows shared among threads: the same bits whatever their number.
void gather(const Gather& w, std::span<const Vec3> channels, std::span<Vec3> out, Pool& pool);

}  // namespace pliant
