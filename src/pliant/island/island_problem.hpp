// SPDX-License-Identifier: Apache-2.0
// The contact problem of bodies that touch (contact/contact_problem.hpp says what such a problem is). A row
// belongs to one body (contact with a collider) or to two; each body keeps the response W of its own rows, in a
// ContactProblem, and
//   u_c = free_c + sum over the bodies b of row c of (W^b r)_c.
// So W is never formed across bodies, and rows of bodies that do not touch cost nothing. Equal impulses act on
// both bodies of a row, through weights of opposite sign: momentum is exact for any impulses.
#pragma once

#include <span>
#include <vector>

#include "pliant/base/aligned.hpp"
#include "pliant/island/island_splitting.hpp"

namespace pliant {

class IslandProblem {
 public:
  using Part = IslandPart;
  using Share = IslandShare;
  using Row = IslandRow;
  using Outcome = IslandOutcome;

  std::vector<Row>& rows() { return rows_; }
  const std::vector<Row>& rows() const { return rows_; }
  Index size() const { return Index(rows_.size()); }

  /// After rows and the responses of the parts are set; parts outlive the solve.
  void prepare(std::span<const Part> parts);
  /// free from velocities that contain the impulses as they are.
  template <class Velocity>
  void rebase(Velocity&& velocity) {
    sum_response();
    for (Index c = 0; c < size(); ++c) rows_[std::size_t(c)].free = velocity(c) - response(c);
  }
  /// Largest eigenvalue of the response of a row to itself, 1/kg.
  double scale(Index c) const { return rho_[std::size_t(c)]; }
  /// u of a row at the current impulses.
  Vec3 velocity(Index c) const { return rows_[std::size_t(c)].free + response(c); }

  /// From the impulses that are set, until the natural residual is below the tolerance, m/s: accelerated projected
  /// Gauss-Seidel while that is quick, then the splitting (island_splitting.hpp), and sweeps again if that finds nothing
  /// better.
  Outcome solve(int most_sweeps, double tolerance);
  /// max over the rows of rho |r - Pi(r - (u + bias n)/rho)|, m/s.
  double residual() const;
  /// Along normals alone: lengths[c] >= 0 complementary to gap[c] + n . (W n lengths) >= 0. The impulses of the
  /// rows are not touched.
  void solve_normals(std::span<const double> gap, int sweeps, std::span<double> lengths);

 private:
  static constexpr int window = 6;
  /// At most so many sweeps.
  Outcome sweep_to(int most_sweeps, double tolerance);
  void sum_response();
  Vec3 response(Index c) const;
  void add_impulse(Index c, const Vec3& change);
  double sweep(double tolerance);
  void project();

  std::vector<Row> rows_;
  std::vector<Mat3> diagonal_;
  std::vector<double> rho_;
  std::span<const Part> parts_;
  IslandSplitting splitting_;
  Points before_;                         // the impulses before the splitting
  AlignedVector<double> swept_, change_;  // of the last sweeps: s(r), s(r) - r
};

}  // namespace pliant
