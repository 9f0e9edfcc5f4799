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

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>

#include "pliant/base/aligned.hpp"
#include "pliant/island/island_rows.hpp"

namespace pliant {

class IslandSplitting {
 public:
  IslandSplitting();
  ~IslandSplitting();
  IslandSplitting(IslandSplitting&&) noexcept;
  IslandSplitting& operator=(IslandSplitting&&) noexcept;

  /// The problem has changed.
  void forget() { known_ = false; }
  /// From the impulses of the rows, which are those that are left in them. rho: of the rows, 1/kg. Nothing: a body
  /// answers each direction in its own way, or there are too many rows.
  std::optional<IslandOutcome> solve(std::span<IslandRow> rows, std::span<const IslandPart> parts,
                                     std::span<const double> rho, int most, double tolerance);

 private:
  using Matrix = Eigen::MatrixXd;

  bool prepare(std::span<const IslandRow> rows, std::span<const IslandPart> parts,
               std::span<const double> rho);
  /// S of the rows that impulses move.
  void add_up(std::span<const IslandRow> rows, std::span<const IslandPart> parts);
  /// U and C.
  void add_turning(std::span<const IslandRow> rows, std::span<const IslandPart> parts);
  void factor();
  /// (S + R)^-1 b.
  void solve_scalar(const Matrix& b, Matrix& out) const;
  /// out = (W + R)^-1 b.
  void answer(const Matrix& b, Matrix& out);
  /// out = W r.
  void respond(const Matrix& r, Matrix& out);
  double residual(std::span<const IslandRow> rows, std::span<const double> rho);

  bool known_ = false, works_ = false;
  std::vector<Index> row_;                  // of the problem, that impulses move
  std::vector<Index> place_;                // of a row of the problem, among those; -1: none
  std::vector<std::vector<Index>> row_of_;  // of a part: the row of each of its contacts
  struct Sparse;
  std::unique_ptr<Sparse> sparse_;  // S and the factor of S + R, where many entries are 0
  bool is_sparse_ = false;
  Matrix s_, inverse_;                        // S, (S + R)^-1, else
  std::array<Matrix, 3> turning_, answered_;  // U and (S + R)^-1 U, by axis
  Matrix middle_, woodbury_;                  // C, (1 + C U^T (S + R)^-1 U)^-1 C
  Eigen::VectorXd weight_;                    // R
  Matrix f_, r_, z_, y_, u_, load_, torque_, turn_, best_;
};

}  // namespace pliant
