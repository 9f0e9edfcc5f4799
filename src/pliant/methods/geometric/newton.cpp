// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/newton.hpp"

#include <algorithm>

#include "pliant/methods/geometric/factored_newton.hpp"
#include "pliant/methods/geometric/free_start.hpp"
#include "pliant/methods/geometric/kept_volume_step.hpp"
#include "pliant/methods/geometric/local_global.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"

namespace pliant::geometric {
namespace {

/// Once more from the start for a thin body, whose bending A does not know, between local/global steps as in
/// factored_newton.
bool long_gradients(Equation& e, SolverVectors& v) {
  std::fill(v.d.begin(), v.d.end(), 0.0f);
  e.clear_turns();
  local_global_step(e, v);
  e.residual(&v.d, true, v.g);
  const double rho = e.precondition(v.g, v.z);
  const bool solved = conjugate_gradients(e, v, rho, most_gradients);
  local_global_step(e, v);
  return solved;
}

/// Conjugate gradients for H step = -g from g = G, z = A^-1 g and rho = g . z, added to step.
void fixed_gradients(Equation& e, SolverVectors& v, double rho, int count, Floats& step) {
  const double rounding = std::max(1e-10 * rho, 1e-2 * e.model.negligible);
  e.redirect(0, v.p, v.z);
  for (int k = 0; k < count && rho > rounding; ++k) {
    const double curvature = e.hessian(v.p, v.hp);
    if (!(curvature > 0)) break;
    const double a = rho / curvature, before = rho;
    e.add(a, v.p, step);
    e.add(a, v.hp, v.g);
    e.add_turn(a);
    rho = e.precondition(v.g, v.z);
    ++e.report().iterations;
    e.redirect(rho / before, v.p, v.z);
  }
}

constexpr int most_again = 8;  // linearisations of a step

/// Of a sheet: as many gradients as its softness asks for, between local/global steps, and again where they
/// turn too far or leave much. They do not stop by the residual, which is that of stretching. False: it turns
/// too far.
bool sheet_gradients(Equation& e, SolverVectors& v, double start) {
  const double enough = sheet_enough(e, e.options.tolerance, start);
  Floats& step = e.scratch.contact.step;
  bool ends = false;
  e.add(-1, v.z, v.d);
  for (int k = 0; k < most_again; ++k) {
    e.residual(&v.d, true, v.g);
    const double rho = e.precondition(v.g, v.z);
    e.clear_turns();
    std::fill(step.begin(), step.end(), 0.0f);
    fixed_gradients(e, v, rho, e.cache.gradients, step);
    const double turn = e.largest_turn(), share = turn > violent_turn ? violent_turn / turn : 1;
    e.add(share, step, v.d);
    const double left = local_global_step(e, v);
    ends = share == 1;
    if (ends && left <= enough) return true;
  }
  e.report().breakdowns = ends;
  return ends;
}

/// Of a free body with volume rows. A strain s that a straight step takes out comes back as s^2: where that is too
/// much, with s^2 the share of rho in what K makes of the rest shape, it is linearised again. False: the step turns too
/// far.
bool gradients_on_arcs(Equation& e, SolverVectors& v) {
  const StopBounds bounds = bounds_on_arcs(e);
  const int most = e.cache.system.direct() && !e.options.adaptive ? most_gradients : few_gradients;
  double rho = start_on_arcs(e, v);
  for (int k = 1;; ++k) {
    const bool solved = conjugate_gradients(e, v, rho, most, bounds);
    e.report().breakdowns = !solved;
    if (e.largest_turn() > violent_turn) return false;
    const bool straight = rho * rho <= bounds.most * e.scheme.elastic * e.model.edge_energy;
    if (straight || !solved || k == most_again) return true;
    rho = residual_on_arcs(e, v);
    e.clear_turns();
    if (rho <= bounds.most) return true;
  }
}

/// Few gradients, or many where the body is thin. False: the step turns too far.
bool gradient_newton(Equation& e, SolverVectors& v, double rho) {
  if (e.model.sheet) return sheet_gradients(e, v, rho);
  if (starts_on_arcs(e)) return gradients_on_arcs(e, v);
  const bool soft = has_soft_rows(e.model, e.options);
  const auto too_far = [&] { return e.largest_turn() > violent_turn; };
  bool solved = conjugate_gradients(e, v, rho, few_gradients);
  if (!solved && !too_far() && e.cache.system.direct() && !soft && !e.options.adaptive && e.kept.empty())
    solved = long_gradients(e, v);
  if (!soft) e.report().breakdowns = !solved;
  return !too_far();
}

}  // namespace

double begin_newton(Equation& e, SolverVectors& v) {
  std::fill(v.d.begin(), v.d.end(), 0.0f);
  if (!e.kept.empty()) stiffen_stretched_stars(e);
  e.residual(nullptr, e.kept.empty(), v.g);
  e.clear_turns();
  if (!e.kept.empty()) start_at_volume(e, v);
  return e.precondition(v.g, v.z);
}

void newton(Equation& e, SolverVectors& v, double rho) {
  StepReport& report = e.report();
  report.violent = !(e.cache.factors_hessian ? factored_newton(e, v, rho) : gradient_newton(e, v, rho));
  if (!report.violent) return;
  report.factored_hessian = false;
  report.breakdowns = 0;
  accelerated_local_global(e, v);
}

bool conjugate_gradients(Equation& e, SolverVectors& v, double rho, int most, const StopBounds& bounds) {
  const double reduction = e.options.tolerance * e.options.tolerance;
  NewtonStop stop(e.options.tolerance, rho, bounds);
  double descent = 0;  // of the model's energy, twice
  const bool soft = has_soft_rows(e.model, e.options);
  e.redirect(0, v.p, v.z);
  double a = 0;  // how far along p, not yet in D
  bool solved = true;
  for (int k = 1; rho > 0; ++k) {
    const double curvature = e.hessian(v.p, v.hp);
    if (!(curvature > 0)) break;
    a = rho / curvature;
    e.add(a, v.hp, v.g);
    e.add_turn(a);
    const double before = rho;
    rho = e.precondition(v.g, v.z);
    ++e.report().iterations;
    descent += a * before;
    // The residual is that of the stiff modes and small long before the soft ones, which hold most of the
    // energy, are solved.
    const bool descends = soft && a * before >= reduction * descent;
    if (stop.reached(rho) && !descends) break;
    solved = k < most;
    if (!solved) break;
    e.sweeps().advance(a, rho / before, v.d.data(), v.p.data(), v.z.data(), e.context.pool);
    a = 0;
  }
  // The last solve is one more descent, not wasted.
  e.sweeps().finish(a, v.d.data(), v.p.data(), v.z.data(), e.context.pool);
  return solved;
}

}  // namespace pliant::geometric
