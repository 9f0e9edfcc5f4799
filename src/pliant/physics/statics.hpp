// SPDX-License-Identifier: Apache-2.0
// What goes from step to step of a static solve and what comes out of one.
#pragma once

#include <any>
#include <string>

#include "pliant/base/types.hpp"

namespace pliant {

/// What a static solve carries from step to step. A new solve begins with an empty one. All steps of a solve
/// have the same held nodes, grabs and gravity; targets may move. Forces may change where `last` is cleared.
struct RelaxMemory {
  double caution = 0;  ///< of the next Newton step (damped_newton.hpp); 0: none is known yet
  double largest = 0;  ///< largest unbalanced force right after held nodes were moved, N
  Points start;        ///< nodes when the solve began, m
  std::any last = {};  ///< energy and forces where the last step ended, of a type of the method's own
};

/// One step of a static solve.
struct Relaxation {
  std::string trouble;     ///< empty when all is well
  double residual = 0;     ///< unbalanced force over the forces that act, after the step
  double force = 0;        ///< unbalanced force, N (root of the sum of squares over the nodes)
  double change = 0;       ///< root mean square displacement of a freedom over the body's size
  int steps = 0;           ///< Newton steps or linear solves; 0: the body was balanced already
  int kept_rotations = 0;  ///< cells whose blended bone rotation vanished and that kept their rotation
  bool stuck = false;      ///< no lower energy was found
};

}  // namespace pliant
