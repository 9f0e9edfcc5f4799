// SPDX-License-Identifier: Apache-2.0
// One time step [Terzopoulos87, Eq. 26; Kelager05, Eq. 8]. With the displacement d of the step, the velocity
// v at its beginning, forces F at its beginning, outer forces f and drag C = alpha M:
//   [M/h^2 + C/(2h) + A] d = f + F(r) + (M/h - C/2) v,   r' = r + d,   v' = d/h                        (1)
// The papers' A is K(r), F = -K r: explicit for the stiffness 2 eta/H^2 of a constraint at rest, where K = 0,
// and indefinite where constraints are compressed. operator.hpp lists what takes its place; a matrix of at
// least half the Hessian is stable at any h. Damping of the deformation, beta, adds beta/h A on the left.
// Around it:
//   1. a free body is moved by its rigid motion first (rigid_motion.hpp), (1) is solved for the rest of the
//      motion in the moved frame, and its momenta are set to what the outer forces give: exact
//   2. contact forces of the last step are outer forces; the contact problem corrects them (contact_step.cpp)
//   3. lively: several steps of at most lively_step(), one after the other
// Everything in (1) is divided by unit/h^2.
#include "pliant/methods/metric/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::metric {
namespace {

constexpr int most_substeps = 2000;
constexpr int contact_passes = 3;  // solves of (1) a step under contact
constexpr int node_block = 2048;

Mat3 rotation_by(const Vec3& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Mat3(Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()) : Mat3(Mat3::Identity());
}

}  // namespace

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
  const int count = std::max(1, int(parts));
  if (count == 1) {
    substep(input, report, watch);
  } else {
    before_ = state_;
    StepInput part = input;
    part.h = input.h / count;
    for (int k = 1; k <= count && report.ok(); ++k) {
      targets_.resize(input.held.size());
      for (std::size_t n = 0; n < input.held.size(); ++n)
        targets_[n] = k == count
                          ? input.targets[n]
                          : Vec3(before_.nodes.x[input.held[n]] +
                                 double(k) / count * (input.targets[n] - before_.nodes.x[input.held[n]]));
      part.targets = targets_;
      substep(part, report, watch);
    }
    if (!report.ok()) state_ = before_;
  }
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

