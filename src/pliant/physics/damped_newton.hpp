// SPDX-License-Identifier: Apache-2.0
// One step of a damped Newton method with a line search, for the static problem min Pi(x) of any method.
//   1. the problem solves (C(caution) + H) d = f for the unbalanced force f = -dPi/dx. C is a damping matrix
//      that grows with the caution: Levenberg's and Marquardt's, M caution^2 in the units of a time step
//      h = 1/caution, or caution times the diagonal.
//   2. t = 1, 1/2, 1/4 ... until Pi(x + t d) is lower by a share of what the slope f . d promises (Armijo).
//      Near the minimum Pi is lost in rounding: there a smaller unbalanced force will do.
//   3. a full step makes the next one bolder, a short one more cautious. No step at all: again, with more
//      caution, until that reaches its limit.
//
// A problem supplies
//   double potential()                    Pi at x, J
//   double unbalanced()                   |f| at x, N
//   StaticDirection direction(caution)    d
//   std::optional<double> try_step(t)     Pi at x + t d; none: the problem forbids that place
//   double noise()                        rounding of Pi at the trial, J
//   double trial_unbalanced()             |f| at the trial, N
// and for static_step(), which is one call of Method::relax,
//   double residual()                     |f| over the forces that act
//   double accept()                       the trial is x from now on; its displacement (Relaxation::change)
//   void go_back()                        the body is at x again after trials
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "pliant/physics/statics.hpp"

namespace pliant {

struct StaticDirection {
  std::string trouble;   ///< not empty: the solve ends here
  bool definite = true;  ///< false: the matrix could not be factored; more caution is needed
  double slope = 0;      ///< f . d, J
};

struct DampedNewton {
  double first = 2, least = 0.01, most = 1e4;  ///< of the caution
  double after_failure = 8;                    ///< factor on the caution where no step was found
  int halvings = 6;                            ///< of a step

  enum class Outcome { moved, stuck, trouble };

  /// moved: the last trial is the new place. stuck: no lower energy was found; the caution begins anew.
  template <class Problem>
  Outcome step(Problem& problem, double& caution, std::string& trouble) const {
    constexpr double bolder = 4;         // factors on the caution after a step
    constexpr int short_step = 3;        // so many halvings ask for more caution
    constexpr double sufficient = 1e-4;  // share of the expected decrease (Armijo)
    if (caution == 0) caution = first;
    for (; caution <= most; caution *= after_failure) {
      const StaticDirection direction = problem.direction(caution);
      trouble = direction.trouble;
      if (!trouble.empty()) return Outcome::trouble;
      if (!direction.definite || !(direction.slope > 0)) continue;
      double t = 1;
      for (int k = 0; k <= halvings; ++k, t /= 2) {
        const std::optional<double> now = problem.try_step(t);
        if (!now) continue;
        const bool lower = *now <= problem.potential() - sufficient * t * direction.slope;
        const bool calmer = !lower && *now <= problem.potential() + problem.noise() &&
                            problem.trial_unbalanced() < problem.unbalanced();
        if (!lower && !calmer) continue;
        if (k == 0) caution = std::max(caution / bolder, least);
        if (k >= short_step) caution *= bolder;
        return Outcome::moved;
      }
    }
    caution = 0;
    return Outcome::stuck;
  }
};

/// One step of a static solve, unless the residual is small enough already.
template <class Problem>
Relaxation static_step(Problem& problem, const DampedNewton& newton, double tolerance, double& caution) {
  Relaxation out;
  const auto tell = [&] {
    out.force = problem.unbalanced();
    out.residual = problem.residual();
  };
  tell();
  if (out.residual <= tolerance) return out;
  out.steps = 1;
  switch (newton.step(problem, caution, out.trouble)) {
    case DampedNewton::Outcome::moved:
      out.change = problem.accept();
      break;
    case DampedNewton::Outcome::stuck:
      out.stuck = true;
      problem.go_back();
      break;
    case DampedNewton::Outcome::trouble:
      return out;
  }
  tell();
  return out;
}

}  // namespace pliant
