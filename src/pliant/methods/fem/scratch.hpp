// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/fem/rig.hpp"
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
        acceleration(hat_x),
        rotations(state.rotations),
        held(hat_x.size(), 0),
        none_held(held) {
    trial_targets.reserve(hat_x.size());
    carried.reserve(hat_x.size());
  }

  Points hat_x, hat_v;              ///< x^, v^ (physics/implicit_scheme.hpp)
  Points x, v;                      ///< the end of the step
  Points g, p;                      ///< G and the Newton step, one entry an unknown
  Points acceleration;              ///< that BDF2 starts from, m/s^2
  Points carried;                   ///< forces that nodes with freedom carry for others, N
  Points trial_targets;             ///< of held nodes at the end of the trial step, m
  Rotations rotations;              ///< at x
  std::vector<unsigned char> held;  ///< one byte a node
  std::vector<unsigned char> none_held;
  Rig::Scratch rig;
};

}  // namespace pliant::fem
