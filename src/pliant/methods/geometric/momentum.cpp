// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/momentum.hpp"

#include <limits>

#include "pliant/physics/momentum.hpp"

namespace pliant::geometric {
namespace {

// The second turn is second order in the first, and so on.
constexpr int turns_at_most = 4;

/// The end of one step: the names that the equations use.
struct EndOfStep {
  Equation& e;
  const OuterMotion& outer;
  const Model& model = e.model;
  const State& state = e.state;
  const Options& options = e.options;
  const StepInput& input = e.input;
  const Scheme& s = e.scheme;
  const Points &hat_x = e.scratch.hat_x, &hat_v = e.scratch.hat_v;
  Points &new_x = e.scratch.new_x, &new_v = e.scratch.new_v;

  /// Inner forces have no resultant: (1 + h' alpha) (P_new - P^) = h' (F - alpha P^), P the momentum, F the
  /// outer force.
  void keep_linear_momentum(std::span<const Index> part) {
    double mass = 0;
    Vec3 before = Vec3::Zero(), after = Vec3::Zero(), force = Vec3::Zero();
    for (Index i : part) {
      mass += model.mass[i];
      before += model.mass[i] * hat_v[i];
      after += model.mass[i] * new_v[i];
    }
    if (!outer.forces.empty())
      for (Index i : part) force += outer.forces[i];
    force += mass * input.gravity - s.drag * before;
    const Vec3 shift = (before + s.h / s.mass * force - after) / mass;
    for (Index i : part) {
      new_v[i] += shift;
      new_x[i] = hat_x[i] + s.h * new_v[i];
    }
  }

  /// The angular momentum of a part, with the jump of the velocities as if the body had always moved with it.
  Vec3 spin_of(std::span<const Index> part, const Points& x, const Points& v, double earlier) {
    if (!outer.jump) return spin(part, model.mass, x, v).angular;
    for (Index i : part) {
      e.scratch.shifted_x[i] = x[i] - earlier * (*outer.jump)[i];
      e.scratch.shifted_v[i] = v[i] + (*outer.jump)[i];
    }
    return spin(part, model.mass, e.scratch.shifted_x, e.scratch.shifted_v).angular;
  }

  void keep_angular_momentum(std::span<const Index> part) {
    Vec3 wanted = spin_of(part, state.nodes.x, state.nodes.v, 0);
    if (e.past == Past::known)
      wanted = (4 * wanted - spin_of(part, state.x_before, state.v_before, input.h)) / 3;
    else if (e.past == Past::curved)  // L_n-1 = L_n - h tau, tau = sum m r x a
      wanted += input.h / 3 * spin(part, model.mass, state.nodes.x, e.scratch.acceleration).angular;
    // A turn moves the points where given forces act: their moment is that about the turned places.
    double left = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < (outer.turns_with_part ? turns_at_most : 1); ++pass)
      if (!turn_to(wanted, part, left)) break;
  }

  /// False: what lacks, `left` of which was left before, does not become less.
  bool turn_to(Vec3 wanted, std::span<const Index> part, double& left) {
    const Spin got = spin(part, model.mass, hat_x, new_v);
    if (!outer.forces.empty()) {
      const Vec3 center = got.center + s.h * got.velocity;
      for (Index i : part) wanted += s.h * (new_x[i] - center).cross(outer.forces[i]);
    }
    const Vec3 lack = s.h * (wanted / s.mass - got.angular);
    if (outer.touches && !(lack.norm() < left / 2)) return false;
    left = lack.norm();
    Mat3 moments = Mat3::Zero();
    for (Index i : part) {
      const Vec3 r = hat_x[i] - got.center;
      moments += (r + s.h * (new_v[i] - got.velocity)) * (model.mass[i] * r).transpose();
    }
    const SpinTurn turn = turn_for(moments, lack);
    for (Index i : part) {
      const Vec3 r = hat_x[i] - got.center + s.h * (new_v[i] - got.velocity);
      new_v[i] += turn.change * r / s.h;
      new_x[i] = hat_x[i] + s.h * new_v[i];
    }
    if (turn.left.norm() <= 1e-13 * s.h * wanted.norm()) return true;
    const Vec3 w = rotation_rate(part, model.mass, hat_x, turn.left / s.h);
    for (Index i : part) {
      new_v[i] += w.cross(hat_x[i] - got.center);
      new_x[i] = hat_x[i] + s.h * new_v[i];
    }
    return true;
  }

  /// The same for a part that is held or grabbed: as far as it can move as a whole, what is not elastic in G
  /// has no resultant and no moment.
  void keep_rigid_motion(Index part) {
    const std::vector<Index>& nodes = model.parts[part];
    RigidFreedom freedom((model.rest[nodes.back()] - model.rest[nodes.front()]).norm());
    for (std::size_t n = 0; n < input.held.size() && freedom.turns() > 0; ++n)
      if (model.part_of[input.held[n]] == part) freedom.hold(input.targets[n]);
    if (freedom.turns() == 0) return;
    const Vec3 origin = freedom.shifts() ? new_x[nodes[0]] : freedom.pivot();
    RigidBalance balance;
    for (Index i : nodes) {
      if (e.scratch.held[i]) continue;
      const double mass = model.mass[i];
      Vec3 g = mass * (s.mass / s.h * (new_v[i] - hat_v[i]) + s.drag * hat_v[i] - input.gravity);
      if (!outer.forces.empty()) g -= outer.forces[i];
      balance.add(s.mass * mass, new_x[i] - origin, s.elastic * g);
    }
    for (const auto& [spring, target] : e.scratch.grabs) {
      const Index i = e.cache.arrangement.node[spring.place];
      if (model.part_of[i] == part)
        balance.add(spring.stiffness, new_x[i] - origin, spring.stiffness * (new_x[i] - target));
    }
    Vec3 u, w;
    balance.solve(freedom, u, w);
    for (Index i : nodes) {
      const Vec3 change = u + w.cross(new_x[i] - origin);
      new_x[i] += change;
      new_v[i] += change / s.h;
    }
  }
};

}  // namespace

void keep_momentum(Equation& e, const OuterMotion& outer) {
  EndOfStep end{e, outer};
  const std::vector<std::vector<Index>>& parts = e.model.parts;
  if (e.input.held.empty() && e.scratch.grabs.empty()) {
    for (const std::vector<Index>& part : parts) {
      end.keep_linear_momentum(part);
      if (e.options.angular_momentum) end.keep_angular_momentum(part);
    }
  } else if (e.options.angular_momentum) {
    for (Index part = 0; part < Index(parts.size()); ++part) end.keep_rigid_motion(part);
  }
  put_held(e);
}

void put_held(Equation& e) {
  for (std::size_t n = 0; n < e.input.held.size(); ++n) {
    const Index i = e.input.held[n];
    e.scratch.new_x[i] = e.input.targets[n];
    e.scratch.new_v[i] = (e.input.targets[n] - e.scratch.hat_x[i]) / e.scheme.h;
  }
}

}  // namespace pliant::geometric
