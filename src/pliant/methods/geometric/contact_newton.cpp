// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/contact_newton.hpp"

#include <algorithm>

#include "pliant/methods/geometric/contact_descent.hpp"
#include "pliant/methods/geometric/newton.hpp"
#include "pliant/methods/geometric/part_arcs.hpp"

namespace pliant::geometric {
namespace {

// Reasons with figures: docs/methods/contact/decisions.md.

// rad; with BDF2, steps that turn farther are linearised again: one linearisation feeds tumbling bodies.
constexpr double lively_turn = 0.01;
constexpr int most_linearisations = 8;
// Local/global steps where linearisation fails.
constexpr int violent_iterations = 8;

Descent linearised_contact(Equation& e, SolverVectors& v, ContactStep& contact) {
  return e.model.has_volume() ? accelerated_contact(e, v, contact) : conjugate_contact(e, v, contact);
}

/// From where the first linearisation led, or from the prediction. What is straight in D are velocities, not
/// the ways of parts that turn: those are bent to arcs before the next linearisation, which begins about the
/// turned parts. It ends with one more when the residual has become small: the residual is that of all parts,
/// and crumbs beside a heavy one hardly show in it. False: it climbs.
bool linearise_again(Equation& e, SolverVectors& v, ContactStep& contact, const Descent& before) {
  const Arrangement& arrangement = e.cache.arrangement;
  const Doubles& start = e.scratch.start;
  Doubles& from = e.scratch.contact.from;
  Floats& way = e.scratch.contact.way;
  if (!before.bounded) std::fill(v.d.begin(), v.d.end(), 0.0f);
  const double enough = contact_tolerance * contact_tolerance * before.first;
  for (Index i = 0; i < e.model.nodes(); ++i)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(arrangement.place[i]) + c;
      from[at] = e.state.nodes.x[i][c];
      way[at] = float(start[at] + v.d[at] - from[at]);
    }
  double first = 0;
  for (int k = 1;; ++k) {
    add_arcs(e.model, arrangement, contact.turns(), from.data(), way.data(), v.d.data());
    e.residual(&v.d, true, v.g);
    e.solve(v.g, v.z);
    contact.linearise_at(e, v);
    std::copy(v.d.begin(), v.d.end(), way.begin());
    const double now = linearised_contact(e, v, contact).first;
    if (k == 1) first = std::max(now, before.first);
    if (now <= enough) return true;
    if (!(now < diverging * first)) return false;
    if (k == most_linearisations) return true;
    for (std::size_t at = 0; at < way.size(); ++at) {
      from[at] = start[at] + way[at];
      way[at] = v.d[at] - way[at];
    }
  }
}

/// D <- D', the projected step taken as it is, with new rotations; `count` times. Every D is feasible, and
/// the energy falls because A >= H. With the split B^-1 < A, and a small part that turns far may run away:
/// false when steps grow.
bool projected_steps(Equation& e, SolverVectors& v, ContactStep& contact, int count) {
  Floats& step = e.scratch.contact.step;
  double first = 0;
  for (int k = 0; k < count; ++k) {
    if (k > 0) {
      e.residual(&v.d, true, v.g);
      contact.solve_residual(e, v);
    }
    contact.project_step(e.input.contact.sweeps, e.input.contact.tolerance, e, v, step);
    ++e.report().iterations;
    const double size = e.dot(step, step);
    if (k == 0) first = size;
    if (contact.split() && !(size <= diverging * first)) return false;
    e.add(1, step, v.d);
  }
  return true;
}

}  // namespace

void contact_newton(Equation& e, SolverVectors& v, ContactStep& contact) {
  const double lively = e.options.integrator == Integrator::bdf2 ? lively_turn : violent_turn;
  const Descent descent = linearised_contact(e, v, contact);
  const double turn = e.largest_turn();
  if (descent.bounded && turn <= lively) return;
  e.report().violent = turn > violent_turn;
  if (contact.split() && linearise_again(e, v, contact, descent)) return;
  e.report().violent = true;
  contact.restart(false, e, v);
  contact_local_global(e, v, contact, violent_iterations);
}

void contact_local_global(Equation& e, SolverVectors& v, ContactStep& contact, int count) {
  if (projected_steps(e, v, contact, count)) return;
  e.report().violent = true;
  contact.restart(false, e, v);
  projected_steps(e, v, contact, count);
}

}  // namespace pliant::geometric
