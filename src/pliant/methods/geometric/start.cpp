// SPDX-License-Identifier: Apache-2.0
// The first step of BDF2 (physics/implicit_scheme.hpp): at the beginning, after `place`, and when h or the held
// nodes change.
#include <cmath>

#include "pliant/methods/geometric/body.hpp"
#include "pliant/physics/first_step.hpp"

namespace pliant::geometric {

void Body::predict(Equation& e) {
  if (options_.integrator == Integrator::euler) return e.predict(Past::unknown);
  if (state_.continues(e.input)) return e.predict(Past::known);
  const bool curved = state_.past != Past::straight && find_acceleration(e);
  e.predict(curved ? Past::curved : Past::straight);
}

/// By a trial step; where that turns farther than Newton's linear model reaches, by the outer forces alone. It
/// says nothing of a body that touches a collider: that force acts from the blow on, not before.
bool Body::find_acceleration(Equation& e) {
  const NodeState& now = state_.nodes;
  Scratch& s = scratch_;
  StepInput input = e.input;
  s.trial_targets.clear();
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Vec3& from = now.x[input.held[n]];
    s.trial_targets.push_back(from + trial_share * (input.targets[n] - from));
  }
  input.targets = s.trial_targets;
  StepReport report;
  const Context context{input, e.scheme, e.context.pool, e.context.watch, report};
  Equation trial{model_, options_, state_, cache_, kept_, s, context};
  trial.predict(Past::unknown);
  solve_free(trial);
  const bool trusted = !report.violent && std::isfinite(trial.dot(s.vectors.d, s.vectors.d));
  end_with_momentum(trial, contact_.any());
  cache_.load_rotations(state_);
  e.report().iterations += report.iterations;

  const double h = e.input.h;
  for (std::size_t i = 0; i < now.x.size(); ++i) s.acceleration[i] = (s.new_v[i] - now.v[i]) / e.scheme.h;
  choose_acceleration(now, e.input, e.scheme.drag, e.scheme.h, elastic_energy(), trusted, s.held,
                      s.acceleration);
  for (std::size_t i = 0; i < now.x.size(); ++i)
    s.new_x[i] = now.x[i] + h * (now.v[i] + h / 2 * s.acceleration[i]);
  for (std::size_t n = 0; n < input.held.size(); ++n) s.new_x[input.held[n]] = e.input.targets[n];
  return !contact_.would_touch(e, s.new_x);
}

}  // namespace pliant::geometric
