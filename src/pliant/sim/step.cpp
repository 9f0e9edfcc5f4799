// SPDX-License-Identifier: Apache-2.0
// The step, on one page:
//
//   1. colliders    where they are at the beginning and at the end of the step (contact/collider.cpp)
//   2. per body, in order:
//      a. holds     pins and handles that act until the end of the step; their places at its end (body.cpp)
//      b. grabs     the springs of users, as they were last set (Body::set_grabs)
//      c. forces    those of the world and of the user, on nodes (outer_forces.cpp)
//      d. method    the method's own step (methods/M/step), contact included
//   3. time         the clock is a count of steps: t = n h, no sum of round-off
//
// Users change grabs, holds and gravity between steps only. On failure the body that failed keeps its last
// good state and the clock stays. Bodies before the failing one have made this step: keeping a copy of every
// state for that case would cost each step a pass through memory.
#include "pliant/sim/simulation.hpp"

namespace pliant {

std::optional<StepFailure> Simulation::step() {
  const double end = since_time_ + double(steps_ + 1 - since_step_) * options_.h;
  for (Collider& collider : colliders_) collider.aim(time(), end);
  for (int i = 0; i < int(bodies_.size()); ++i) {
    Body& body = bodies_[std::size_t(i)];
    if (!body.advance(end, options_.h, {options_.gravity, forces_, colliders_}, *pool_).ok())
      return failure(i, end);
  }
  ++steps_;
  return std::nullopt;
}

std::optional<StepFailure> Simulation::failure(int body, double end) const {
  const Body& failed = bodies_[std::size_t(body)];
  return StepFailure{body, failed.name(), steps_ + 1, end, failed.report().trouble};
}

}  // namespace pliant
