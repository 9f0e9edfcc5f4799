// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/parallel_gather.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/gather_arrays.hpp"

namespace pliant {

void gather(const Gather& w, std::span<const Vec3> channels, std::span<Vec3> out, Pool& pool) {
  PLIANT_CHECK(Index(out.size()) == w.rows());
  constexpr Index least_block = 1024, most_blocks = 4096;  // a pool takes some ten thousand parts
  const Index block = std::max(least_block, (w.rows() + most_blocks - 1) / most_blocks);
  const GatherArrays arrays = arrays_of(w, channels, out);
  const GatherRows rows = gather_rows();
  for_blocks(pool, w.rows(), block, [&](Index begin, Index end) { rows(arrays, begin, end); });
}

}  // namespace pliant
