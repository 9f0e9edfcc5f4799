// SPDX-License-Identifier: Apache-2.0
// A loaded skeleton: flesh x and rod p (places and turns of its nodes, physics/elastic_rod.hpp) minimise one
// energy together,
//   E(x) + E_rod(p) + hold/2 sum_r |(rows x)_r - t_r(p)|^2,      t_r = y_s + R_s a_r
// r the points of the flesh that the rod holds: its samples s (a_r = 0) and the nodes in a thick bone, a_r
// from the sample at rest. The rod has no mass of its own, so that what it hands on it has from its holds and
// from the flesh: forces and torques of flesh and rod cancel. With J = dt/dp a Newton step solves
//   [ A              -hold rows^T J  ] [dx]   [ r_x                                  ]
//   [ -hold J^T rows  H + hold J^T J ] [dp] = [ -dE_rod/dp + hold J^T (rows x - t)   ]
// A and r_x of equation.hpp, H = d^2 E_rod/dp^2. Conjugate gradients, preconditioned by the same matrix with
// the constant scalar S for A: its Schur complement, H + J^T (hold - hold^2 rows S^-1 rows^T) J, is dense and
// small (6 a sample), but J^T (..) J is a sum over all pairs of rows.
#pragma once

#include "pliant/contact/scalar_response.hpp"
#include "pliant/methods/meshless/equation.hpp"

namespace pliant::meshless {

/// What the keys hold of the rod at time t goes to its place at once.
void lead_rod(const Rig& rig, double t, RodWork& work, RodState& rod);

/// The unbalanced force of the rod, N (root of the sum of squares; torques over the spacing of the nodes), with
/// what the flesh at x pulls.
double rod_residual(const Equation& e, const Points& x);

/// The energy of the rod and of what holds the flesh to it, at nodes x, J. hold: of each row, N/m.
double rod_energy(const Rig& rig, const RodState& rod, double hold, const Points& x);
/// Minus its gradient by x at this rod, N, added to `forces`.
void add_rod_forces(const Rig& rig, const RodState& rod, double hold, const Points& x,
                    std::span<Vec3> forces);

/// One Newton step of x and scratch.rod from the residual r of the flesh; the targets follow. Returns the
/// iterations of the linear solver. What goes wrong is in the report, and x and the rod stay.
int correct_with_rod(Equation& e, const Points& r, double tolerance, int most, Points& x);

/// The rod of flesh that others move (meeting.hpp). Given the flesh it has the least energy, so the flesh feels
///   hold rows^T rows - Y (H + hold J^T J)^-1 Y^T,   Y = hold rows^T J
/// and a matrix S of the flesh that has s hold rows^T rows answers by S^-1 + S^-1 Y C^-1 Y^T S^-1,
/// C = (H + hold J^T J)/s - Y^T S^-1 Y.
class YieldingRod final : public Yield {
 public:
  /// scratch.rod with flesh at x, and its targets.
  void settle(Equation& e, const Points& x);
  /// After settle(). given: rows S^-1 rows^T; share: s.
  void prepare(Equation& e, const Eigen::MatrixXd& given, double share);
  /// forces += what the rod's giving way takes of the stiffness of its holds, for a motion z.
  void soften(std::span<const Vec3> z, std::span<Vec3> forces);

  Eigen::Index size() const override { return stiff_.rows(); }
  void pull(std::span<const Vec3> z, Eigen::VectorXd& out) override;
  void push(const Eigen::VectorXd& p, std::span<Vec3> f) const override;
  void solve(Eigen::Ref<Eigen::MatrixXd> p) const override { yielding_.solveInPlace(p); }

 private:
  const Rig* rig_ = nullptr;
  double hold_ = 0;
  Points lever_, at_rows_;
  std::vector<char> held_;
  Eigen::MatrixXd stiff_, schur_;  // H + hold J^T J, C
  Eigen::LLT<Eigen::MatrixXd> settled_, yielding_;
  Eigen::VectorXd scale_, given_;
};

}  // namespace pliant::meshless
