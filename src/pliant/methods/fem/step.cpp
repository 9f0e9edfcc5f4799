// SPDX-License-Identifier: Apache-2.0
// One time step. With h', x^, v^ of the integrator (body.hpp), predicted positions X0 = x^ + h' v^ and outer
// forces f, the new positions X0 + D solve G = 0,
//   G(D) = (1 + h' alpha) M D + h'^2 (alpha M v^ - f + g(X0 + D) + beta K' v),   v = v^ + D/h'
// Symbols: M lumped masses, kg; g = dV/dx, N, and K' (energy.hpp); alpha 1/s, beta s: Rayleigh damping.
// A Newton step is
//   D <- D - A^-1 G(D),   A = (1 + h' alpha) M + (h'^2 + h' beta) K'
// A is assembled and factored at every one of them; only the order of the elimination and the places of the
// numbers are kept. One Newton step with Euler is the scheme of [Mueller04, Eq. 4, 13], except that it starts
// from X0, not from x_n: a body that turns fast is then corrected within the step. `linear` has a constant A,
// which is factored again only when time step, held nodes or grabs change.
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/fem/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::fem {
namespace {

constexpr double converged = 1e-10;  // a Newton step that moves nothing by more than this share of the size

}  // namespace

/// Adds the time since the last call to a stage.
struct Body::Stopwatch {
  Clock::time_point begin = Clock::now(), last = begin;
  StageTimes ms;

  void add_to(double StageTimes::*stage) {
    const Clock::time_point now = Clock::now();
    ms.*stage += milliseconds(now - last);
    last = now;
  }
  StageTimes total() {
    add_to(&StageTimes::rhs);
    ms.total = milliseconds(last - begin);
    return ms;
  }
};

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  Stopwatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (report.ok() && !input.colliders.empty())
    report.trouble = "method fem does not meet colliders: set the body's method to geometric";
  if (!report.ok()) return report;
  const Scheme now = scheme(input.h);
  arrange(input);

  predict(input, now);
  double moved = model_.size;
  while (report.iterations < options_.iterations && moved > converged * model_.size) {
    linearise(input, now, watch);
    report.trouble = factor(input, now, report, watch);
    if (!report.ok()) return report;
    moved = descend();
    watch.add_to(&StageTimes::solve);
    ++report.iterations;
    if (!std::isfinite(moved)) {
      report.trouble =
          "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
      return report;
    }
  }
  accept(input, now);
  if (model_.corotational) report.active_rotations = int(model_.tets.size());
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

Body::Scheme Body::scheme(double h) const {
  Scheme s;
  s.h = options_.integrator == Integrator::bdf2 ? 2 * h / 3 : h;
  s.drag = damping_.mass;
  s.inner_drag = damping_.stiffness;
  s.mass = 1 + s.h * s.drag;
  s.elastic = s.h * s.h;
  s.stiffness = s.elastic + s.h * s.inner_drag;
  return s;
}

/// New held nodes are a new set of unknowns, and so a new pattern.
void Body::arrange(const StepInput& input) {
  std::fill(new_held_.begin(), new_held_.end(), 0);
  for (Index i : input.held) new_held_[i] = 1;
  if (arranged_ && new_held_ == arranged_held_) return;
  const auto start = Clock::now();
  assembly_.arrange(model_, new_held_);
  if (!assembly_.free().empty()) solver_.analyse(assembly_.pattern());
  arranged_held_ = new_held_;
  factored_ = false;
  if (!arranged_) setup_ms_ += milliseconds_since(start);
  arranged_ = true;
}

bool Body::history_applies(const StepInput& input) const {
  return state_.has_before && state_.h == input.h && state_.held == new_held_;
}

/// x^, v^, and the first guess: X0, with held nodes at their targets.
void Body::predict(const StepInput& input, const Scheme& s) {
  const NodeState& now = state_.nodes;
  // Without history BDF2 starts as if the last step had been a straight line, x_n-1 = x_n - h v_n.
  const bool two_steps = options_.integrator == Integrator::bdf2, history = history_applies(input);
  const double a = two_steps && history ? 1.0 / 3 : 0, b = two_steps && !history ? input.h / 3 : 0;
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    hat_x_[i] = now.x[i] + a * (now.x[i] - state_.x_before[i]) + b * now.v[i];
    hat_v_[i] = now.v[i] + a * (now.v[i] - state_.v_before[i]);
    new_x_[i] = hat_x_[i] + s.h * hat_v_[i];
  }
  for (std::size_t n = 0; n < input.held.size(); ++n) new_x_[input.held[n]] = input.targets[n];
  std::copy(state_.rotations.begin(), state_.rotations.end(), new_rotations_.begin());
}

