// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/fem/state.hpp"

namespace pliant::fem {

/// Never read across steps.
struct Scratch {
  explicit Scratch(const State& state)
      : hat_x(state.nodes.x.size(), Vec3::Zero()),
        hat_v(hat_x),
        x(hat_x),
        v(hat_x),
        g(hat_x),
        p(hat_x),
        rotations(state.rotations),
        held(state.held) {}

  Points hat_x, hat_v;              ///< x^, v^ (physics/implicit_scheme.hpp)
  Points x, v;                      ///< the end of the step
  Points g, p;                      ///< G and the Newton step, one entry an unknown
  Rotations rotations;              ///< at x
  std::vector<unsigned char> held;  ///< one byte a node
};

}  // namespace pliant::fem
