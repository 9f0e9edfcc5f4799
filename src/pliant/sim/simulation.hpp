// SPDX-License-Identifier: Apache-2.0
// Bodies that move together in time. No files, no clocks: same bodies, same changes between the same steps,
// same motion, whatever the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/parallel.hpp"
#include "pliant/island/islands.hpp"
#include "pliant/sim/body.hpp"

namespace pliant {

/// Time step, gravity and threads of a simulation.
struct SimulationOptions {
  double h = 1.0 / 60;        ///< s
  Vec3 gravity{0, -9.81, 0};  ///< m/s^2
  int threads = 1;            ///< 0 = one per processor
};

/// Why a step could not be done.
struct StepFailure {
  int body = 0;
  std::string name;       ///< of the body
  std::int64_t step = 0;  ///< 1 = the first
  double time = 0;        ///< s, at the end of the step
  std::string cause;
  std::string text() const;  ///< "body bar, step 12 (t = 0.2 s): ..."
};

/// Bodies and colliders that move together, step by step.
class Simulation {
 public:
  /// Bodies start where they are; the clock starts at 0.
  Simulation(std::vector<Body> bodies, const SimulationOptions& options,
             std::vector<Collider> colliders = {});

  /// One time step of every body. On failure the body that failed keeps its last good state, and the clock
  /// stays. Bodies before the failing one have made this step.
  [[nodiscard]] std::optional<StepFailure> step();

  /// Body::pose with this simulation's gravity, forces and threads; colliders play no part in it. The clock stays.
  PoseResult pose(int body, double time, const PoseOptions& options);

  /// Steps done so far.
  std::int64_t steps() const { return steps_; }
  /// s. The clock is a count of steps since the step length last changed.
  double time() const { return since_time_ + double(steps_ - since_step_) * options_.h; }
  /// As set now.
  const SimulationOptions& options() const { return options_; }
  /// Threads in use: options().threads with 0 resolved.
  int threads() const { return pool_->threads(); }

  /// In the order they were given.
  const std::vector<Body>& bodies() const { return bodies_; }
  /// Aimed at the last step. They are functions of time: a checkpoint needs nothing of them.
  const std::vector<Collider>& colliders() const { return colliders_; }
  /// To change a body between steps.
  Body& body(int index) { return bodies_[std::size_t(index)]; }

  // Changes between steps, in effect from the next one.
  /// s; the time so far stays.
  void set_step_length(double h);
  /// m/s^2.
  void set_gravity(const Vec3& gravity) { options_.gravity = gravity; }
  /// In place of all bodies. Those that were here before go on, and so does what is known of their contact.
  /// Others start: of those that touch another, one is moved by a hair. goes_on: of a body, it goes on as
  /// another did that was here, and is not moved; no entries: none does.
  void set_bodies(std::vector<Body> bodies, const std::vector<char>& goes_on = {});
  /// All bodies leave, to be changed and set again.
  std::vector<Body> take_bodies() {
    islands_.attach({});
    return std::move(bodies_);
  }
  /// Call it after bodies were put elsewhere (Body::load, Method::place): what was known of their contact is
  /// forgotten; those that cross now pass through each other until they have parted. At the start: of those that
  /// touch, one is moved by a hair.
  void rejoin(bool at_start);
  /// Pairs of bodies that pass through each other: those that did when they came, until they have parted.
  std::vector<IndexPair> crossing() {
    join_changed();
    return islands_.crossing();
  }
  /// The same as the last step left them.
  std::vector<IndexPair> crossing_after_step() const { return islands_.crossing(); }
  /// The body meets others that do.
  bool meets_others(int index) {
    join_changed();
    return meets_[std::size_t(index)] && bodies_[std::size_t(index)].contact().bodies;
  }
  /// Forces of the world, in place of all so far. Like colliders they are functions of time and not saved.
  void set_forces(std::vector<WorldForce> forces) { forces_ = std::move(forces); }
  /// As set.
  const std::vector<WorldForce>& forces() const { return forces_; }
  /// In place of all colliders.
  void set_colliders(std::vector<Collider> colliders) { colliders_ = std::move(colliders); }
  /// The clock starts at zero again; bodies stay as they are.
  void restart_clock();

  /// The state as bytes: clock and bodies. Colliders are functions of time and are not saved.
  void save(Writer& writer) const;
  bool load(Reader& reader);  ///< false: not a state of this simulation

 private:
  std::optional<StepFailure> failure(int body, double end) const;
  /// One step of all bodies that may meet others. Returns the body that failed.
  std::optional<int> step_together(double end);
  /// Which bodies may meet. starts: of a body, it may be moved by a hair.
  void join_bodies(const std::vector<char>& starts);
  bool joins(Body& body);
  /// The same, when contact options say otherwise than before.
  void join_changed();

  SimulationOptions options_;
  std::vector<Body> bodies_;
  std::vector<Collider> colliders_;
  Islands islands_;
  std::vector<char> meets_;          ///< of a body: it is in the islands
  std::vector<char> wants_;          ///< of a body: whether it joins, as it did
  std::vector<const Method*> here_;  ///< bodies as they joined; compared alone
  std::vector<WorldForce> forces_;
  std::int64_t steps_ = 0;
  std::int64_t since_step_ = 0;  ///< when the step length last changed
  double since_time_ = 0;        ///< s
  std::unique_ptr<Pool> pool_;
};

}  // namespace pliant