/// Rotations at new_x_, and g_ = G there.
void Body::linearise(const StepInput& input, const Scheme& s, Stopwatch& watch) {
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_v_[i] = (new_x_[i] - hat_x_[i]) / s.h;
  watch.add_to(&StageTimes::rhs);
  assembly_.visit(model_, new_x_, new_v_, s.inner_drag, new_rotations_, *input.pool);
  watch.add_to(&StageTimes::rotation);
  assembly_.gather_forces(model_, g_, *input.pool);
  const std::vector<Index>& free = assembly_.free();
  for (std::size_t k = 0; k < free.size(); ++k) {
    const Index i = free[k];
    // (1 + h' alpha) D / h'^2 + alpha v^ = (v - v^)/h' + alpha v
    const Vec3 inertia = (new_v_[i] - hat_v_[i]) / s.h + s.drag * new_v_[i] - input.gravity;
    g_[k] = s.elastic * (g_[k] + model_.mass[i] * inertia);
    if (!input.forces.empty()) g_[k] -= s.elastic * input.forces[i];
  }
  for (const Grab& grab : input.grabs)
    if (const Index k = assembly_.place(grab.node); k >= 0)
      g_[k] += s.elastic * grab.stiffness * (new_x_[grab.node] - grab.target);
}

/// The matrix A at the rotations of linearise.
std::string Body::factor(const StepInput& input, const Scheme& s, StepReport& report, Stopwatch& watch) {
  Coefficients wanted{s.mass, s.stiffness, {}, {}};
  for (std::size_t n = 0; n < input.grabs.size(); ++n) {
    wanted.spring[n] = s.elastic * input.grabs[n].stiffness;
    wanted.grabbed[n] = assembly_.place(input.grabs[n].node);
  }
  const bool same = factored_ && !model_.corotational && wanted == coefficients_;
  if (same || assembly_.free().empty()) return {};
  factored_ = false;
  assembly_.gather_blocks(model_, s.stiffness, *input.pool);
  const std::vector<Index>& free = assembly_.free();
  const auto add = [&](Index k, double value) {
    for (int c = 0; c < 3; ++c) assembly_.diagonal(k)[4 * c] += value;
  };
  for (std::size_t k = 0; k < free.size(); ++k) add(Index(k), s.mass * model_.mass[free[k]]);
  for (std::size_t n = 0; n < input.grabs.size(); ++n)
    if (wanted.grabbed[n] >= 0) add(wanted.grabbed[n], wanted.spring[n]);
  watch.add_to(&StageTimes::rhs);
  report.refactored = true;
  std::string trouble = solver_.factor(assembly_.blocks().data());
  if (!trouble.empty()) return trouble + ": stiffness, time step or grabs are beyond what numbers can hold";
  factored_ = true;
  coefficients_ = wanted;
  return {};
}

/// One Newton step of new_x_. Returns the longest way of a node.
double Body::descend() {
  const std::vector<Index>& free = assembly_.free();
  if (free.empty()) return 0;
  solver_.solve(g_[0].data(), p_[0].data());
  double most = 0;
  for (std::size_t k = 0; k < free.size(); ++k) {
    new_x_[free[k]] -= p_[k];
    const double way = p_[k].norm();
    if (!(way <= most)) most = way;  // NaN stays
  }
  return most;
}

void Body::accept(const StepInput& input, const Scheme& s) {
  for (std::size_t i = 0; i < new_x_.size(); ++i) new_v_[i] = (new_x_[i] - hat_x_[i]) / s.h;
  // Written as swaps: nothing is lost and nothing allocated.
  state_.x_before.swap(state_.nodes.x);
  state_.v_before.swap(state_.nodes.v);
  state_.nodes.x.swap(new_x_);
  state_.nodes.v.swap(new_v_);
  state_.rotations.swap(new_rotations_);
  state_.held = new_held_;
  state_.h = input.h;
  state_.has_before = true;
}

/// The factor is written once and read twice by the substitutions. Its cost is arithmetic, not traffic: the
/// limit that follows from these bytes is out of reach for a method that factors every step.
StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t factor = solver_.factor_entries() * sizeof(double);
  const std::size_t matrix = assembly_.blocks().size() * sizeof(double);
  const std::size_t ends = model_.rest.size() * sizeof(Vec3) * 16;
  StepTraffic out;
  out.moved = std::size_t(report.iterations) * (assembly_.bytes_per_visit(model_) + 2 * factor) + ends;
  if (report.refactored) out.moved += std::size_t(report.iterations) * (factor + matrix);
  out.working_set = factor + matrix + model_.tets.size() * sizeof(Tet) + ends;
  return out;
}

}  // namespace pliant::fem
