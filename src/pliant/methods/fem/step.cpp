// SPDX-License-Identifier: Apache-2.0
// One time step. With h', x^, v^ of the integrator (body.hpp), predicted positions X0 = x^ + h' v^ and outer
// forces f, the new positions X0 + D solve G = 0,
//   G(D) = (1 + h' alpha) M D + h'^2 (alpha M v^ - f + g(X0 + D) + beta K' v),   v = v^ + D/h'
// Symbols: M lumped masses, kg; g = dV/dx, N, and K' (energy.hpp); alpha 1/s, beta s: Rayleigh damping.
// A Newton step is
//   D <- D - A^-1 G(D),   A = (1 + h' alpha) M + (h'^2 + h' beta) K'
// solved by conjugate gradients with the inverse diagonal blocks of A as preconditioner: on the bar of
// geometric/bar-stiff they took half the time of factoring A anew (docs/methods/fem.md). One Newton step with
// Euler is the scheme of [Mueller04, Eq. 4, 13], except that it starts from X0, not from x_n: a body that
// turns fast is then corrected within the step.
#include <fmt/format.h>

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
// In exact arithmetic conjugate gradients end after as many iterations as there are unknowns; small bodies
// get more for round-off.
constexpr int fewest_allowed = 1000;

double sum_of(const Points& points, std::size_t count) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < count; ++k) sum += points[k].cwiseAbs();
  return sum.sum();
}

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (report.ok() && !input.colliders.empty())
    report.trouble = "method fem does not meet colliders: set the body's method to geometric";
  if (!report.ok()) return report;
  const Scheme now = scheme(input.h);
  arrange(input);

  predict(input, now);
  double moved = model_.size;
  for (int k = 0; k < options_.iterations && moved > converged * model_.size; ++k) {
    linearise(input, now, watch);
    assemble(input, now);
    watch.add_to(&StageTimes::rhs);
    moved = descend(report, *input.pool);
    watch.add_to(&StageTimes::solve);
    if (!report.ok()) return report;
  }
  accept(input, now);
  if (model_.corotational) report.active_rotations = model_.elements();
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
  if (!has_followers()) {
    assembly_.arrange(model_, new_held_, matrix_);
  } else {
    if (!arranged_) assembly_.arrange(model_, std::vector<unsigned char>(model_.rest.size(), 0), matrix_);
    soft_holds_.arrange(model_, input.held, matrix_.pattern());
  }
  arranged_held_ = new_held_;
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
  for (Index i = 0; i < model_.carriers(); ++i) {
    hat_x_[i] = now.x[i] + a * (now.x[i] - state_.x_before[i]) + b * now.v[i];
    hat_v_[i] = now.v[i] + a * (now.v[i] - state_.v_before[i]);
    new_x_[i] = hat_x_[i] + s.h * hat_v_[i];
  }
  if (!has_followers())
    for (std::size_t n = 0; n < input.held.size(); ++n) new_x_[input.held[n]] = input.targets[n];
  std::copy(state_.rotations.begin(), state_.rotations.end(), new_rotations_.begin());
}

/// Rotations at new_x_, and g_ = G there.
void Body::linearise(const StepInput& input, const Scheme& s, StageWatch& watch) {
  for (Index i = 0; i < model_.carriers(); ++i) new_v_[i] = (new_x_[i] - hat_x_[i]) / s.h;
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
  if (has_followers()) {
    pull_followers(input, s);
    return;
  }
  for (const Grab& grab : input.grabs)
    if (const Index k = assembly_.place(grab.node); k >= 0)
      g_[k] += s.elastic * grab.stiffness * (new_x_[grab.node] - grab.target);
}

/// Holds, grabs and forces where a node may be one that follows; every node with freedom is an unknown then.
void Body::pull_followers(const StepInput& input, const Scheme& s) {
  soft_holds_.add_forces(new_x_, input.targets, s.elastic, g_);
  for (const Grab& grab : input.grabs) {
    Vec3 off = -grab.target;
    each_carrier(model_, grab.node, [&](Index i, double weight) { off += weight * new_x_[i]; });
    each_carrier(model_, grab.node,
                 [&](Index i, double weight) { g_[i] += s.elastic * grab.stiffness * weight * off; });
  }
  if (input.forces.empty()) return;
  for (Index node = model_.carriers(); node < model_.nodes(); ++node)
    each_carrier(model_, node,
                 [&](Index i, double weight) { g_[i] -= s.elastic * weight * input.forces[node]; });
}

/// A at the rotations of linearise.
void Body::assemble(const StepInput& input, const Scheme& s) {
  assembly_.gather_blocks(model_, s.stiffness, matrix_, *input.pool);
  const auto add = [&](Index k, double value) {
    for (int c = 0; c < 3; ++c) matrix_.diagonal(k)[4 * c] += value;
  };
  const std::vector<Index>& free = assembly_.free();
  for (std::size_t k = 0; k < free.size(); ++k) add(Index(k), s.mass * model_.mass[free[k]]);
  if (!has_followers()) {
    for (const Grab& grab : input.grabs)
      if (const Index k = assembly_.place(grab.node); k >= 0) add(k, s.elastic * grab.stiffness);
    return;
  }
  soft_holds_.add_blocks(s.elastic, matrix_);
  for (const Grab& grab : input.grabs)
    each_carrier(model_, grab.node, [&](Index i, double wi) {
      each_carrier(model_, grab.node, [&](Index j, double wj) {
        double* block = matrix_.block(find_block(matrix_.pattern(), i, j));
        for (int c = 0; c < 3; ++c) block[4 * c] += s.elastic * grab.stiffness * wi * wj;
      });
    });
}

/// One Newton step of new_x_. Returns the longest way of a node.
double Body::descend(StepReport& report, Pool& pool) {
  const std::vector<Index>& free = assembly_.free();
  if (free.empty()) return 0;
  const int allowed = std::max(fewest_allowed, 3 * int(free.size()));
  const BlockGradients::Outcome solved =
      matrix_.solve(g_.data(), p_.data(), options_.tolerance, allowed, pool);
  report.iterations += solved.iterations;
  double most = 0;
  for (std::size_t k = 0; k < free.size(); ++k) {
    new_x_[free[k]] -= p_[k];
    most = std::max(most, p_[k].norm());
  }
  if (!std::isfinite(solved.residual) || !std::isfinite(sum_of(p_, free.size())))
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
  else if (solved.residual > options_.tolerance)
    report.trouble = fmt::format(
        "the linear solve did not converge in {} iterations (residual {:.1e} of its start): take smaller "
        "steps or "
        "a larger fem.tolerance",
        solved.iterations, solved.residual);
  return most;
}

void Body::accept(const StepInput& input, const Scheme& s) {
  for (Index i = 0; i < model_.carriers(); ++i) new_v_[i] = (new_x_[i] - hat_x_[i]) / s.h;
  move_followers(new_x_);
  move_followers(new_v_);
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

StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t matrix = matrix_.matrix_bytes(), ends = model_.rest.size() * sizeof(Vec3) * 16;
  StepTraffic out;
  out.moved = assembly_.bytes_per_visit(model_) + matrix + ends +
              std::size_t(report.iterations) * matrix_.bytes_per_iteration();
  out.working_set = matrix + model_.weight.size() * model_.element_bytes() + ends;
  return out;
}

}  // namespace pliant::fem
