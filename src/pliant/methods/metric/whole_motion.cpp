// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/whole_motion.hpp"

namespace pliant::metric {

void WholeMotion::start(const StepInput& input, const NodeState& now, double time, Points& x) {
  now_.resize(std::size_t(model_.parts));
  turn_.resize(now_.size()), origin_.resize(now_.size()), shift_.resize(now_.size());
  measure(model_.part, model_.mass, now.x, now.v, now_, *input.pool, sums_);
  freedom_.assign(now_.size(), RigidFreedom(model_.size));
  for (std::size_t k = 0; k < now_.size(); ++k) origin_[k] = now_[k].centre, shift_[k] = now_[k].velocity;
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const std::size_t i = std::size_t(input.held[n]), k = std::size_t(model_.part[i]);
    if (freedom_[k].shifts()) origin_[k] = now.x[i], shift_[k] = (input.targets[n] - now.x[i]) / time;
    freedom_[k].hold(input.targets[n]);
  }
  for (std::size_t k = 0; k < now_.size(); ++k)
    turn_[k] = freedom_[k].shifts() ? free_turn(now_[k].inertia, now_[k].angular, time)
                                    : rotation_by(time * now_[k].spin);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    if (freedom_[k].turns() == 0) {
      x[i] = now.x[i] + time * now.v[i];
      continue;
    }
    const Vec3 arm = now.x[i] - origin_[k], loose = now.v[i] - shift_[k] - now_[k].spin.cross(arm);
    x[i] = origin_[k] + time * shift_[k] + turn_[k] * (arm + time * loose);
  }
  for (std::size_t n = 0; n < input.held.size(); ++n) x[std::size_t(input.held[n])] = input.targets[n];
}

void WholeMotion::balance(const StepInput& input, const ImplicitScheme& s, Scratch& scratch) {
  Points& x = scratch.x;
  balance_.assign(freedom_.size(), {});
  origin_.resize(freedom_.size()), shift_.resize(freedom_.size()), turn_.resize(freedom_.size());
  bool any = false;
  for (std::size_t k = 0; k < freedom_.size(); ++k) {
    origin_[k] = freedom_[k].shifts() ? now_[k].centre : freedom_[k].pivot();
    any = any || freedom_[k].turns() > 0;
  }
  if (!any) return;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    if (freedom_[k].turns() == 0 || scratch.held[i]) continue;
    const double mass = s.mass * model_.mass[i];
    Vec3 residual = mass * (x[i] - scratch.target[i]);
    if (!input.forces.empty()) residual -= s.elastic * input.forces[i];
    balance_[k].add(mass, x[i] - origin_[k], residual);
  }
  for (const Grab& grab : input.grabs) {
    const std::size_t i = std::size_t(grab.node), k = std::size_t(model_.part[i]);
    if (freedom_[k].turns() == 0 || scratch.held[i]) continue;
    balance_[k].add(s.elastic * grab.stiffness, x[i] - origin_[k],
                    s.elastic * grab.stiffness * (x[i] - grab.target));
  }
  for (std::size_t k = 0; k < freedom_.size(); ++k) {
    Vec3 w = Vec3::Zero();
    shift_[k] = w;
    if (freedom_[k].turns() > 0) balance_[k].solve(freedom_[k], shift_[k], w);
    turn_[k] = rotation_by(w);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    if (freedom_[k].turns() == 0 || scratch.held[i]) continue;
    x[i] = origin_[k] + shift_[k] + turn_[k] * (x[i] - origin_[k]);
  }
}

void WholeMotion::keep(const StepInput& input, const ImplicitScheme& s, Past past, const State& state,
                       Scratch& scratch) {
  const std::size_t parts = now_.size();
  const Points& hat = scratch.hat_x;
  Points &x = scratch.x, &v = scratch.v;
  const auto load = [&](std::size_t i) {
    return input.forces.empty() ? Vec3(Vec3::Zero()) : input.forces[i];
  };
  // P: s.mass P_new = P^ + h' (f - alpha P^) + ..., which scratch.target holds node by node
  shift_.assign(parts, Vec3::Zero());
  for (std::size_t i = 0; i < x.size(); ++i)
    shift_[std::size_t(model_.part[i])] +=
        model_.mass[i] * (scratch.target[i] - x[i]) + s.elastic / s.mass * load(i);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    x[i] += shift_[k] / now_[k].mass;
    v[i] = (x[i] - hat[i]) / s.h;
  }
  // L
  hat_.resize(parts), before_.resize(parts), moments_.assign(parts, Mat3::Zero());
  measure(model_.part, model_.mass, hat, v, hat_, *input.pool, sums_);
  if (past == Past::known)
    measure(model_.part, model_.mass, state.x_before, state.v_before, before_, *input.pool, sums_);
  if (past == Past::curved)  // L_n-1 = L_n - h tau, tau = sum m r x a
    measure(model_.part, model_.mass, state.nodes.x, scratch.acceleration, before_, *input.pool, sums_);
  std::vector<Vec3>& wanted = origin_;
  wanted.resize(parts);
  for (std::size_t k = 0; k < parts; ++k) {
    wanted[k] = now_[k].angular;
    if (past == Past::known) wanted[k] += (now_[k].angular - before_[k].angular) / 3;
    if (past == Past::curved) wanted[k] += input.h / 3 * before_[k].angular;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    const Vec3 arm = x[i] - hat_[k].centre - s.h * hat_[k].velocity;
    moments_[k] += arm * (model_.mass[i] * (hat[i] - hat_[k].centre)).transpose();
    if (!input.forces.empty()) wanted[k] += s.h * arm.cross(input.forces[i]);
  }
  for (std::size_t k = 0; k < parts; ++k) {
    const SpinTurn turn = turn_for(moments_[k], s.h * (wanted[k] / s.mass - hat_[k].angular));
    turn_[k] = turn.change;
    const bool left = turn.left.norm() > 1e-13 * s.h * wanted[k].norm();
    shift_[k] = left ? turned_by(hat_[k].inertia, turn.left) : Vec3(Vec3::Zero());
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t k = std::size_t(model_.part[i]);
    x[i] += turn_[k] * (x[i] - hat_[k].centre - s.h * hat_[k].velocity) +
            shift_[k].cross(hat[i] - hat_[k].centre);
  }
}

}  // namespace pliant::metric
