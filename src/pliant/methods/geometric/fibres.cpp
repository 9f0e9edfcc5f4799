// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/fibres.hpp"

#include <fmt/format.h>

namespace pliant::geometric {

std::optional<Error> fibre_trouble(const Fibres& fibres, std::size_t nodes) {
  if (fibres.strength > 0 && fibres.field.empty() && fibres.direction.norm() == 0)
    return Error{{}, {{"geometric.fibres.direction", "[0, 0, 0]", "a direction", {}}}};
  if (!fibres.field.empty() && fibres.field.size() != nodes)
    return Error{{},
                 {{"geometric.fibres.file",
                   fmt::format("{} directions", fibres.field.size()),
                   fmt::format("{}, one for every node", nodes),
                   {}}}};
  return {};
}

double fibre_factor(const Fibres& fibres, const Points& rest, Index a, Index b) {
  if (!(fibres.strength > 0)) return 1;
  const Vec3 along = (rest[b] - rest[a]).normalized();
  const auto square = [&](Index node) {
    const Vec3& fibre = fibres.field.empty() ? fibres.direction : fibres.field[node];
    const double cosine = fibre.norm() > 0 ? fibre.dot(along) / fibre.norm() : 0;
    return cosine * cosine;
  };
  return 1 + fibres.strength * (square(a) + square(b)) / 2;
}

}  // namespace pliant::geometric
