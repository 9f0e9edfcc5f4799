// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pliant {

/// How motion dies away, the same words for every method.
struct Damping {
  double mass = 0.1;     ///< 1/s: a viscous medium, slows everything
  double stiffness = 0;  ///< s: slows deformation, not rigid motion
};

}  // namespace pliant
