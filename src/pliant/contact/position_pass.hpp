// SPDX-License-Identifier: Apache-2.0
// What still is deeper than the slop at the end of a step is moved out, and velocities are left alone:
//   s_c >= 0  complementary to  gap_c + slop/2 + sum_d n_c . W_cd n_d s_d >= 0
// and the body is displaced as by the impulses n_c s_c; what that means is the method's.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/contact.hpp"
#include "pliant/contact/contact_problem.hpp"

namespace pliant {

class PositionPass {
 public:
  /// n_c s_c of what touches; the matrix of `problem` is that of the same contacts. size: of the body, m; it
  /// is not moved by more than a part of it in one step.
  std::span<const Vec3> solve(std::span<const Contact> touches, double slop, double size,
                              ContactProblem& problem);
  /// The same where the body has not moved yet: with the velocities by which contacts should be moved out, m/s
  /// and negative, in place of gap + slop/2.
  std::span<const Vec3> solve(std::span<const Contact> contacts, std::span<const double> velocities,
                              ContactProblem& problem);

 private:
  std::vector<double> gaps_, lifts_;
  std::vector<Vec3> impulses_;
};

}  // namespace pliant
