// SPDX-License-Identifier: Apache-2.0
// The rows of the contact problem of bodies that touch (island_problem.hpp).
#pragma once

#include <array>

#include "pliant/contact/contact_problem.hpp"

namespace pliant {

/// A body: its own rows.
struct IslandPart {
  ContactProblem* problem = nullptr;
};

/// Row `contact` of the problem of a part.
struct IslandShare {
  Index part = -1, contact = 0;
};

struct IslandRow {
  Vec3 normal{0, 1, 0};
  double friction = 0;  ///< < 0: a bond, which holds both ways in all directions
  double bias = 0;      ///< m/s: how fast the row may close; negative: how fast it must open
  Vec3 free{0, 0, 0};   ///< u without impulses, m/s
  Vec3 impulse{0, 0, 0};
  std::array<IslandShare, 2> shares;  ///< the second may be empty
};

struct IslandOutcome {
  int sweeps = 0;
  double residual = 0;  ///< m/s, natural: IslandProblem::residual()
};

}  // namespace pliant
