// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/equation.hpp"

namespace pliant::geometric {

std::string ReducedEquation::set_matrix() {
  set_springs();
  return cache.matrix.prepare(model, scheme(), cache.holds, scratch.springs, report().refactored);
}

void ReducedEquation::set_springs() {
  ReducedSprings& springs = scratch.springs;
  springs = {};
  for (const Grab& grab : input().grabs) {
    const double stiffness = scheme().elastic * grab.stiffness;
    if (!(stiffness > 0) || cache.holds.holds(model.piece_of[grab.node])) continue;
    int k = 0;
    while (k < springs.count && springs.list[k].node != grab.node) ++k;
    Vec3& target = scratch.spring_targets[k];
    if (k == springs.count) {
      springs.list[springs.count++] = {grab.node, stiffness};
      target = grab.target;
    } else {
      springs.list[k].stiffness += stiffness;
      target += stiffness / springs.list[k].stiffness * (grab.target - target);
    }
  }
}

void ReducedEquation::predict(Past from, double share) {
  past = from;
  const Scheme& s = scheme();
  Coordinates &hat_z = scratch.hat_z, &hat_v = scratch.hat_v, &start = scratch.start, &base = scratch.base,
              &velocity = scratch.velocity;
  const Extrapolation by(from, input().h);
  hat_z = state.z + by.history * (state.z - state.z_before) + by.line * state.v;
  hat_v = state.v + by.history * (state.v - state.v_before);
  if (from == Past::curved) {
    hat_z += by.bend * scratch.acceleration;
    hat_v += by.line * scratch.acceleration;
  }
  start = hat_z + s.h * hat_v;
  cache.holds.each_prescribed(model, [&](Index c, const auto& prescribed) {
    start.row(c) = share * prescribed + (1 - share) * state.z.row(c);
  });

  velocity = s.mass * (start - hat_z - s.h * hat_v) + s.elastic * s.drag * hat_v;
  multiply(model.mass, velocity, base);
  for (int c = 0; c < 3; ++c) base.col(c) -= s.elastic * input().gravity[c] * model.sum;
  const std::span<const Vec3> forces = input().forces;
  for (std::size_t i = 0; i < forces.size(); ++i)
    for (int c = 0; c < 3; ++c)
      base.col(c) -= s.elastic * forces[i][c] * model.basis.columns.row(Eigen::Index(i)).transpose();
  if (cache.flow.on()) base += s.elastic * cache.flow.offset();
}

void ReducedEquation::residual(const Coordinates& z, bool renew_rotations, Coordinates& g) {
  const Scheme& s = scheme();
  Coordinates &velocity = scratch.velocity, &product = scratch.product;
  context.watch.add_to(&StageTimes::rhs);
  const Coordinates& sums = cache.sweeps.rotate(arrays(), z, renew_rotations, context.pool);
  context.watch.add_to(&StageTimes::rotation);
  multiply(model.stiffness, z, product);
  g = scratch.base + s.elastic * (product + sums);
  velocity = s.mass * (z - scratch.start);
  multiply(model.mass, velocity, product);
  g += product;
  for (int k = 0; k < scratch.springs.count; ++k) {
    const auto& [node, stiffness] = scratch.springs.list[k];
    const Vec3 pull = stiffness * (model.node_at(node, z) - scratch.spring_targets[k]);
    for (int c = 0; c < 3; ++c) g.col(c) += pull[c] * model.basis.columns.row(node).transpose();
  }
  if (s.inner_drag > 0) add_inner_drag(z, g);
}

void ReducedEquation::add_inner_drag(const Coordinates& z, Coordinates& g) {
  const Scheme& s = scheme();
  Coordinates &velocity = scratch.velocity, &product = scratch.product;
  velocity = (z - scratch.hat_z) / s.h;
  multiply(model.stiffness, velocity, product);
  if (options.damping_frame == DampingFrame::corotated) {
    double largest = 0;
    product -= cache.sweeps.turn(arrays(), velocity, largest, context.pool);
  }
  g += s.elastic * s.inner_drag * product;
}

double ReducedEquation::hessian(const Coordinates& p, Coordinates& out) {
  double largest = 0;
  const Coordinates& sums = cache.sweeps.turn(arrays(), p, largest, context.pool);
  multiply(cache.matrix.matrix(), p, out);
  out -= scheme().turning * sums;
  context.watch.add_to(&StageTimes::rhs);
  return largest;
}

void ReducedEquation::solve(const Coordinates& g, Coordinates& out) {
  context.watch.add_to(&StageTimes::rhs);
  multiply(cache.matrix.inverse(), g, out);
  context.watch.add_to(&StageTimes::solve);
}

double ReducedEquation::largest_turn(const Coordinates& d) {
  double largest = 0;
  cache.sweeps.turn(arrays(), d, largest, context.pool);
  return largest;
}

}  // namespace pliant::geometric
