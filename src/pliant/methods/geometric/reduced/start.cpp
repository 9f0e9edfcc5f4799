// SPDX-License-Identifier: Apache-2.0
// The first step of BDF2, as in full space (../start.cpp).
#include <cmath>

#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/equation.hpp"
#include "pliant/physics/first_step.hpp"

namespace pliant::geometric {

void ReducedBody::predict(ReducedEquation& e) {
  if (options_.integrator == Integrator::euler) return e.predict(Past::unknown);
  if (state_.continues(e.input().h, cache_.holds.active())) return e.predict(Past::known);
  find_acceleration(e);
  e.predict(Past::curved);
}

void ReducedBody::find_acceleration(ReducedEquation& e) {
  StepReport report;
  const Context context{e.input(), e.scheme(), e.context.pool, e.context.watch, report};
  ReducedEquation trial{model_, options_, state_, cache_, scratch_, context};
  trial.predict(Past::unknown, trial_share);
  solve(trial);
  finish(trial);
  state_.quaternions = scratch_.quaternions_before;
  e.report().iterations += report.iterations;
  const double h = e.scheme().h;
  Coordinates &a = scratch_.acceleration, &outer = scratch_.velocity, &product = scratch_.product;
  a = (scratch_.new_v - state_.v) / h;
  outer = -e.scheme().drag * state_.v;
  for (int c = 0; c < 3; ++c) outer.col(c) += e.input().gravity[c] * model_.one_coordinates;
  const auto square = [&](const Coordinates& u) {  // u . M u
    multiply(model_.mass, u, product);
    return dot(u, product);
  };
  double told = h * h * square(outer);
  Vec3 all = Vec3::Zero();
  for (std::size_t i = 0; i < e.input().forces.size(); ++i) {
    told += h * h * e.input().forces[i].squaredNorm() / model_.full.mass[i];
    all += e.input().forces[i];
  }
  if (!e.input().forces.empty())  // their resultant
    for (int c = 0; c < 3; ++c) outer.col(c) += all[c] / model_.total_mass * model_.one_coordinates;
  a -= outer;
  const bool trusted = !report.violent && std::isfinite(dot(scratch_.new_v, scratch_.new_v));
  if (trusted && resolves(h * h * square(a), square(state_.v) / 2 + elastic_energy(), told))
    a += outer;
  else
    a = outer;
  cache_.holds.each_prescribed(model_, [&](Index c, const auto&) { a.row(c).setZero(); });
}

}  // namespace pliant::geometric
