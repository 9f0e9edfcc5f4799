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

void keep_momentum(const Equation& e, std::span<const Vec3> contact, Points& x) {
  const StepInput& input = e.input();
  const Scheme& s = e.scheme();
  const Model& model = e.model;
  const NodeState& now = e.state.nodes;
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
      shift += s.h / grown * (m * now.v[n] + s.h * (m * input.gravity + load(i))) - m * (x[n] - now.x[n]);
    }
    shift /= mass;
    for (const Index i : part) x[std::size_t(i)] += shift;
    if (!turns) continue;
    for (const Index i : part) velocity[std::size_t(i)] = (x[std::size_t(i)] - now.x[std::size_t(i)]) / s.h;
    Vec3 wanted = spin(part, model.mass, now.x, now.v).angular;
    const Spin got = spin(part, model.mass, now.x, velocity);
    const Vec3 centre = got.center + s.h * got.velocity;
    // Forces act where the step ends. What touches then is ahead of the centre when the step begins: the
    // ground would brake a rolling ball by h times its speed.
    for (const Index i : part) wanted += s.h * (x[std::size_t(i)] - centre).cross(load(i));
    // Turning the new positions about their centre strains nothing.
    Mat3 moments = Mat3::Zero();
    for (const Index i : part)
      moments += (x[std::size_t(i)] - centre) *
                 (model.mass[std::size_t(i)] * (now.x[std::size_t(i)] - got.center)).transpose();
    const SpinTurn turn = turn_for(moments, s.h * (wanted / grown - got.angular));
    for (const Index i : part) x[std::size_t(i)] += turn.change * (x[std::size_t(i)] - centre);
    if (turn.left.norm() <= 1e-13 * s.h * wanted.norm()) continue;
    const Vec3 w = rotation_rate(part, model.mass, now.x, turn.left);
    for (const Index i : part) x[std::size_t(i)] += w.cross(now.x[std::size_t(i)] - got.center);
  }
}

}  // namespace pliant::meshless
