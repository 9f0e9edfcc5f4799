// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/contact_descent.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/newton_stop.hpp"

namespace pliant::geometric {
namespace {

// A residual below this many times that of the contact problem is noise, which iterations amplify.
constexpr double noise = 4;
// Up to this many contacts are solved to contact_accuracy of the tolerance, more to the tolerance: few cost little,
// and iterations build on them.
constexpr Index few_contacts = 200;
constexpr int few_sweeps = 2000, many_sweeps = 100;

}  // namespace

ContactAccuracy::ContactAccuracy(const Equation& e, const ContactStep& contact) {
  const bool few = contact.size() <= few_contacts;
  sweeps = few ? few_sweeps : many_sweeps;
  const double tolerance = e.input.contact.tolerance;
  fine = (few ? contact_accuracy : 1) * tolerance;
  const double way = std::max(tolerance, noise * fine) * e.scheme.h;
  least = way * way * contact.total_mass();
  reduction = std::min(e.options.tolerance, contact_tolerance);
}

double ContactAccuracy::enough(double first) const { return std::max(reduction * reduction * first, least); }

/// Conjugate gradients whose preconditioned residual is the projected step, so
/// that directions keep to the contacts. Each iterate minimises the model energy, with the impulses as given
/// forces, over the projected step and the direction before. One loop whose steps share all its numbers:
/// cut in pieces it would hand them all along.
Descent conjugate_contact(Equation& e, SolverVectors& v, ContactStep& contact) {
  StepReport& report = e.report();
  Floats &step = e.scratch.contact.step, &h_step = e.scratch.contact.h_step;
  const Floats& load = e.scratch.contact.load;
  const double mass = contact.total_mass(), h = e.scheme.h;
  e.clear_turns();
  const ContactAccuracy accuracy(e, contact);
  contact.project_step(accuracy.sweeps, accuracy.fine, e, v, step);
  std::copy(step.begin(), step.end(), v.p.begin());
  const auto residual_of = [&] { return e.dot(step, load) - e.dot(step, v.g); };
  const auto needed = [&](double rho) {  // of the contact problem's residual, m/s
    return std::max(accuracy.fine, contact_accuracy * std::sqrt(std::max(0.0, rho) / mass) / h);
  };
  const double first = residual_of();
  e.add(1, v.p, v.d);
  const double curvature = e.hessian(v.p, v.hp);
  e.add(1, v.hp, v.g);
  e.add_turn(1);
  const double enough = accuracy.enough(first);
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
    contact.project_step(accuracy.sweeps, asked, e, v, step);
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

}  // namespace pliant::geometric
