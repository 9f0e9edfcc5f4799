// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/contact_newton.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/newton.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"
#include "pliant/methods/geometric/part_arcs.hpp"

namespace pliant::geometric {
namespace {

// Reasons with figures: docs/methods/contact/decisions.md.

// rad; with BDF2, steps that turn farther are linearised again: one linearisation feeds tumbling bodies.
constexpr double lively_turn = 0.01;
constexpr int most_linearisations = 8;
// Growth of the squared residual at which a step is given up: that of conjugate gradients rises and falls.
constexpr double diverging = 16;
// Local/global steps where linearisation fails.
constexpr int violent_iterations = 8;
// Accuracy of the contact problem, of an iteration's change of velocity: conjugate directions amplify errors.
constexpr double contact_accuracy = 0.01;
// A residual below this many times that of the contact problem is noise, which iterations amplify.
constexpr double noise = 4;
// Up to this many contacts are solved to contact_accuracy of the tolerance, more to the tolerance.
constexpr Index few_contacts = 200;
constexpr int few_sweeps = 2000, many_sweeps = 100;
// Reduction of the residual, at most: contacts answer what is left, and thin legs tremble on it.
constexpr double contact_tolerance = 0.01;

struct Descent {
  bool bounded = true;  ///< false: B is no bound of H, the step may climb
  double first = 0;     ///< of its first step: the squared residual, kg m^2
};

/// One linearisation about D: conjugate gradients whose preconditioned residual is the projected step, so
/// that directions keep to the contacts. Each iterate minimises the model energy, with the impulses as given
/// forces, over the projected step and the direction before. From g = G(D), z = B g. One loop whose steps
/// share all its numbers: cut in pieces it would hand them all along.
Descent linearised_contact(Equation& e, SolverVectors& v, ContactStep& contact) {
  const ContactOptions& options = e.input.contact;
  StepReport& report = e.report();
  Floats &step = e.scratch.contact.step, &h_step = e.scratch.contact.h_step;
  const Floats& load = e.scratch.contact.load;
  const double mass = contact.total_mass(), h = e.scheme.h;
  e.clear_turns();
  // Few contacts are solved well: it costs little, and iterations build on it.
  const bool few = contact.size() <= few_contacts;
  const int sweeps = few ? few_sweeps : many_sweeps;
  const double fine = (few ? contact_accuracy : 1) * options.tolerance;
  contact.project_step(sweeps, fine, e, v, step);
  std::copy(step.begin(), step.end(), v.p.begin());
  const double least = std::max(options.tolerance, noise * fine) * h;
  const auto residual_of = [&] { return e.dot(step, load) - e.dot(step, v.g); };
  const auto needed = [&](double rho) {  // of the contact problem's residual, m/s
    return std::max(fine, contact_accuracy * std::sqrt(std::max(0.0, rho) / mass) / h);
  };
  const double first = residual_of();
  e.add(1, v.p, v.d);
  const double curvature = e.hessian(v.p, v.hp);
  e.add(1, v.hp, v.g);
  e.add_turn(1);
  const double reduction = std::min(e.options.tolerance, contact_tolerance);
  const double enough = std::max(reduction * reduction * first, least * least * mass);
  // Far from the shape of rest, turning strains: B is no bound of H any more and its step may climb.
  if (first > enough && !(curvature < 2 * first)) return {false, first};
  double least_yet = first;
  // Where the sweeps did not lead to an answer, directions do not keep to the contacts and longer steps make
  // noise of it: the step that leads to the contacts is taken alone.
  const bool alone = !(first > enough) || report.contact_residual > needed(first);
  if (alone) std::fill(step.begin(), step.end(), 0.0f);
  double rho = first;
  for (int iteration = 0; !alone; ++iteration) {
    ++report.iterations;
    contact.solve_residual(e, v);
    const double asked = needed(rho);
    contact.project_step(sweeps, asked, e, v, step);
    rho = residual_of();
    const bool answered = report.contact_residual <= asked;
    if (!(rho > enough) || !(rho < diverging * least_yet) || !answered || iteration + 1 == few_gradients)
      break;
    least_yet = std::min(least_yet, rho);
    const double ss = e.hessian(step, h_step);
    const double sp = e.dot(step, v.hp), pp = e.dot(v.p, v.hp);
    const double slope = e.dot(v.p, load) - e.dot(v.p, v.g);
    double t = rho / ss, u = 0;  // the first step leads to the contacts: no direction along them
    const double determinant = ss * pp - sp * sp;
    if (iteration > 0 && determinant > 1e-6 * ss * pp) {
      t = (rho * pp - slope * sp) / determinant;
      u = (slope * ss - rho * sp) / determinant;
    }
    e.add_turn(t);
    for (std::size_t k = 0; k < 4 * std::size_t(e.cache.arrangement.free); ++k) {
      v.p[k] = float(u) * v.p[k] + float(t) * step[k];
      v.hp[k] = float(u) * v.hp[k] + float(t) * h_step[k];
    }
    e.add(1, v.p, v.d);
    e.add(1, v.hp, v.g);
  }
  e.add(1, step, v.d);
  return {true, first};
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
