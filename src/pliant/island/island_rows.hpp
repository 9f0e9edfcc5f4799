// SPDX-License-Identifier: Apache-2.0
// The rows of the contact problem of bodies that touch (island_problem.hpp).
#pragma once

#include <array>
#include <span>

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

/// The bodies sum up what the impulses of their rows do; impulse(c): of a row.
template <class Impulse>
void sum_responses(std::span<const IslandRow> rows, std::span<const IslandPart> parts, Impulse&& impulse) {
  for (std::size_t c = 0; c < rows.size(); ++c)
    for (const IslandShare& share : rows[c].shares)
      if (share.part >= 0)
        parts[std::size_t(share.part)].problem->set_impulse(share.contact, impulse(Index(c)));
  for (const IslandPart& part : parts) part.problem->sum_response();
}

/// W r of a row, of what is summed up.
inline Vec3 response_of(const IslandRow& row, std::span<const IslandPart> parts) {
  Vec3 u = Vec3::Zero();
  for (const IslandShare& share : row.shares)
    if (share.part >= 0) {
      const IslandPart& part = parts[std::size_t(share.part)];
      u += part.problem->response(share.contact);
    }
  return u;
}

struct IslandOutcome {
  int sweeps = 0;
  double residual = 0;  ///< m/s, natural: IslandProblem::residual()
};

}  // namespace pliant