void Body::substep(const StepInput& input, StepReport& report, StageWatch& watch) {
  hold(input);
  const Scheme now = scheme(input);
  move_rigidly(input, now);
  evaluate(now, *input.pool);
  set_matrix(input, now);
  set_outer(input);
  recall_forces(!input.colliders.empty());
  first_guess(input, now);
  const int passes = input.colliders.empty() ? 1 : contact_passes;
  for (int pass = 0; pass < passes; ++pass) {
    set_right_side(input, now);
    watch.add_to(&StageTimes::rhs);
    solve(now, report, *input.pool);
    watch.add_to(&StageTimes::solve);
    end_of_step(input, now);
    if (!finite_end()) {
      report.trouble =
          "the step has no finite answer: take smaller steps, or set metric.integrator to stable";
      return;
    }
    if (now.split) keep_momentum(input, now);
    if (input.colliders.empty()) break;
    if (pass == 0)
      meet(input, now, report);
    else
      measure_response();
    if (contacts_.empty() && recalled_.empty()) break;
    const bool last = pass + 1 == passes;
    const double change = answer(last ? 1 : response_, input, report);
    if (last || change == 0) {
      move_by_impulses(input.h);
      break;
    }
    respond(now);
    watch.add_to(&StageTimes::contact);
  }
  if (!input.colliders.empty()) {
    position_pass(input, report);
    remember(input, report);
    watch.add_to(&StageTimes::contact);
    if (!finite_end()) {
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
  std::fill(held_.begin(), held_.end(), 0);
  for (const Index i : input.held) held_[i] = 1;
}

/// frame_x_, frame_v_ and loose_v_: rigid parts moved by their velocity, with what gravity and drag do to it,
/// and by R = exp(h w). The spin after the turn is that of the same angular momentum.
void Body::move_rigidly(const StepInput& input, const Scheme& s) {
  const Points &x = state_.nodes.x, &v = state_.nodes.v;
  if (!s.split) {
    std::copy(x.begin(), x.end(), frame_x_.begin());
    std::copy(v.begin(), v.end(), loose_v_.begin());
    std::fill(frame_v_.begin(), frame_v_.end(), Vec3::Zero());
    return;
  }
  measure(model_.part, model_.mass, x, v, rigid_);
  std::vector<RigidMotion>& end = rigid_end_;
  const double before = (1 - s.h * s.drag / 2) / (1 + s.h * s.drag / 2), push = s.h / (1 + s.h * s.drag / 2);
  for (std::size_t k = 0; k < rigid_.size(); ++k) {
    const Mat3 turn = rotation_by(s.h * rigid_[k].spin);
    end[k].inertia = turn;  // of this frame: kept where the loop below finds it
    end[k].spin = turned_by(turn * rigid_[k].inertia * turn.transpose(), before * rigid_[k].angular);
    end[k].velocity = before * rigid_[k].velocity + push * input.gravity;
    end[k].centre = rigid_[k].centre + s.h * end[k].velocity;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    const Vec3 arm = x[i] - rigid_[k].centre, turned = end[k].inertia * arm;
    const Vec3 loose = v[i] - rigid_[k].velocity - rigid_[k].spin.cross(arm);
    frame_x_[i] = end[k].centre + turned;
    frame_v_[i] = end[k].velocity + end[k].spin.cross(turned);
    loose_v_[i] = end[k].inertia * loose;
  }
}

void Body::evaluate(const Scheme& s, Pool& pool) {
  for (int c = 0; c < 3; ++c)
    for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
      for (Index i = begin; i < end; ++i) operator_->x[at(c, i)] = frame_x_[i][c];
    });
  MatrixForm form;
  form.integrator = options_.integrator;
  form.kappa = options_.kappa;
  form.factor = s.factor;
  form.scale = (s.h * s.h + s.h * s.inner_drag) / s.unit;
  operator_->evaluate(form, state_.metrics.empty() ? nullptr : state_.metrics.data(), pool);
}

/// The diagonal beside the elastic part, and which rows count.
void Body::set_matrix(const StepInput& input, const Scheme& s) {
  const double drag = 1 + s.h * s.drag / 2;
  for (Index i = 0; i < model_.nodes(); ++i) {
    const std::size_t p = at(0, i);
    operator_->mass[p] = float(drag * model_.mass[i] / s.unit);
    operator_->free[p] = held_[i] ? 0.0f : 1.0f;
  }
  for (const Grab& grab : input.grabs)
    operator_->mass[at(0, grab.node)] += float(s.h * s.h * grab.stiffness / s.unit);
  preconditioner_->prepare(*operator_, *input.pool);
}

void Body::set_outer(const StepInput& input) {
  if (input.forces.empty())
    std::fill(outer_.begin(), outer_.end(), Vec3::Zero());
  else
    std::copy(input.forces.begin(), input.forces.end(), outer_.begin());
}

void Body::set_right_side(const StepInput& input, const Scheme& s) {
  const double force = s.h * s.h / s.unit, motion = s.h * (1 - s.h * s.drag / 2) / s.unit;
  for_blocks(*input.pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const double m = model_.mass[i];
      const Vec3 given = s.split ? outer_[i] : Vec3(outer_[i] + m * input.gravity);
      for (int c = 0; c < 3; ++c) {
        const std::size_t k = at(c, i);
        b_[k] =
            held_[i] ? 0.0f : float(force * (operator_->force[k] + given[c]) + motion * m * loose_v_[i][c]);
      }
    }
  });
  for (const Grab& grab : input.grabs)
    if (!held_[grab.node])
      for (int c = 0; c < 3; ++c)
        b_[at(c, grab.node)] += float(force * grab.stiffness * (grab.target[c] - frame_x_[grab.node][c]));
}

/// As if nothing acted; held nodes go where they must.
void Body::first_guess(const StepInput& input, const Scheme& s) {
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) delta_[at(c, i)] = float(s.h * loose_v_[i][c]);
  for (std::size_t n = 0; n < input.held.size(); ++n)
    for (int c = 0; c < 3; ++c)
      delta_[at(c, input.held[n])] = float(input.targets[n][c] - frame_x_[input.held[n]][c]);
}

