// SPDX-License-Identifier: Apache-2.0
// The Newton direction of the static problem: the same matrix, Hessian and conjugate gradients as a time step
// (step.cpp), for a force that the caller has in double. (M/h^2 + H) d = f is solved as (M + h^2 H) d = h^2
// f.
#include <algorithm>
#include <limits>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/node_statics.hpp"

namespace pliant::geometric {
namespace {

constexpr double reduction = 0.03;  // of the residual: the caller repeats with the true forces
constexpr int most_iterations = 60;

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  return relax_nodes(
      *this, input, tolerance, memory, [&](double h, std::span<const Vec3> f, std::span<Vec3> d) {
        return static_direction({.h = h, .held = input.held, .contact = {}, .pool = input.pool}, f, d);
      });
}

std::string Body::static_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d) {
  PLIANT_CHECK(input.pool && f.size() == model_.rest.size() && d.size() == f.size());
  if (!kept_.empty()) return "a static solve does not keep the volume of a surface: set keep_volume to false";
  const FlushTinyNumbers in_here;
  Pool& pool = *input.pool;
  Scheme s{{Integrator::euler, input.h, {.mass = 0, .stiffness = 0}}};
  s.turning = s.stiffness;
  StepReport report;
  if (!prepare_system(input, s, report)) return report.trouble;
  pull_count_ = 0;
  bool changed = false;
  if (std::string trouble = system_.set_springs({}, pool, changed); !trouble.empty()) return trouble;
  if (changed) response_.flush();

  for (Index k = 0; k < model_.nodes(); ++k) {
    const Index i = arrangement_.node[k];
    for (int c = 0; c < 3; ++c) {
      start_[4 * std::size_t(k) + c] = state_.nodes.x[i][c];
      g_[4 * std::size_t(k) + c] = k < arrangement_.free ? float(-s.elastic * f[i][c]) : 0.0f;
    }
  }
  sweeps_.rotate(start_.data(), pool);

  StageWatch watch;
  std::fill(d_.begin(), d_.end(), 0.0f);
  const double any_turn = std::numeric_limits<double>::infinity();  // the caller finds how far to go
  if (!factors_hessian_ || !add_newton_step(any_turn, s, pool, watch)) static_gradients(s, pool, watch);
  for (Index k = 0; k < model_.nodes(); ++k) {
    Vec3& out = d[arrangement_.node[k]];
    for (int c = 0; c < 3; ++c) out[c] = k < arrangement_.free ? d_[4 * std::size_t(k) + c] : 0;
  }
  return {};
}

/// D in d_ for G in g_.
void Body::static_gradients(const Scheme& s, Pool& pool, StageWatch& watch) {
  solve(g_.data(), z_.data(), pool, watch);
  double rho = sweeps_.dot(g_.data(), z_.data(), pool);
  const double enough = reduction * reduction * rho;
  sweeps_.redirect(0, p_.data(), z_.data(), pool);
  for (int k = 0; k < most_iterations && rho > enough; ++k) {
    const double curvature = hessian(p_.data(), q_.data(), s, pool, watch);
    if (!(curvature > 0)) break;
    sweeps_.add(rho / curvature, p_.data(), d_.data(), pool);
    sweeps_.add(rho / curvature, q_.data(), g_.data(), pool);
    solve(g_.data(), z_.data(), pool, watch);
    const double before = rho;
    rho = sweeps_.dot(g_.data(), z_.data(), pool);
    sweeps_.redirect(rho / before, p_.data(), z_.data(), pool);
  }
  sweeps_.add(-1, z_.data(), d_.data(), pool);
}

}  // namespace pliant::geometric
