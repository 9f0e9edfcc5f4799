// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/point_order.hpp"

#include "pliant/geometry/place_order.hpp"

namespace pliant {

Gather in_place_order(const Gather& w, std::span<const Vec3> rest, std::vector<Index>& numbers) {
  Points places(std::size_t(w.rows()));
  gather(w, rest, places);
  Gather out;
  numbers.resize(places.size());
  for (const Index row : place_order(places)) {
    numbers[std::size_t(row)] = out.rows();
    for (Index k = w.begin[std::size_t(row)]; k < w.begin[std::size_t(row) + 1]; ++k) {
      out.column.push_back(w.column[std::size_t(k)]);
      out.weight.push_back(w.weight[std::size_t(k)]);
    }
    out.begin.push_back(Index(out.column.size()));
  }
  return out;
}

}  // namespace pliant
