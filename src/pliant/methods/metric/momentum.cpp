// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/momentum.hpp"

namespace pliant::metric {
namespace {

Mat3 rotation_by(const Vec3& turn) {
  const double angle = turn.norm();
  return angle > 0 ? Mat3(Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix()) : Mat3(Mat3::Identity());
}

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
}

void Momentum::measure_start(const Context& step, const NodeState& now) {
  measure(model_.part, model_.mass, now.x, now.v, start_, step.pool, scratch_);
  const double h = step.scheme.h;
  const Kept kept(step.scheme);
  for (std::size_t k = 0; k < start_.size(); ++k) {
    const RigidMotion& part = start_[k];
    Frame& f = frames_[k];
    f.from = part.centre, f.drift = part.velocity, f.spin = part.spin;
    f.turn = rotation_by(h * part.spin);
    f.outward = 2 * Mat3::Identity() - f.turn - f.turn.transpose();
    f.velocity = kept.before * part.velocity + kept.push * step.input.gravity;
    f.new_spin = turned_by(f.turn * part.inertia * f.turn.transpose(), kept.before * part.angular);
    f.to = part.centre + h * f.velocity;
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
    f.missing_spin = turned_by(end.inertia, f.angular - end.angular);
    f.missing_velocity = f.momentum / start.mass - end.velocity;
    f.shift = start.centre + step.scheme.h / start.mass * f.momentum - end.centre;
  }
  for_blocks(step.pool, int(model_.nodes()), Equation::node_block, [&](int begin, int until) {
    for (Index i = begin; i < until; ++i) {
      const std::size_t k = std::size_t(model_.part[i]);
      const Frame& f = frames_[k];
      v[i] += f.missing_velocity + f.missing_spin.cross(x[i] - end_[k].centre);
      x[i] += f.shift;
    }
  });
}

}  // namespace pliant::metric