void Body::solve(const Scheme&, StepReport& report, Pool& pool) {
  const ConjugateGradients::Outcome solved = gradients_.solve(*operator_, *preconditioner_, b_, delta_,
                                                              options_.tolerance, options_.iterations, pool);
  report.iterations += solved.iterations;
  report.breakdowns += solved.broke;
  breakdowns_ += solved.broke;
}

void Body::end_of_step(const StepInput& input, const Scheme& s) {
  for_blocks(*input.pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Vec3 d(delta_[at(0, i)], delta_[at(1, i)], delta_[at(2, i)]);
      new_x_[i] = frame_x_[i] + d;
      new_v_[i] = frame_v_[i] + d / s.h;
    }
  });
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Index i = input.held[n];
    new_x_[i] = input.targets[n];
    new_v_[i] = (input.targets[n] - state_.nodes.x[i]) / s.h;
  }
}

/// (1) summed over a part: A and F have no resultant, F no torque, and A should have none:
///   (1 + alpha h/2) p' = (1 - alpha h/2) p + h sum f,   L alike with the torques about the centre.
void Body::keep_momentum(const StepInput& input, const Scheme& s) {
  measure(model_.part, model_.mass, new_x_, new_v_, rigid_end_);
  const double before = (1 - s.h * s.drag / 2) / (1 + s.h * s.drag / 2), push = s.h / (1 + s.h * s.drag / 2);
  // from now on rigid_end_ holds what is missing: momentum in velocity, angular momentum in angular
  for (std::size_t k = 0; k < rigid_.size(); ++k) {
    RigidMotion& end = rigid_end_[k];
    end.velocity = rigid_[k].mass * (before * rigid_[k].velocity + push * input.gravity - end.velocity);
    end.angular = before * rigid_[k].angular - end.angular;
  }
  const auto add = [&](Index i, const Vec3& force) {
    RigidMotion& end = rigid_end_[std::size_t(model_.part[i])];
    end.velocity += push * force;
    end.angular += push * (new_x_[i] - end.centre).cross(force);
  };
  for (Index i = 0; i < model_.nodes(); ++i)
    if (!outer_[i].isZero(0)) add(i, outer_[i]);
  for (const Grab& grab : input.grabs) add(grab.node, grab.stiffness * (grab.target - new_x_[grab.node]));
  for (RigidMotion& end : rigid_end_) {
    end.velocity /= end.mass;
    end.spin = turned_by(end.inertia, end.angular);
  }
  for (Index i = 0; i < model_.nodes(); ++i) {
    const RigidMotion& end = rigid_end_[std::size_t(model_.part[i])];
    new_v_[i] += end.velocity + end.spin.cross(new_x_[i] - end.centre);
  }
  for (Index i = 0; i < model_.nodes(); ++i)
    new_x_[i] += s.h * rigid_end_[std::size_t(model_.part[i])].velocity;
}

bool Body::finite_end() const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < new_x_.size(); ++i) sum += new_x_[i].cwiseAbs() + new_v_[i].cwiseAbs();
  return std::isfinite(sum.sum());
}

void Body::accept(const StepInput& input, const Scheme&) {
  state_.nodes.x.swap(new_x_);
  state_.nodes.v.swap(new_v_);
  state_.time += input.h;
  state_.response = response_;
  if (input.colliders.empty()) state_.contacts.clear();
}

StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t n = std::size_t(operator_->points()), matrix = operator_->matrix_bytes();
  // a conjugate-gradient iteration reads the matrix and passes over 12 vectors; the ends of a step pass over
  // positions, forces and velocities in double precision
  const std::size_t iteration = matrix + 12 * 3 * sizeof(float) * n;
  const std::size_t ends = matrix + 3 * sizeof(double) * (2 * n + 10 * model_.rest.size());
  StepTraffic out;
  out.moved = ends + std::size_t(report.iterations + 1) * iteration;
  out.working_set =
      matrix + 3 * n * (2 * sizeof(double) + 6 * sizeof(float)) + model_.rest.size() * 8 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::metric
