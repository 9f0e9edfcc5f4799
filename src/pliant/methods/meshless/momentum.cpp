// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/momentum.hpp"

#include <cmath>

#include "pliant/methods/meshless/energy.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::meshless {

bool own_rotations(const Rig& rig, const Options& options) {
  return options.rotations == Rotations::polar && options.warping == Warping::cell &&
         (rig.empty() || rig.rod());
}

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
  const std::size_t held = std::size_t(e.held_rows());
  const auto part_of_row = [&](const Gather& of, std::size_t n) {
    return model.part_of[std::size_t(of.column[std::size_t(of.begin[n])])];
  };
  for (Index p = 0; p < Index(model.parts.size()); ++p) {
    const std::vector<Index>& part = model.parts[std::size_t(p)];
    RigidFreedom left(model.size);
    for (std::size_t n = 0; n < held && left.turns() > 0; ++n)
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
    for (std::size_t n = 0; n < held; ++n) spring(rows, n, e.hold_stiffness(), targets[n]);
    for (const Grab& grab : input.grabs) spring(at, std::size_t(grab.node), grab.stiffness, grab.target);
    Vec3 u, w;
    balance.solve(RigidFreedom(model.size), u, w);  // holds are springs: all motions are free
    for (const Index i : part) x[std::size_t(i)] += u + w.cross(x[std::size_t(i)] - origin);
  }
}

void keep_momentum(const Equation& e, std::span<const Vec3> contact, Points& x) {
  const Scheme& s = e.scheme();
  const Model& model = e.model;
  const State& state = e.state;
  const StepPast from{e.past, e.input().h, state.x_before, state.v_before, e.scratch.acceleration};
  const bool turns = runs_ahead(e.rig, e.options);
  for (const std::vector<Index>& part : model.parts) {
    const FreeEnd end{.part = part,
                      .mass = model.mass,
                      .h = s.h,
                      .grown = 1 + s.h * s.drag,
                      .gravity = e.input().gravity,
                      .forces = {e.input().forces, contact},
                      .hat_x = e.scratch.hat_x,
                      .hat_v = e.scratch.hat_v,
                      .x = x,
                      .velocity = e.scratch.velocity};
    end.keep_linear();
    if (turns) end.keep_spin(predicted_spin(part, model.mass, state.nodes, from));
  }
}

}  // namespace pliant::meshless
