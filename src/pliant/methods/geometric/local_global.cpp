// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/local_global.hpp"

#include <algorithm>

#include "pliant/math/anderson.hpp"
#include "pliant/methods/geometric/kept_volume_step.hpp"

namespace pliant::geometric {
namespace {

// Local/global contracts slower the stiffer the body is for the step: with h'^2 K_ii/(12 m) above this more
// iterations are needed to come back from a scramble.
constexpr double stiff_step = 150;

void clear(Floats& array) { std::fill(array.begin(), array.end(), 0.0f); }

/// D = 0, or where a kept volume is kept.
void clear_step(Equation& e, Floats& d) {
  clear(d);
  if (e.kept.empty()) return;
  aim_volume_from_start(e);
  e.kept.add_steps(d.data(), e.cache.arrangement);
}

/// Null for D = 0.
const Floats* first_step(const Equation& e, const Floats& d) { return e.kept.empty() ? nullptr : &d; }

}  // namespace

double local_global_step(Equation& e, SolverVectors& v) {
  e.residual(&v.d, true, v.g);
  const double rho = e.precondition(v.g, v.z);
  e.add(-1, v.z, v.d);
  return rho;
}

void begin_local_global(Equation& e, SolverVectors& v) {
  const bool from_now = e.options.rotation_state == RotationState::current;
  clear_step(e, v.d);
  if (from_now) {
    Doubles& x = e.scratch.trial;
    for (std::size_t i = 0; i < e.model.rest.size(); ++i)
      for (int c = 0; c < 3; ++c)
        x[4 * std::size_t(e.cache.arrangement.place[i]) + c] = e.state.nodes.x[i][c];
    e.rotate(x.data());
  }
  e.residual(first_step(e, v.d), !from_now, v.g);
  e.precondition(v.g, v.z);
}

void local_global(Equation& e, SolverVectors& v) {
  e.add(-1, v.z, v.d);
  for (int k = 1; k < e.options.iterations; ++k) local_global_step(e, v);
  e.report().iterations += e.options.iterations;
}

void accelerated_local_global(Equation& e, SolverVectors& v) {
  const bool stiff = e.scheme.elastic * e.model.stiffness_ratio > stiff_step;
  const int count = e.cache.system.direct() ? (stiff ? 20 : 8) : (stiff ? 24 : 12);
  auto &iterate = e.scratch.history.iterate, &increment = e.scratch.history.increment;
  Anderson<IterateHistory::window> anderson;
  clear_step(e, v.d);
  for (int k = 0; k < count; ++k) {
    const int now = anderson.next();
    e.residual(k == 0 ? first_step(e, v.d) : &v.d, true, v.g);
    std::copy(v.d.begin(), v.d.end(), iterate[now].begin());
    e.precondition(v.g, v.z);
    clear(increment[now]);
    e.add(-1, v.z, increment[now]);
    anderson.weigh([&](int a, int b) { return e.dot(increment[a], increment[b]); });
    clear(v.d);
    for (int j = 0; j <= anderson.known(); ++j) {
      const int slot = anderson.slot(j);
      e.add(anderson.share(j), iterate[slot], v.d);
      e.add(anderson.share(j), increment[slot], v.d);
    }
    ++e.report().iterations;
  }
}

}  // namespace pliant::geometric
