// SPDX-License-Identifier: Apache-2.0
// Posing: time stands still, and every round brings the bodies nearer to where they rest with what holds
// them.
#include <fmt/format.h>

#include "pliant/view/world.hpp"

namespace pliant::view {
namespace {

constexpr int most_rounds = 40;  // after the last change
constexpr int steps_a_round = 4;
constexpr double tolerance = 1e-4;

}  // namespace

bool World::can_pose(int body) const {
  const BodySpec& spec = spec_.bodies[std::size_t(body)];
  return spec.entry().can(spec.options(), Ability::live);
}

void World::touched() {
  if (posing_) posing_left_ = most_rounds;
}

bool World::pose_round() {
  --posing_left_;
  bool rests = true;
  int iterations = 0;
  for (int i = 0; i < int(pieces_.size()); ++i) {
    if (!can_pose(i) || !simulation_->bodies()[std::size_t(i)].held_at(simulation_->time())) continue;
    const PoseResult result = simulation_->pose(
        i, simulation_->time(), {.tolerance = tolerance, .iterations = steps_a_round, .from_here = true});
    iterations += result.iterations;
    rests &= result.ok();
    pose_text_ = result.ok()
                     ? fmt::format("{} iterations", iterations)
                     : fmt::format("{} iterations, {:.2g} of the forces left", iterations, result.residual);
  }
  if (rests) posing_left_ = 0;
  return true;
}

}  // namespace pliant::view
