// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/momentum.hpp"

#include <cmath>

#include "pliant/methods/meshless/energy.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::meshless {

bool runs_ahead(const Rig& rig, const Options& options) {
  return rig.empty() && options.rotations == Rotations::polar && options.warping == Warping::cell;
}

void run_ahead(const Model& model, double h, State& state, Scratch& scratch) {
  const NodeState& now = state.nodes;
  std::vector<Eigen::Quaterniond>& part_turn = scratch.part_turn;
  for (std::size_t p = 0; p < model.parts.size(); ++p) {
    const Spin spinning = spin(model.parts[p], model.mass, now.x, now.v);
    const Vec3 turn = h * rotation_rate(model.parts[p], model.mass, now.x, spinning.angular);
    const double angle = turn.norm();
    part_turn[p] = Eigen::Quaterniond::Identity();
    if (angle > 0) part_turn[p] = Eigen::Quaterniond(Eigen::AngleAxisd(angle, turn / angle));
  }
  for (Index c = 0; c < model.cells.count(); ++c) {
    const Index node = model.cells.node[std::size_t(model.cells.begin[std::size_t(c)])];
    const std::size_t part = std::size_t(model.part_of[std::size_t(node)]);
    set_quaternion(state.turned, c, part_turn[part] * quaternion(state.turned, c));
  }
}

void balance_rigid_motion(const Equation& e, Points& x) {
  const StepInput& input = e.input();
  const Scheme& s = e.scheme();
  const Model& model = e.model;
  const Gather &rows = e.cache.rows, &at = model.at_nodes;
  const Points &hat_x = e.scratch.hat_x, &hat_v = e.scratch.hat_v, &targets = e.scratch.targets;
  const auto part_of_row = [&](const Gather& of, std::size_t n) {
    return model.part_of[std::size_t(of.column[std::size_t(of.begin[n])])];
  };
  for (Index p = 0; p < Index(model.parts.size()); ++p) {
    const std::vector<Index>& part = model.parts[std::size_t(p)];
    RigidFreedom left(model.size);
    for (std::size_t n = 0; n < targets.size() && left.turns() > 0; ++n)
      if (part_of_row(rows, n) == p) left.hold(targets[n]);
    if (left.turns() == 0) continue;
    const Vec3 origin = left.shifts() ? x[std::size_t(part[0])] : left.pivot();
    RigidBalance balance;
    for (const Index i : part) {
      const std::size_t n = std::size_t(i);
      const Vec3 v = (x[n] - hat_x[n]) / s.h;
      Vec3 out = model.mass[n] * ((v - hat_v[n]) / s.h + s.drag * v - input.gravity);
      if (!input.forces.empty()) out -= input.forces[n];
      balance.add(s.mass * model.mass[n], x[n] - origin, out);
    }
    const auto spring = [&](const Gather& of, std::size_t n, double stiffness, const Vec3& target) {
      if (part_of_row(of, n) != p) return;
      Vec3 field = Vec3::Zero();
      for (std::size_t k = std::size_t(of.begin[n]); k < std::size_t(of.begin[n + 1]); ++k)
        field += of.weight[k] * x[std::size_t(of.column[k])];
      balance.add(stiffness, field - origin, stiffness * (field - target));
    };
    for (std::size_t n = 0; n < targets.size(); ++n) spring(rows, n, e.hold_stiffness(), targets[n]);
    for (const Grab& grab : input.grabs) spring(at, std::size_t(grab.node), grab.stiffness, grab.target);
    Vec3 u, w;
    balance.solve(RigidFreedom(model.size), u, w);  // holds are springs: all motions are free
    for (const Index i : part) x[std::size_t(i)] += u + w.cross(x[std::size_t(i)] - origin);
  }
}

void keep_momentum(const Equation& e, std::span<const Vec3> contact, Points& x) {
  const StepInput& input = e.input();
  const Scheme& s = e.scheme();
  const Model& model = e.model;
  const NodeState& now = e.state.nodes;
  const Points &hat_x = e.scratch.hat_x, &hat_v = e.scratch.hat_v;
  Points& velocity = e.scratch.velocity;
  const bool turns = runs_ahead(e.rig, e.options);
  const auto load = [&](Index i) -> Vec3 {
    Vec3 f = Vec3::Zero();
    if (!input.forces.empty()) f += input.forces[std::size_t(i)];
    if (!contact.empty()) f += contact[std::size_t(i)];
    return f;
  };
  const double grown = 1 + s.h * s.drag;
  for (const std::vector<Index>& part : model.parts) {
    double mass = 0;
    Vec3 shift = Vec3::Zero();
    for (const Index i : part) {
      const std::size_t n = std::size_t(i);
      const double m = model.mass[n];
      mass += m;
      shift += s.h / grown * (m * hat_v[n] + s.h * (m * input.gravity + load(i))) - m * (x[n] - hat_x[n]);
    }
    shift /= mass;
    for (const Index i : part) x[std::size_t(i)] += shift;
    if (!turns) continue;
    for (const Index i : part) velocity[std::size_t(i)] = (x[std::size_t(i)] - hat_x[std::size_t(i)]) / s.h;
    Vec3 wanted = spin(part, model.mass, now.x, now.v).angular;
    if (e.past == Past::known)
      wanted = (4 * wanted - spin(part, model.mass, e.state.x_before, e.state.v_before).angular) / 3;
    else if (e.past == Past::curved)  // L_n-1 = L_n - h tau, tau = sum m r x a
      wanted += input.h / 3 * spin(part, model.mass, now.x, e.scratch.acceleration).angular;
    const Spin got = spin(part, model.mass, hat_x, velocity);
    const Vec3 centre = got.center + s.h * got.velocity;
    // Forces act where the step ends. What touches then is ahead of the centre when the step begins: the
    // ground would brake a rolling ball by h times its speed.
    for (const Index i : part) wanted += s.h * (x[std::size_t(i)] - centre).cross(load(i));
    // Turning the new positions about their centre strains nothing.
    Mat3 moments = Mat3::Zero();
    for (const Index i : part)
      moments += (x[std::size_t(i)] - centre) *
                 (model.mass[std::size_t(i)] * (hat_x[std::size_t(i)] - got.center)).transpose();
    const SpinTurn turn = turn_for(moments, s.h * (wanted / grown - got.angular));
    for (const Index i : part) x[std::size_t(i)] += turn.change * (x[std::size_t(i)] - centre);
    if (turn.left.norm() <= 1e-13 * s.h * wanted.norm()) continue;
    const Vec3 w = rotation_rate(part, model.mass, hat_x, turn.left);
    for (const Index i : part) x[std::size_t(i)] += w.cross(hat_x[std::size_t(i)] - got.center);
  }
}

}  // namespace pliant::meshless
