// SPDX-License-Identifier: Apache-2.0
// One time step [Terzopoulos87, Eq. 26; Kelager05, Eq. 8]. With the displacement d of the step, the velocity
// v at its beginning, forces F at its beginning, outer forces f and drag C = alpha M:
//   [M/h^2 + C/(2h) + A] d = f + F(r) + (M/h - C/2) v,   r' = r + d,   v' = d/h                        (1)
// The papers' A is K(r), F = -K r: explicit for the stiffness 2 eta/H^2 of a constraint at rest, where K = 0,
// and indefinite where constraints are compressed. operator.hpp lists what takes its place; a matrix of at
// least half the Hessian is stable at any h. Damping of the deformation, beta, adds beta/h A on the left.
// Around it:
//   1. a free body is moved by its rigid motion first (rigid_motion.hpp), (1) is solved for the rest of the
//      motion in the moved frame, with that frame's centrifugal term, and its momenta are set to what the
//      outer forces give: exact
//   2. contact forces of the last step are outer forces; the contact problem corrects them (contact.cpp)
//   3. lively: several steps of at most lively_step(), one after the other
// Everything in (1) is divided by unit/h^2.
#include "pliant/methods/metric/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::metric {
namespace {

constexpr int most_substeps = 2000;
constexpr int most_halves = 64;    // substeps of an impact
constexpr int contact_passes = 3;  // solves of (1) a step under contact

Mat3 rotation_by(const Vec3& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Mat3(Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()) : Mat3(Mat3::Identity());
}

}  // namespace

/// part(node, place, count) for nodes [begin, end) in pieces that lie side by side also in the operator.
template <class Part>
void Body::each_run(int begin, int end, Part&& part) const {
  for (int i = begin; i < end;) {
    const int last = std::min(int(run_end_[std::size_t(i)]), end);
    part(i, operator_->place(i), last - i);
    i = last;
  }
}

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (!report.ok()) return report;
  return whole_step(input);
}

