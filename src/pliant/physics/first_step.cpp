// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/first_step.hpp"

namespace pliant {

void choose_acceleration(const NodeState& now, const StepInput& input, double drag, double h, double elastic,
                         bool trusted, std::span<const unsigned char> held, Points& a) {
  const auto outer_at = [&](std::size_t i) -> Vec3 {
    Vec3 out = input.gravity - drag * now.v[i];
    if (!input.forces.empty()) out += input.forces[i] / now.mass[i];
    return out;
  };
  const auto moves = [&](std::size_t i) { return !held[i] && now.mass[i] > 0; };
  double inner = 0, outer = 0, energy = elastic;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!moves(i)) continue;
    const Vec3 told = outer_at(i);
    inner += now.mass[i] * h * h * (a[i] - told).squaredNorm();
    outer += now.mass[i] * h * h * told.squaredNorm();
    energy += now.mass[i] * now.v[i].squaredNorm() / 2;
  }
  const bool take = trusted && resolves(inner, energy, outer);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!moves(i))
      a[i].setZero();
    else if (!take)
      a[i] = outer_at(i);
  }
}

}  // namespace pliant
