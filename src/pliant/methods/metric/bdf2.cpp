// SPDX-License-Identifier: Apache-2.0
// The step of second order, BDF2 (physics/implicit_scheme.hpp):
//   x = x^ + h' v,   (1 + h' alpha) M (x - x^ - h' v^) + h'^2 (alpha M v^ - F(x) - f) + h' beta A (x - x^) = 0  (2)
// with outer forces f. Forces are those at the end of the step, and Newton's method with the accurate matrix A
// (operator.hpp) solves it:
//   1. start   every part turns as a free rigid body, the rest of the velocities goes on with it
//   2. balance the rigid motion that held nodes leave free (whole_motion.hpp)
//   3. solve   [(1 + h' alpha) M + (h'^2 + h' beta) A] d = -residual of (2), by conjugate gradients; x += d; 2 again
// until the residual is small. Where it does not get small, and where the step touches a collider, the step is
// Euler's of step.cpp: contact has velocities jump, which BDF2 would read as a force and go on with.
#include <cmath>

#include "pliant/methods/metric/body.hpp"
#include "pliant/physics/first_step.hpp"

namespace pliant::metric {
namespace {

constexpr int most_corrections = 12;  // of Newton's method
// Of `iterations`, in a linear solve: one that is cut short loses its directions, and what the next one begins with may
// look like rounding.
constexpr int patience = 20;
constexpr double no_distance = 1e-9;  // of a cell's edge: what a node may be off
constexpr double good_enough = 1e-2;  // of the residual of the motion without inner forces

}  // namespace

bool Body::second_order_step(const StepInput& input, StepReport& report, StageWatch& watch) {
  const bool meets = !input.colliders.empty();
  if (state_.touches) return false;
  const ImplicitScheme s(pliant::Integrator::bdf2, input.h, damping_);
  const Scheme now = scheme(input);
  const Context step{input, now, *input.pool, watch, report};
  equation_.hold(input.held);
  scratch_.right_sides = 0;
  scratch_.held.assign(scratch_.x.size(), 0);
  for (const Index i : input.held) scratch_.held[std::size_t(i)] = 1;
  const Past past = state_.continues(input)         ? Past::known
                    : state_.past == Past::straight ? Past::straight
                                                    : Past::curved;
  if (past == Past::curved) find_acceleration(s, step);
  extrapolate(s, past, input);
  if (!end_of(s, past, input.h, step)) {
    report.violent = true;
    return false;
  }
  bool kicked = false;
  if (meets) {
    const bool touches = contact_.touches(step, state_, scratch_);
    if (!touches) kicked = contact_.pass(step, strengths(), state_, scratch_);
    watch.add_to(&StageTimes::contact);
    if (touches) return false;
  }
  state_.x_before.swap(state_.nodes.x);
  state_.v_before.swap(state_.nodes.v);
  accept(input);
  state_.remember(input, kicked ? Past::unknown : Past::known);
  if (options_.plasticity)
    report.yields =
        flow(model_, *options_.plasticity, input.h, state_.nodes.x, state_.metrics, scratch_.flow);
  return true;
}

/// By a trial step of Euler's, of length h'.
void Body::find_acceleration(const ImplicitScheme& s, const Context& step) {
  const NodeState& now = state_.nodes;
  StepInput input = step.input;
  scratch_.targets.clear();
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Vec3& from = now.x[std::size_t(input.held[n])];
    scratch_.targets.push_back(from + trial_share * (input.targets[n] - from));
  }
  input.targets = scratch_.targets;
  const Context trial{input, step.scheme, step.pool, step.watch, step.report};
  extrapolate(s, Past::unknown, input);
  const bool solved = end_of(s, Past::unknown, s.h, trial);
  Points& a = scratch_.acceleration;
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = (scratch_.v[i] - now.v[i]) / s.h;
  choose_acceleration(now, step.input, s.drag, s.h, elastic_energy(), solved, scratch_.held, a);
}

