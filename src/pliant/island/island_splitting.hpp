// SPDX-License-Identifier: Apache-2.0
// The contact problem of an island by alternating directions [Boyd11], for problems that sweeps hardly solve: impacts, many
// rows on few nodes, bodies of very different mass. Impulses are split in r, which answers, and z, which is on the cones:
//   r = (W + R)^-1 (R (z - y) - f),   f = free + bias n
//   z = Pi(r' + y),   y += r' - z,    r' = a r + (1 - a) z before,   a = 1.6
// At its end r = z and R y = -u: z = Pi(z - u/R), Coulomb's law as in the sweeps. R = k W_cc.
//   W + R = (S + R) 1 + U C U^T
// S is the sum of the bodies' scalar responses, m x m for m rows. U C U^T are the parts that turn or keep their volume, of
// rank 7 each (contact_problem.hpp), by Woodbury's formula: nothing of size 3m is factored. In a stack S is sparse, rows of bodies that
// do not touch know nothing of each other, and so is its factor.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "pliant/island/island_rows.hpp"

namespace pliant {

class IslandSplitting {
 public:
  IslandSplitting();
  ~IslandSplitting();
  IslandSplitting(IslandSplitting&&) noexcept;
  IslandSplitting& operator=(IslandSplitting&&) noexcept;

  /// The problem has changed.
  void forget();
  /// From the impulses of the rows, which are those that are left in them. rho: of the rows, 1/kg. Nothing: a body
  /// answers each direction in its own way, or there are too many rows.
  std::optional<IslandOutcome> solve(std::span<IslandRow> rows, std::span<const IslandPart> parts,
                                     std::span<const double> rho, int most, double tolerance);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace pliant
