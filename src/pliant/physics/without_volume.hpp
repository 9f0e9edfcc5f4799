// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/LU>

#include "pliant/base/types.hpp"

namespace pliant {

/// A permanent strain e moved along the identity until det(1 + e) = 1: what flows changes its shape, not its volume.
/// Without a trace e has det(1 + e) = 1 - |e|^2/2 and less: a bar left 18 % longer had lost 2.5 % of its volume.
inline Mat3 without_volume(const Mat3& e) {
  Mat3 stretch = Mat3::Identity() + e;
  for (int k = 0; k < 4; ++k) {
    const double volume = stretch.determinant();
    // of the determinant by the shift
    const double slope = (stretch.trace() * stretch.trace() - (stretch * stretch).trace()) / 2;
    if (!(volume > 0.1) || !(slope > 0)) return e;  // beyond any cap
    stretch.diagonal().array() += (1 - volume) / slope;
  }
  return stretch - Mat3::Identity();
}

}  // namespace pliant