/// scratch_: x^, v^, and the place where inertia and gravity alone would put every node.
void Body::extrapolate(const ImplicitScheme& s, Past past, const StepInput& input) {
  const Extrapolation by(past, input.h);
  const NodeState& now = state_.nodes;
  const bool known = past == Past::known, curved = past == Past::curved;
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    Vec3 x = now.x[i] + by.line * now.v[i], v = now.v[i];
    if (known)
      x += by.history * (now.x[i] - state_.x_before[i]), v += by.history * (now.v[i] - state_.v_before[i]);
    if (curved) x += by.bend * scratch_.acceleration[i], v += by.line * scratch_.acceleration[i];
    scratch_.hat_x[i] = x;
    scratch_.target[i] = x + s.h * v + s.elastic / s.mass * (input.gravity - s.drag * v);
  }
}

/// The end of the step in scratch_.x and scratch_.v; time: how long it is. False: it was not found.
bool Body::end_of(const ImplicitScheme& s, Past past, double time, const Context& step) {
  const StepInput& input = step.input;
  Points& x = scratch_.x;
  whole_.start(input, state_.nodes, time, x);
  const bool balances = options_.keep_momentum;
  if (balances) whole_.balance(input, s, scratch_);
  const double unit = equation_.unit();
  const MatrixForm form{.integrator = Integrator::accurate,
                        .kappa = options_.kappa,
                        .factor = step.scheme.factor,
                        .scale = s.stiffness / unit};
  const double none = no_distance * model_.edge;
  double before = 0, floor = 0, scale = 0;  // of r . z
  for (int k = 0; k <= most_corrections; ++k) {
    equation_.start_at([&](Index i) { return std::pair(x[std::size_t(i)], Vec3(Vec3::Zero())); }, step.pool);
    ++scratch_.right_sides;
    equation_.evaluate(form, state_.metrics, step.pool);
    equation_.set_matrix(s.mass, s.elastic, input.grabs, step.pool);
    if (k == 0) {
      const NodeState& now = state_.nodes;
      equation_.set_residual(
          [&](Index i) {
            return Vec3(model_.mass[i] / unit * (scratch_.target[i] - now.x[i] - time * now.v[i]));
          },
          0, step.pool);
      scale = equation_.correct(0, 0, step.pool, 0).first;
      floor = std::max(double(model_.nodes()) * none * none, options_.tolerance * options_.tolerance * scale);
    }
    equation_.set_residual(
        [&](Index node) {
          const std::size_t i = std::size_t(node);
          Vec3 out = s.mass * model_.mass[i] * (scratch_.target[i] - x[i]);
          if (!input.forces.empty()) out += s.elastic * input.forces[i];
          return Vec3(out / unit);
        },
        s.elastic / unit, step.pool);
    for (const Grab& grab : input.grabs)
      equation_.add_force(grab.node,
                          s.elastic * grab.stiffness / unit * (grab.target - x[std::size_t(grab.node)]));
    if (s.inner_drag > 0) {
      for (std::size_t i = 0; i < x.size(); ++i) scratch_.moved[i] = x[i] - scratch_.hat_x[i];
      equation_.add_inner_drag(scratch_.moved, s.h * s.inner_drag / s.stiffness, step.pool);
    }
    step.watch.add_to(&StageTimes::rhs);
    const int most = k < most_corrections ? patience * options_.iterations : 0;
    const ConjugateGradients::Outcome outcome = equation_.correct(options_.tolerance, most, step.pool, floor);
    step.report.iterations += outcome.iterations;
    step.watch.add_to(&StageTimes::solve);
    if (!std::isfinite(outcome.first)) return false;
    if (k == 0) scale = std::max(scale, outcome.first);
    if (outcome.iterations == 0 && !outcome.broke && k < most_corrections) break;
    // no more to gain: rounding, or a step that is too long
    if (outcome.broke || k == most_corrections || (k > 1 && outcome.first > before)) {
      if (!(outcome.first <= good_enough * good_enough * scale)) return false;
      break;
    }
    before = outcome.first;
    for (Index i = 0; i < model_.nodes(); ++i) x[std::size_t(i)] += equation_.displacement(i);
    if (balances) whole_.balance(input, s, scratch_);
  }
  if (balances && input.held.empty() && input.grabs.empty()) whole_.keep(input, s, past, state_, scratch_);
  for (std::size_t i = 0; i < x.size(); ++i) scratch_.v[i] = (x[i] - scratch_.hat_x[i]) / s.h;
  return equation_.finite(x, scratch_.v, step.pool);
}

}  // namespace pliant::metric
