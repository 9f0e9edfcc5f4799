// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/momentum.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::metric {
namespace {

/// What a step with drag keeps of a momentum, and what a force adds to it.
struct Kept {
  double before, push;
  explicit Kept(const Scheme& s)
      : before((1 - s.h * s.drag / 2) / (1 + s.h * s.drag / 2)), push(s.h / (1 + s.h * s.drag / 2)) {}
};

}  // namespace

Momentum::Momentum(const Model& model) : model_(model), start_(std::size_t(model.parts)) {
  end_ = start_;
  frames_.resize(start_.size());
  answers_.resize(start_.size());
  fastest_.assign(model.rest.size() / Equation::node_block + 1, 0.0);
}

void Momentum::measure_start(const Context& step, const NodeState& now, bool flies) {
  measure(model_.part, model_.mass, now.x, now.v, start_, step.pool, scratch_);
  const double h = step.scheme.h;
  const Kept kept(step.scheme);
  for (std::size_t k = 0; k < start_.size(); ++k) {
    const RigidMotion& part = start_[k];
    Frame& f = frames_[k];
    f.from = part.centre, f.drift = part.velocity, f.spin = part.spin;
    f.turn = free_turn(part.inertia, part.angular, h);
    f.outward = 2 * Mat3::Identity() - f.turn - f.turn.transpose();
    f.velocity = kept.before * part.velocity + kept.push * step.input.gravity;
    f.new_spin = turned_by(f.turn * part.inertia * f.turn.transpose(), kept.before * part.angular);
    f.lag = flies ? Vec3(h / 2 * (f.velocity - part.velocity)) : Vec3(Vec3::Zero());
    f.to = part.centre + h * f.velocity - f.lag;
  }
}

void Momentum::keep(const Context& step, std::span<const Vec3> forces, Points& x, Points& v) {
  measure(model_.part, model_.mass, x, v, end_, step.pool, scratch_);
  const Kept kept(step.scheme);
  for (std::size_t k = 0; k < start_.size(); ++k) {
    frames_[k].momentum =
        start_[k].mass * (kept.before * start_[k].velocity + kept.push * step.input.gravity);
    frames_[k].angular = kept.before * start_[k].angular;
  }
  const auto add = [&](Index i, const Vec3& force) {
    const std::size_t k = std::size_t(model_.part[i]);
    frames_[k].momentum += kept.push * force;
    frames_[k].angular += kept.push * (x[i] - end_[k].centre).cross(force);
  };
  for (std::size_t i = 0; i < forces.size(); ++i)
    if (!forces[i].isZero(0)) add(Index(i), forces[i]);
  for (const Grab& grab : step.input.grabs) add(grab.node, grab.stiffness * (grab.target - x[grab.node]));
  for (std::size_t k = 0; k < start_.size(); ++k) {
    Frame& f = frames_[k];
    const RigidMotion &start = start_[k], &end = end_[k];
    const double h = step.scheme.h;
    f.end_velocity = f.momentum / start.mass;
    f.end_centre = start.centre + h * f.end_velocity - f.lag;
    // the turn that the solve made, and the one that the outer torques ask for
    const Vec3 made = h * (end.spin - f.new_spin);
    const Vec3 asked = h * turned_by(end.inertia, f.angular - kept.before * start.angular);
    f.rest_turn = rotation_by(asked - made);
    const Mat3 inverse = inverse_inertia(f.rest_turn * end.inertia * f.rest_turn.transpose());
    f.end_spin = inverse * f.angular;
    const double drag = 1 + h * step.scheme.drag / 2;
    answers_[k] = {f.end_centre, 1 / (drag * start.mass), inverse / drag};
  }
  for_blocks(step.pool, int(model_.nodes()), Equation::node_block, [&](int begin, int until) {
    double most = 0;
    for (Index i = begin; i < until; ++i) {
      const std::size_t k = std::size_t(model_.part[i]);
      const Frame& f = frames_[k];
      const Vec3 arm = x[i] - end_[k].centre, loose = v[i] - end_[k].velocity - end_[k].spin.cross(arm);
      const Vec3 turned = f.rest_turn * arm;
      most = std::max(most, loose.squaredNorm());
      x[i] = f.end_centre + turned;
      v[i] = f.end_velocity + f.end_spin.cross(turned) + f.rest_turn * loose;
    }
    fastest_[std::size_t(begin / Equation::node_block)] = most;
  });
  slow_down(step, x, v);
}

/// What is left of the velocities carries no node farther than the size of the body in a step, and no momentum
/// with it. A body that was stretched a thousandfold would fly apart: forces at the beginning of a step know
/// nothing of the strain at its end.
void Momentum::slow_down(const Context& step, const Points& x, Points& v) const {
  const double fastest = std::sqrt(*std::max_element(fastest_.begin(), fastest_.end()));
  const double allowed = model_.size / step.scheme.h;
  if (!(fastest > allowed)) return;
  for_blocks(step.pool, int(model_.nodes()), Equation::node_block, [&](int begin, int until) {
    for (Index i = begin; i < until; ++i) {
      const Frame& f = frames_[std::size_t(model_.part[i])];
      const Vec3 rigid = f.end_velocity + f.end_spin.cross(x[i] - f.end_centre);
      v[i] = rigid + allowed / fastest * (v[i] - rigid);
    }
  });
}

}  // namespace pliant::metric
