// SPDX-License-Identifier: Apache-2.0
// Posing: time stands still, and every round brings the bodies nearer to where they rest with what holds
// them.
#include <fmt/format.h>

#include "pliant/view/method_facts.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {
namespace {

constexpr int most_rounds = 40;  // after the last change
constexpr int steps_a_round = 4;
constexpr double tolerance = 1e-4;

}  // namespace

bool World::can_pose(int body) const { return changes_in_place(spec(body)); }

void World::set_posing(bool on) {
  grabs_.clear();
  posing_ = on;
  pose_text_.clear();
  touched();
}

void World::touched() {
  if (posing_) posing_left_ = most_rounds;
}

bool World::pose_round() {
  --posing_left_;
  bool rests = true;
  int iterations = 0;
  for (int i = 0; i < bodies(); ++i) {
    if (!can_pose(i) || !body(i).held_at(simulation_->time())) continue;
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
