// SPDX-License-Identifier: Apache-2.0
// The shape in which a body rests. The method takes the steps (Method::relax); here handles go their way in
// increments, each balanced roughly before the next: a bar that is twisted twice ends twisted twice.
#include "pliant/sim/pose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/physics/selection.hpp"
#include "pliant/sim/body.hpp"

namespace pliant {
namespace {

constexpr double longest_turn = 0.25;  // rad, of a handle in an increment
constexpr double longest_way = 0.05;   // of the body's size, likewise
constexpr int most_increments = 1000;
constexpr int steps_between = 6;  // steps of an increment that is not the last, at most
constexpr double rough = 1e-2;    // residual of such an increment
constexpr double gone = 30;       // sizes from its start: nothing holds it
constexpr const char* falls =
    "a part of it falls without end: pin or hold every part, or set gravity to zero";

double size_of(const Points& points) {
  const Bounds box = bounds_of(points);
  return (box.max - box.min).norm();
}

/// Some node has left for good: it is many sizes farther from its start than any held one is to go.
bool away(const Points& start, const Points& x, double size, std::span<const Index> held,
          std::span<const Vec3> targets) {
  double led = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    led = std::max(led, (targets[k] - start[std::size_t(held[k])]).norm());
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!((x[i] - start[i]).norm() < gone * size + led)) return true;
  return false;
}

std::string no_balance(const PoseResult& result, const PoseOptions& options) {
  return fmt::format(
      "no balance after {} Newton steps: {:.2g} of the acting forces is left, {:.2g} asked; raise "
      "--iterations "
      "or --tolerance, hold it at more places, or let `pliant run` with damping bring it to rest",
      result.iterations, result.residual, options.tolerance);
}

/// Why the solve ends at its last allowed step, in the increment k.
std::string unfinished(int k, const PoseResult& result, const PoseOptions& options) {
  if (k + 1 == result.increments) return no_balance(result, options);
  return fmt::format("{} of {} increments of the handles' way after {} Newton steps: raise --iterations", k,
                     result.increments, result.iterations);
}

PoseResult refused(std::string why) {
  PoseResult result;
  result.trouble = std::move(why);
  return result;
}

}  // namespace

double Body::last_key() const {
  double last = 0;
  for (const PlacedHold& placed : holds_)
    if (!placed.hold.motion.keys.empty()) last = std::max(last, placed.hold.motion.keys.back().time);
  return std::max(last, method_->driven_until().value_or(0));
}

bool Body::held_at(double time) const {
  return method_->driven_until() || std::any_of(holds_.begin(), holds_.end(), [&](const PlacedHold& placed) {
           return time <= placed.hold.release;
         });
}

/// Increments the handles need between two times: the largest turn and way of any.
double Body::travel(double from, double to) const {
  const double size = size_of(rest_surface_);
  double most = 0;
  for (std::size_t k = 0; k < holds_.size(); ++k) {
    if (!active_[k]) continue;
    const Pose a = holds_[k].hold.motion.at(from), b = holds_[k].hold.motion.at(to);
    const double angle = Eigen::AngleAxisd(Mat3(b.rotation * a.rotation.transpose())).angle();
    most =
        std::max(most, angle / longest_turn + (b.translation - a.translation).norm() / (longest_way * size));
  }
  return most;
}

/// The times at which handles stop on their way from 0 to `time`; the last is `time` itself.
std::vector<double> Body::increments(double time) const {
  constexpr int looks = 1000;
  std::vector<double> times;
  double way = 0;
  for (int k = 1; k < looks; ++k) {
    way += travel(time * (k - 1) / looks, time * k / looks);
    if (way >= 1 && int(times.size()) < most_increments) times.push_back(time * k / looks), way = 0;
  }
  times.push_back(time);
  return times;
}

PoseResult Body::pose(double time, const Environment& around, const PoseOptions& options, Pool& pool) {
  if (!std::isfinite(time)) return refused(fmt::format("a pose at {:g} s: the time must be finite", time));
  if (!(options.tolerance >= 0))
    return refused(fmt::format("a tolerance of {:g}: it must be a number >= 0", options.tolerance));
  choose_held(time, 0);
  const std::vector<double> times = options.from_here ? std::vector{time} : increments(time);
  const Points start = method_->nodes().x;
  const double size = size_of(start);
  RelaxMemory memory{.caution = options.from_here ? caution_ : 0, .start = {}};
  PoseResult result;
  result.increments = int(times.size());
  bool stuck = false;
  const bool follow = OuterForces::follow(around.forces, name_);
  for (int k = 0; k < result.increments; ++k) {
    const bool last = k + 1 == result.increments;
    const double enough = last ? options.tolerance : rough;
    aim(times[std::size_t(k)]);
    const double now_at = times[std::size_t(k)];
    StepInput input{.time = now_at,
                    .gravity = with_constant_forces(around.gravity, around.forces, name_, now_at),
                    .held = held_,
                    .targets = targets_,
                    .hold_sizes = hold_sizes_,
                    .grabs = grabs_,
                    .contact = contact_,
                    .pool = &pool};
    for (int n = 0; last || n < steps_between; ++n) {
      if (result.iterations >= options.iterations) {
        result.trouble = unfinished(k, result, options);
        return result;
      }
      input.forces = outer_forces(around.forces, now_at, 0, pool);
      if (follow) memory.last.reset();  // it knows other forces
      const Relaxation now = method_->relax(input, enough, memory);
      caution_ = memory.caution;
      result.trouble = now.trouble;
      result.iterations += now.steps;
      result.residual = now.residual;
      result.force = now.force;
      result.kept_rotations = now.kept_rotations;
      if (!now.trouble.empty()) return result;
      if (away(start, method_->nodes().x, size, held_, targets_)) {
        result.trouble = falls;
        return result;
      }
      stuck = now.stuck;
      // Forces that follow the body are those of the place before the step: the next call looks at them anew.
      if (stuck || (now.residual <= enough && !(follow && now.steps > 0))) break;
      if (options.progress && !options.progress(k, result.increments)) {
        result.stopped = true;
        return result;
      }
    }
  }
  if (result.residual > options.tolerance)
    result.trouble = no_balance(result, options) + (stuck ? "; no lower energy was found" : "");
  return result;
}

}  // namespace pliant
