// SPDX-License-Identifier: Apache-2.0
// The force of what holds a body (pins, handles, bones, grabs, bonds), from the balance of its momentum P over some steps:
//   P_1 - P_0 = T R + sum over the steps of (h F + J - h alpha P)
// R is the mean of that force over their time T; F gravity, forces of the world and of the user; J the impulses of contacts;
// alpha the mass damping. All methods have it, however they hold their nodes.
#pragma once

#include "pliant/sim/body.hpp"

namespace pliant {

class Reaction {
 public:
  /// The steps begin here.
  void begin(const Body& body);
  /// After each step.
  void note_step(const Body& body);
  /// N; zero before the first step.
  Vec3 mean(const Body& body) const;

 private:
  Vec3 momentum_{0, 0, 0};  ///< at the beginning, kg m/s
  Vec3 known_{0, 0, 0};     ///< impulses of all else, N s
  double time_ = 0;         ///< s
};

}  // namespace pliant
