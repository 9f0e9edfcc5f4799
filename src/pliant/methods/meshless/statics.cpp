// SPDX-License-Identifier: Apache-2.0
// Statics [ZJU06, Eq. 2]: K(R) x = b. Diffused rotations do not depend on the positions: one linear solve
// from any start. Polar ones do: solves alternate with rotations until both agree. Without bones they leave no
// spin free, and kappa, which holds the spin against given rotations, has no share: the flesh would follow its
// rotations and these the flesh in steps the smaller the nearer the load is to buckling, and seem to rest.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/rod_coupling.hpp"
#include "pliant/methods/meshless/solver.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::meshless {
namespace {

constexpr double reduction = 1e-4;  // of one run of conjugate gradients in single precision
constexpr int most_runs = 30;       // with the residual in double between them
constexpr int most_iterations = 2000;
constexpr int most_turns = 1000;     // of polar rotations
constexpr int most_rod_turns = 100;  // the same, with a loaded skeleton: each forms a dense matrix
// Flesh at rest, or turned as a whole, has no forces to compare with: what is left is then measured by those
// of a strain this small.
constexpr double least_strain = 1e-4;

/// Root of the sum of squares.
double norm(const Points& vectors) {
  double sum = 0;
  for (const Vec3& v : vectors) sum += v.squaredNorm();
  return std::sqrt(sum);
}

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory&) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_here;
  Relaxation out;
  StepInput quiet = input;
  quiet.grabs = {};
  out.trouble = trouble_of(input, model_.nodes());
  if (!out.trouble.empty()) return out;
  const bool polar = options_.rotations == Rotations::polar && options_.warping != Warping::none;
  const Scheme still(polar && (rig_.empty() || rig_.rod()) ? 0 : model_.kappa);
  if (rig_.empty() && input.held.empty()) {
    out.trouble = "nothing holds it: a static solve needs bones, a pin or a handle";
    return out;
  }
  StepReport report;
  StageWatch watch;
  const Context step{quiet, still, *input.pool, watch, report};
  Equation e{model_, rig_, options_, state_, cache_, scratch_, step};
  if (out.trouble = e.prepare(); !out.trouble.empty()) return out;
  if (rig_.rod()) {  // the way of its keys without load, then what loads it
    scratch_.rod = state_.rod;
    if (!rig_.rod()->settle(scratch_.rod, rod_holds(rig_.bones(), input.time)).converged) {
      out.trouble = "the rod finds no way to its keys: turn it by less, or hold it at fewer joints";
      return out;
    }
  }
  e.aim();
  const auto solve = rig_.rod() ? correct_with_rod : correct;
  const auto unbalanced = [&](const Points& at, const Points& of_flesh) {
    return rig_.rod() ? std::hypot(norm(of_flesh), rod_residual(e, at)) : norm(of_flesh);
  };
  const int turns = rig_.rod() ? most_rod_turns : polar ? most_turns : 1 + options_.refinements;
  const double least =
      least_strain * model_.young * model_.spacing * model_.spacing * std::sqrt(double(model_.nodes()));
  Points &x = scratch_.x, &r = scratch_.r;
  const auto forces = [&] { return std::max(least, e.residual(x, r)); };
  x = state_.nodes.x;
  for (int t = 0; t < turns; ++t) {
    out.kept_rotations += turn(x, polar || t > 0, *input.pool);
    double acting = forces(), left = unbalanced(x, r);
    if (t > 0 && left <= tolerance * acting) break;  // it changes no more
    ++out.steps;
    for (int k = 0; k < most_runs && left > 0.1 * tolerance * acting; ++k) {
      solve(e, r, reduction, most_iterations, x);
      if (!report.ok()) break;
      const double before = left;
      acting = forces(), left = unbalanced(x, r);
      if (!(left < 0.9 * before)) break;
    }
    out.residual = left / acting;
    out.force = left;
    if (!std::isfinite(left) || !report.ok()) break;
  }
  if (polar) {  // what is left with the rotations that these positions have
    turn(x, true, *input.pool);
    const double acting = forces();
    out.force = unbalanced(x, r);
    out.residual = out.force / acting;
  }
  if (!(out.residual <= tolerance)) {
    out.trouble = report.trouble;
    if (report.ok())
      out.trouble = fmt::format(
          "no balance after {} linear solves: {:.2g} of the acting forces is left, {:.2g} asked; raise "
          "--tolerance, or let `pliant run` with damping bring it to rest",
          out.steps, out.residual, tolerance);
    if (!std::isfinite(out.residual)) return out;
  }
  double way = 0;
  for (std::size_t i = 0; i < x.size(); ++i) way += (x[i] - state_.nodes.x[i]).squaredNorm();
  out.change = std::sqrt(way / double(x.size())) / model_.size;
  state_.nodes.x = x;
  std::fill(state_.nodes.v.begin(), state_.nodes.v.end(), Vec3::Zero());
  if (rig_.rod()) state_.rod = scratch_.rod;
  state_.past = Past::unknown;
  return out;
}

}  // namespace pliant::meshless
