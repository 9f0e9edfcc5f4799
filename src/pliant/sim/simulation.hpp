// SPDX-License-Identifier: Apache-2.0
// Bodies that move together in time. No files, no clocks: same bodies, same changes between the same steps,
// same motion, whatever the number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  /// The host's own threads in place of the simulation's (base/job_system.hpp); `threads` is not read then. It must
  /// outlive the simulation.
  JobSystem* jobs = nullptr;
};

/// Why a step could not be done.
struct StepFailure {
  int body = 0;           ///< -1: it is about no body
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

  /// What is wrong with what it was given: of bodies ("bodies.0: holds.0.nodes"), colliders, forces, the step length and
  /// gravity. step and pose refuse while there is anything.
  std::vector<Problem> problems() const;

  /// One time step of every body. On failure the body that failed keeps its last good state, and the clock
  /// stays. Bodies before the failing one have made this step.
  [[nodiscard]] std::optional<StepFailure> step();

  /// Body::pose with this simulation's gravity, forces and threads; colliders play no part in it. The clock stays.
  /// A body that does not exist is trouble, too.
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
  /// To change a body between steps: it wakes, and so do those that sleep with it. index: 0 .. bodies().size() - 1.
  Body& body(int index) {
    check_index(index);
    islands_.wake(index);
    return bodies_[std::size_t(index)];
  }

  // Changes between steps, in effect from the next one.
  /// s; the time so far stays.
  void set_step_length(double h);
  /// m/s^2.
  void set_gravity(const Vec3& gravity) {
    if (gravity != options_.gravity) islands_.wake_all();
    options_.gravity = gravity;
  }
  /// In place of all bonds so far (island/bonds.hpp): they are made where bodies and colliders are. Bodies and
  /// colliders are named by their numbers here.
  void set_bonds(std::vector<Bond> bonds);
  /// The bonds, and what has become of them, in the same order.
  const std::vector<Bond>& bonds() const { return islands_.bonds().list(); }
  const std::vector<BondFacts>& bond_facts() const { return islands_.bonds().facts(); }
  /// Bodies that meet others and have come to rest are not stepped until something wakes them
  /// (island/sleeping.hpp). At first they are.
  void let_sleep(bool on) { islands_.let_sleep(on); }
  /// It was not stepped in the last step.
  bool asleep(int index) const {
    check_index(index);
    return islands_.asleep(index);
  }
  /// In place of all bodies. Those that were here before go on, and so does what is known of their contact.
  /// Others start: of those that touch another, one is moved by a hair. goes_on: of a body, it goes on as
  /// another did that was here, and is not moved; bodies without an entry do not.
  void set_bodies(std::vector<Body> bodies, const std::vector<char>& goes_on = {});
  /// All bodies leave, to be changed and set again.
  std::vector<Body> take_bodies() {
    islands_.attach({});
    return std::exchange(bodies_, {});
  }
  /// Call it after bodies were put elsewhere (Body::load, Method::place): what was known of their contact is
  /// forgotten; those that overlap now are led apart. At the start: of those that
  /// touch, one is moved by a hair.
  void rejoin(bool at_start);
  /// Pairs of bodies that overlap: those that did when they came, until they have parted; they are led apart.
  std::vector<IndexPair> crossing() {
    join_changed();
    return islands_.crossing();
  }
  /// The same as the last step left them.
  std::vector<IndexPair> crossing_after_step() const { return islands_.crossing(); }
  /// How they overlap now.
  std::vector<Overlap> overlaps() {
    join_changed();
    return islands_.overlaps();
  }
  /// Where the last step stopped bodies on their way, so that motion is missing, or lost hold of them.
  std::span<const Stop> stops() const { return islands_.stops(); }
  /// Where the mesh of a body passes through itself at rest: the body does not meet itself there. Nothing: it does not
  /// meet itself at all.
  std::optional<SelfSearch::Flaws> flaws(int index) {
    check_index(index);
    join_changed();
    return islands_.flaws(index);
  }
  /// The body meets others that do; index as that of body().
  bool meets_others(int index) {
    check_index(index);
    join_changed();
    return meets_[std::size_t(index)] && bodies_[std::size_t(index)].contact().bodies;
  }
  /// The same as the last step left it.
  bool met_others(int index) const {
    check_index(index);
    return meets_[std::size_t(index)] && !islands_.empty();
  }
  /// Forces of the world, in place of all so far. Like colliders they are functions of time and not saved.
  void set_forces(std::vector<WorldForce> forces);
  /// As set.
  const std::vector<WorldForce>& forces() const { return forces_; }
  /// In place of all colliders.
  void set_colliders(std::vector<Collider> colliders) {
    islands_.wake_all();
    colliders_ = std::move(colliders);
  }
  /// The clock starts at zero again; bodies stay as they are.
  void restart_clock();

  /// The state as bytes: clock and bodies. Colliders are functions of time and are not saved.
  void save(Writer& writer) const;
  bool load(Reader& reader);  ///< false: not a state of this simulation, which may be left with parts of it

 private:
  void check_index(int index) const { PLIANT_CHECK(index >= 0 && std::size_t(index) < bodies_.size()); }
  /// The first of the problems as a failure of the step that ends then.
  std::optional<StepFailure> refusal(double end) const;
  std::optional<StepFailure> failure(int body, double end) const;
  /// One step of all bodies that may meet others. Returns the body that failed.
  std::optional<int> step_together(double end);
  /// Which bodies may meet. starts: of a body, it may be moved by a hair.
  void join_bodies(const std::vector<char>& starts);
  bool joins(Body& body);
  char wanted(Body& body);
  /// The same, when contact options say otherwise than before.
  void join_changed();

  SimulationOptions options_;
  std::vector<Body> bodies_;
  std::vector<Collider> colliders_;
  Islands islands_;
  std::vector<char> meets_;          ///< of a body: it is in the islands
  std::vector<char> tied_;           ///< of a body: it has a bond
  std::vector<char> wants_;          ///< of a body: what it was to meet when it joined
  std::vector<const Method*> here_;  ///< bodies as they joined; compared alone
  std::vector<WorldForce> forces_;
  bool forces_are_fine_ = true;  ///< check_force of all says nothing
  std::int64_t steps_ = 0;
  std::int64_t since_step_ = 0;  ///< when the step length last changed
  double since_time_ = 0;        ///< s
  std::unique_ptr<Pool> pool_;
};

}  // namespace pliant
