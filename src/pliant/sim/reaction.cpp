// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/reaction.hpp"

#include "pliant/physics/metrics.hpp"

namespace pliant {

void Reaction::begin(const Body& body) {
  *this = {};
  momentum_ = linear_momentum(body.method().nodes());
}

void Reaction::note_step(const Body& body) {
  const double h = body.last_step(), damping = body.method().mass_damping();
  known_ += h * body.outer_force() + body.report().contact_impulse;
  if (damping > 0) known_ -= h * damping * linear_momentum(body.method().nodes());
  time_ += h;
}

Vec3 Reaction::mean(const Body& body) const {
  if (!(time_ > 0)) return Vec3::Zero();
  return (linear_momentum(body.method().nodes()) - momentum_ - known_) / time_;
}

}  // namespace pliant
