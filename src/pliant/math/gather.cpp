// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/gather.hpp"

#include "pliant/base/check.hpp"
#include "pliant/math/gather_arrays.hpp"

namespace pliant {

void gather(const Gather& w, std::span<const Vec3> channels, std::span<Vec3> out) {
  PLIANT_CHECK(Index(out.size()) == w.rows());
  gather_rows()(arrays_of(w, channels, out), 0, w.rows());
}

void scatter_add(const Gather& w, std::span<const Vec3> forces, std::span<Vec3> channels) {
  PLIANT_CHECK(Index(forces.size()) == w.rows());
  for (Index r = 0; r < w.rows(); ++r)
    for (Index k = w.begin[r]; k < w.begin[r + 1]; ++k) channels[w.column[k]] += w.weight[k] * forces[r];
}

Gather pick(const std::vector<Index>& columns) {
  Gather w;
  w.column = columns;
  w.weight.assign(columns.size(), 1.0);
  w.begin.resize(columns.size() + 1);
  for (std::size_t r = 0; r <= columns.size(); ++r) w.begin[r] = Index(r);
  return w;
}

}  // namespace pliant
