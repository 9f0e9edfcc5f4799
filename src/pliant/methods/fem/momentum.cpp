// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/momentum.hpp"

#include "pliant/physics/momentum.hpp"

namespace pliant::fem {
namespace {

/// One part: (1 + h' alpha) P_new = P^ + h' F, and the same of L about the centre of mass.
class PartMomentum {
 public:
  PartMomentum(const Model& model, const Context& step, std::span<const Vec3> forces, Scratch& end,
               std::span<const Index> part)
      : model_(model), s_(step.scheme), input_(step.input), forces_(forces), end_(end), part_(part) {}

  void keep_linear() {
    double mass = 0;
    Vec3 before = Vec3::Zero(), after = Vec3::Zero(), force = Vec3::Zero();
    for (const Index i : part_) {
      const double m = mass_of(i);
      mass += m;
      before += m * end_.hat_v[std::size_t(i)];
      after += m * velocity(i);
      if (!forces_.empty()) force += forces_[std::size_t(i)];
    }
    const Vec3 wanted = (before + s_.h * (force + mass * input_.gravity)) / s_.mass;
    for (const Index i : part_) end_.x[std::size_t(i)] += s_.h / mass * (wanted - after);
  }

  void keep_angular(const Vec3& spin_before) {
    for (const Index i : part_) end_.v[std::size_t(i)] = velocity(i);
    const Spin got = spin(part_, model_.mass, end_.hat_x, end_.v);
    const Vec3 centre = got.center + s_.h * got.velocity;
    Vec3 wanted = spin_before;
    Mat3 moments = Mat3::Zero();
    for (const Index node : part_) {
      const std::size_t i = std::size_t(node);
      const Vec3 arm = end_.x[i] - centre;
      moments += arm * (mass_of(node) * (end_.hat_x[i] - got.center)).transpose();
      if (!forces_.empty()) wanted += s_.h * arm.cross(forces_[i]);
    }
    const SpinTurn turn = turn_for(moments, s_.h * (wanted / s_.mass - got.angular));
    for (const Index node : part_) {
      const std::size_t i = std::size_t(node);
      end_.x[i] += turn.change * (end_.x[i] - centre);
    }
    if (turn.left.norm() <= 1e-13 * s_.h * wanted.norm()) return;
    const Vec3 w = rotation_rate(part_, model_.mass, end_.hat_x, turn.left);
    for (const Index node : part_)
      end_.x[std::size_t(node)] += w.cross(end_.hat_x[std::size_t(node)] - got.center);
  }

 private:
  double mass_of(Index i) const { return model_.mass[std::size_t(i)]; }
  Vec3 velocity(Index i) const { return (end_.x[std::size_t(i)] - end_.hat_x[std::size_t(i)]) / s_.h; }

  const Model& model_;
  const Scheme& s_;
  const StepInput& input_;
  std::span<const Vec3> forces_;
  Scratch& end_;
  std::span<const Index> part_;
};

}  // namespace

void keep_momentum(const Model& model, const Context& step, std::span<const Vec3> forces, Past past,
                   const State& state, Scratch& scratch) {
  const double h = step.input.h;
  const NodeState& now = state.nodes;
  for (const std::vector<Index>& part : model.parts) {
    PartMomentum momentum(model, step, forces, scratch, part);
    momentum.keep_linear();
    Vec3 wanted = spin(part, model.mass, now.x, now.v).angular;
    if (past == Past::known)
      wanted += (wanted - spin(part, model.mass, state.x_before, state.v_before).angular) / 3;
    else if (past == Past::curved)  // L_n-1 = L_n - h tau, tau = sum m r x a
      wanted += h / 3 * spin(part, model.mass, now.x, scratch.acceleration).angular;
    momentum.keep_angular(wanted);
  }
}

}  // namespace pliant::fem
