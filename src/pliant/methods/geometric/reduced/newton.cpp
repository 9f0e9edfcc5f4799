// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/newton.hpp"

#include "pliant/methods/geometric/newton_stop.hpp"
#include "pliant/methods/geometric/reduced/local_global.hpp"

namespace pliant::geometric {
namespace {

constexpr double too_far = 0.3;  // rad

}  // namespace

double begin_gradients(ReducedEquation& e, ReducedVectors& v) {
  v.d.setZero();
  e.solve(v.g, v.z);
  v.p = -v.z;
  return dot(v.g, v.z);
}

void newton(ReducedEquation& e, ReducedVectors& v) {
  StepReport& report = e.report();
  e.residual(e.scratch.start, true, v.g);
  const double rho = begin_gradients(e, v);
  NewtonStop stop(e.options.tolerance, rho);
  double turned = conjugate_gradients(
      e, v, rho, [&](double now) { return stop.reached(now) || report.iterations == few_gradients; });
  if (turned > too_far) turned = e.largest_turn(v.d);
  v.d -= v.z;
  report.violent = turned > too_far;
  if (report.violent) accelerated_local_global(e, v);
}

}  // namespace pliant::geometric
