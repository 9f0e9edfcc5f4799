// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/calibration.hpp"

namespace pliant::metric {

CubicModuli moduli(const Options& o) {
  if (o.model == Kind::original) return {2 * o.length, 0, o.angle};
  const double across = o.area + o.pillar_diagonal;
  const double spatial = o.squared ? 0 : 8.0 / 9 * (o.volume + o.pillar_diagonal);
  return {2 * (o.length + across + o.pillar) + spatial, across + spatial, across + spatial};
}

double young(const CubicModuli& c) {
  return c.c11 + c.c12 > 0 ? (c.c11 - c.c12) * (c.c11 + 2 * c.c12) / (c.c11 + c.c12) : 0;
}

}  // namespace pliant::metric