/// One substep, or for the lively scheme as many as it needs; held nodes go to their targets in a straight
/// line.
StepReport Body::whole_step(const StepInput& input) {
  StageWatch watch;
  StepReport report;
  report.breakdowns = 0;
  double parts = 1;
  if (options_.integrator == Integrator::lively) {
    double factor = factor_at(options_.keys, state_.time);
    factor = std::max(factor, factor_at(options_.keys, state_.time + input.h));
    parts = std::ceil(input.h * std::sqrt(factor) / lively_step());
  }
  if (!(parts <= most_substeps)) {
    report.trouble = fmt::format(
        "integrator lively would need {:.0f} substeps in a step: set metric.integrator to stable or accurate",
        parts);
    return report;
  }
  // A step that tore the body (contact.cpp, tears) was too long for the impact: it is done again in
  // halves.
  int count = std::max(1, int(parts));
  const StepReport fresh = report;
  if (count > 1 || !input.colliders.empty()) before_ = state_;
  for (;; count *= 2) {
    substeps(count, input, report, watch);
    const bool again = report.ok() && torn_ && 2 * count <= most_halves;
    if (!report.ok() || again) state_ = before_;
    if (!again) break;
    report = fresh;
  }
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

void Body::substeps(int count, const StepInput& input, StepReport& report, StageWatch& watch) {
  torn_ = false;
  StepInput part = input;
  part.h = input.h / count;
  for (int k = 1; k <= count && report.ok() && !(torn_ && 2 * count <= most_halves); ++k) {
    targets_.resize(input.held.size());
    for (std::size_t n = 0; n < input.held.size(); ++n) {
      const Index i = input.held[n];
      targets_[n] =
          k == count ? input.targets[n]
                     : Vec3(before_.nodes.x[i] + double(k) / count * (input.targets[n] - before_.nodes.x[i]));
    }
    part.targets = targets_;
    substep(part, report, watch);
  }
}

void Body::substep(const StepInput& input, StepReport& report, StageWatch& watch) {
  hold(input);
  const Scheme now = scheme(input);
  move_rigidly(input, now);
  evaluate(now, *input.pool);
  set_matrix(input, now);
  set_outer(input);
  recall_forces(!input.colliders.empty());
  set_right_side(input, now);
  const int passes = input.colliders.empty() ? 1 : contact_passes;
  for (int pass = 0; pass < passes; ++pass) {
    watch.add_to(&StageTimes::rhs);
    solve(now, report, *input.pool);
    watch.add_to(&StageTimes::solve);
    if (!end_of_step(input, now)) {
      report.trouble =
          "the step has no finite answer: take smaller steps, or set metric.integrator to stable";
      return;
    }
    if (now.split) keep_momentum(input, now);
    if (input.colliders.empty()) break;
    if (pass == 0)
      meet(input, now);
    else
      measure_response();
    if (stage_.empty() && recalled_.empty()) break;
    const bool last = pass + 1 == passes;
    const double change = answer(last ? 1 : response_, input, report);
    solved_x_ = new_x_;
    if (last || change == 0) {
      move_by_impulses(input.h);
      break;
    }
    respond(now, *input.pool);
    watch.add_to(&StageTimes::contact);
  }
  if (!input.colliders.empty()) {
    position_pass(input, report);
    torn_ = torn_ || tears(input);
    stage_.tell(report);
    stage_.remember(input.h, state_.contact);
    watch.add_to(&StageTimes::contact);
    if (!finite_end(*input.pool)) {
      report.trouble = "contact has no finite answer: take smaller steps";
      return;
    }
  }
  accept(input, now);
  if (options_.plasticity) flow(input.h, report);
}

Body::Scheme Body::scheme(const StepInput& input) const {
  Scheme s;
  s.h = input.h;
  s.drag = damping_.mass;
  s.inner_drag = damping_.stiffness;
  s.unit = unit_;
  s.factor = factor_at(options_.keys, state_.time + input.h);
  s.split = options_.keep_momentum && options_.integrator != Integrator::paper && input.held.empty();
  return s;
}

void Body::hold(const StepInput& input) {
  for (const Index i : held_nodes_) held_[i] = 0, operator_->free[at(0, i)] = 1;
  held_nodes_.assign(input.held.begin(), input.held.end());
  for (const Index i : held_nodes_) held_[i] = 1, operator_->free[at(0, i)] = 0;
}

/// Positions and displacements of no force, in the operator's x and delta_: rigid parts moved by their
/// velocity, with what gravity and drag do to it, and by R = exp(h w). The spin after the turn is that of the
/// same angular momentum. With the arm a from the centre, what is left of the velocity, l = v - v_c - w x a,
/// obeys dl/dt = F/m - w x l - w x (w x a) - dw/dt x a: it turns back by R^T, and the centrifugal term is
/// minus the second difference of the turning arms, (2 - R - R^T) R a, which is bounded for any h. The last
/// term is left to keep_momentum(). Held nodes go where they must.
void Body::move_rigidly(const StepInput& input, const Scheme& s) {
  const Points &x = state_.nodes.x, &v = state_.nodes.v;
  if (s.split) set_frames(input, s);
  const std::size_t n = std::size_t(operator_->points());
  double* const to[3] = {operator_->x.data(), operator_->x.data() + n, operator_->x.data() + 2 * n};
  float* const along[3] = {delta_.data(), delta_.data() + n, delta_.data() + 2 * n};
  const std::span<const Index> places = operator_->places();
  const auto put = [&](Index i, const Vec3& at, const Vec3& way) {
    const Index p = places[i];
    for (int c = 0; c < 3; ++c) to[c][p] = at[c], along[c][p] = float(way[c]);
  };
  for_blocks(*input.pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    if (!s.split) {
      const StateSweep sweep{
          x[0].data(), v[0].data(), s.h, {to[0], to[1], to[2]}, {along[0], along[1], along[2]}};
      each_run(begin, end, [&](int node, int place, int count) {
        stencil_kernels().to_points(sweep, node, place, count);
      });
      return;
    }
    for (Index i = begin; i < end; ++i) {
      const Frame& f = frames_[std::size_t(model_.part[i])];
      const Vec3 arm = x[i] - f.from;
      const Vec3 turned = f.turn * arm, loose = v[i] - f.drift - f.spin.cross(arm);
      put(i, f.to + turned, s.h * f.turn.transpose() * loose + f.outward * turned);
    }
  });
  for (std::size_t k = 0; k < input.held.size(); ++k)
    for (int c = 0; c < 3; ++c)
      delta_[at(c, input.held[k])] = float(input.targets[k][c] - x[input.held[k]][c]);
}

void Body::set_frames(const StepInput& input, const Scheme& s) {
  measure(model_.part, model_.mass, state_.nodes.x, state_.nodes.v, rigid_, *input.pool, moments_);
  const double before = (1 - s.h * s.drag / 2) / (1 + s.h * s.drag / 2), push = s.h / (1 + s.h * s.drag / 2);
  for (std::size_t k = 0; k < rigid_.size(); ++k) {
    const RigidMotion& now = rigid_[k];
    Frame& f = frames_[k];
    f.from = now.centre, f.drift = now.velocity, f.spin = now.spin;
    f.turn = rotation_by(s.h * now.spin);
    f.outward = 2 * Mat3::Identity() - f.turn - f.turn.transpose();
    f.velocity = before * now.velocity + push * input.gravity;
    f.new_spin = turned_by(f.turn * now.inertia * f.turn.transpose(), before * now.angular);
    f.to = now.centre + s.h * f.velocity;
  }
}

