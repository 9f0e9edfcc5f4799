// SPDX-License-Identifier: Apache-2.0
// What a user does to a running simulation. Commands wait in order and take effect at the next step.
#pragma once

#include <variant>

#include "pliant/base/types.hpp"

namespace pliant {

/// Takes hold of a node by a soft spring, or moves the spring of the same id. More than max_grabs at a time
/// (physics/step.hpp) are ignored.
struct GrabNode {
  int body = 0;
  int id = 0;  ///< chosen by the caller, per body
  Index node = 0;
  Vec3 target{0, 0, 0};  ///< m
  double stiffness = 0;  ///< N/m
};

struct LetGo {
  int body = 0;
  int id = 0;
};

struct SetGravity {
  Vec3 gravity{0, 0, 0};  ///< m/s^2
};

using Command = std::variant<GrabNode, LetGo, SetGravity>;

}  // namespace pliant