void Body::evaluate(const Scheme& s, Pool& pool) {
  MatrixForm form;
  form.integrator = options_.integrator;
  form.kappa = options_.kappa;
  form.factor = s.factor;
  form.scale = (s.h * s.h + s.h * s.inner_drag) / s.unit;
  operator_->evaluate(form, state_.metrics.empty() ? nullptr : state_.metrics.data(), pool);
}

/// The diagonal beside the elastic part.
void Body::set_matrix(const StepInput& input, const Scheme& s) {
  const StencilKernels& kernels = stencil_kernels();
  const float drag = float(1 + s.h * s.drag / 2);
  operator_->sweep(*input.pool, [&](int begin, int end) {
    kernels.times(drag, relative_mass_.data(), operator_->mass.data(), begin, end);
  });
  for (const Grab& grab : input.grabs)
    operator_->mass[at(0, grab.node)] += float(s.h * s.h * grab.stiffness / s.unit);
  preconditioner_->prepare(*operator_, *input.pool);
}

void Body::set_outer(const StepInput& input) {
  has_outer_ = !input.forces.empty() || !input.colliders.empty();
  if (!has_outer_) return;
  if (input.forces.empty())
    std::fill(outer_.begin(), outer_.end(), Vec3::Zero());
  else
    std::copy(input.forces.begin(), input.forces.end(), outer_.begin());
}

void Body::set_right_side(const StepInput& input, const Scheme& s) {
  const std::size_t n = std::size_t(operator_->points());
  RightSideSweep sweep{};
  for (std::size_t c = 0; c < 3; ++c) {
    sweep.elastic[c] = operator_->force.data() + c * n;
    sweep.along[c] = delta_.data() + c * n, sweep.out[c] = b_.data() + c * n;
    sweep.fall[c] = s.split ? 0.0f : float(s.h * s.h * input.gravity[int(c)]);
  }
  sweep.mass = relative_mass_.data(), sweep.free = operator_->free.data();
  sweep.force = s.h * s.h / s.unit, sweep.motion = float(1 - s.h * s.drag / 2);
  const StencilKernels& kernels = stencil_kernels();
  operator_->sweep(*input.pool, [&](int begin, int end) { kernels.right_side(sweep, begin, end); });
  if (has_outer_) add_to_right_side(outer_, sweep.force, *input.pool);
  for (const Grab& grab : input.grabs)
    if (!held_[grab.node])
      for (int c = 0; c < 3; ++c) {
        const std::size_t k = at(c, grab.node);
        b_[k] += float(sweep.force * grab.stiffness * (grab.target[c] - operator_->x[k]));
      }
}

void Body::add_to_right_side(std::span<const Vec3> forces, double factor, Pool& pool) {
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i)
      if (!held_[i] && !forces[i].isZero(0))
        for (int c = 0; c < 3; ++c) b_[at(c, i)] += float(factor * forces[i][c]);
  });
}

void Body::solve(const Scheme&, StepReport& report, Pool& pool) {
  const ConjugateGradients::Outcome solved = gradients_.solve(*operator_, *preconditioner_, b_, delta_,
                                                              options_.tolerance, options_.iterations, pool);
  report.iterations += solved.iterations;
  report.breakdowns += solved.broke;
  breakdowns_ += solved.broke;
}

/// False: not finite.
bool Body::end_of_step(const StepInput& input, const Scheme& s) {
  const std::size_t n = std::size_t(operator_->points());
  const double* const from[3] = {operator_->x.data(), operator_->x.data() + n, operator_->x.data() + 2 * n};
  const float* const along[3] = {delta_.data(), delta_.data() + n, delta_.data() + 2 * n};
  const EndSweep sweep{{from[0], from[1], from[2]},
                       {along[0], along[1], along[2]},
                       1 / s.h,
                       new_x_[0].data(),
                       new_v_[0].data()};
  for_blocks(*input.pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    double sum = 0;
    each_run(begin, end, [&](int node, int place, int count) {
      sum += stencil_kernels().to_nodes(sweep, node, place, count);
    });
    if (s.split)
      for (Index i = begin; i < end; ++i) {
        const Frame& f = frames_[std::size_t(model_.part[i])];
        new_v_[i] += f.velocity + f.new_spin.cross(new_x_[i] - f.to);
      }
    block_sums_[std::size_t(begin / node_block)] = sum;
  });
  for (std::size_t k = 0; k < input.held.size(); ++k) {
    const Index i = input.held[k];
    new_x_[i] = input.targets[k];
    new_v_[i] = (input.targets[k] - state_.nodes.x[i]) / s.h;
  }
  return finite_sums();
}

bool Body::finite_sums() const {
  return std::isfinite(std::accumulate(block_sums_.begin(), block_sums_.end(), 0.0));
}

/// (1) summed over a part: A and F have no resultant, F no torque, and A should have none:
///   (1 + alpha h/2) p' = (1 - alpha h/2) p + h sum f,   L alike with the torques about the centre,
/// which goes where p' takes it: then the angular momentum about any point is kept.
void Body::keep_momentum(const StepInput& input, const Scheme& s) {
  measure(model_.part, model_.mass, new_x_, new_v_, rigid_end_, *input.pool, moments_);
  const double before = (1 - s.h * s.drag / 2) / (1 + s.h * s.drag / 2), push = s.h / (1 + s.h * s.drag / 2);
  for (std::size_t k = 0; k < rigid_.size(); ++k) {
    frames_[k].momentum = rigid_[k].mass * (before * rigid_[k].velocity + push * input.gravity);
    frames_[k].angular = before * rigid_[k].angular;
  }
  const auto add = [&](Index i, const Vec3& force) {
    const std::size_t k = std::size_t(model_.part[i]);
    frames_[k].momentum += push * force;
    frames_[k].angular += push * (new_x_[i] - rigid_end_[k].centre).cross(force);
  };
  if (has_outer_)
    for (Index i = 0; i < model_.nodes(); ++i)
      if (!outer_[i].isZero(0)) add(i, outer_[i]);
  for (const Grab& grab : input.grabs) add(grab.node, grab.stiffness * (grab.target - new_x_[grab.node]));
  for (std::size_t k = 0; k < rigid_.size(); ++k) {
    Frame& f = frames_[k];
    const RigidMotion &start = rigid_[k], &end = rigid_end_[k];
    f.missing_spin = turned_by(end.inertia, f.angular - end.angular);
    f.missing_velocity = f.momentum / start.mass - end.velocity;
    f.shift = start.centre + s.h / start.mass * f.momentum - end.centre;
  }
  for_blocks(*input.pool, int(model_.nodes()), node_block, [&](int begin, int until) {
    for (Index i = begin; i < until; ++i) {
      const std::size_t k = std::size_t(model_.part[i]);
      const Frame& f = frames_[k];
      new_v_[i] += f.missing_velocity + f.missing_spin.cross(new_x_[i] - rigid_end_[k].centre);
      new_x_[i] += f.shift;
    }
  });
}

bool Body::finite_end(Pool& pool) {
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    Vec3 sum = Vec3::Zero();
    for (Index i = begin; i < end; ++i) sum += new_x_[i].cwiseAbs() + new_v_[i].cwiseAbs();
    block_sums_[std::size_t(begin / node_block)] = sum.sum();
  });
  return finite_sums();
}

void Body::accept(const StepInput& input, const Scheme&) {
  state_.nodes.x.swap(new_x_);
  state_.nodes.v.swap(new_v_);
  state_.time += input.h;
  state_.response = response_;
  if (input.colliders.empty()) state_.contact.memories.clear();
}

StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t nodes = model_.rest.size(),
                    n = model_.on_grid ? std::size_t(model_.grid.end - model_.grid.begin) : nodes;
  const std::size_t matrix = operator_->matrix_bytes(), vector = 3 * sizeof(float) * n;
  // An iteration: the matrix and two vectors, three of the residual, five of x and the next direction, and
  // where z is stored two more and what a cycle moves.
  const bool stored = preconditioner_->scales() == nullptr;
  const std::size_t iteration = matrix + (stored ? 12 : 10) * vector + preconditioner_->applied_bytes();
  // The ends: state to positions and displacements and back; forces and weights from positions; diagonal;
  // right side; first residual.
  const std::size_t ends =
      nodes * 4 * sizeof(Vec3) + n * (3 * 4 + 1) * sizeof(double) + 3 * matrix + 10 * vector;
  StepTraffic out;
  out.moved = ends + std::size_t(report.iterations) * iteration;
  out.working_set = matrix + n * 7 * sizeof(double) + (stored ? 6 : 5) * vector +
                    preconditioner_->memory_bytes() + nodes * 4 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::metric
