// SPDX-License-Identifier: Apache-2.0
// Bodies that meet each other, placed by their centres, and what is asked of them after each step.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/proximity/crossing.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant::test {

struct PlacedBody {
  Vec3 at{0, 0, 0}, v{0, 0, 0};
  Mat3 turned = Mat3::Identity();
};

/// The fields say what the bodies that are added next are made of.
struct MeetingWorld {
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  SimulationOptions options{.h = 1.0 / 60};
  geometric::Options method{.stiffness = 1e6, .integrator = geometric::Integrator::euler};
  double density = 1000;  // kg/m^3
  Damping damping{.mass = 0, .stiffness = 0};
  ContactOptions contact{.bodies = true};

  /// A geometric body.
  void add(const Shape& shape, const PlacedBody& placed = {}, std::vector<Hold> holds = {}) {
    auto built = geometric::build(shape, density, damping, method);
    ASSERT_TRUE(built) << built.error().text();
    add(shape, std::move(*built), placed, std::move(holds));
  }
  /// Its centre is the mean of the nodes.
  void add(const Shape& shape, std::unique_ptr<Method> made, const PlacedBody& placed,
           std::vector<Hold> holds = {}) {
    Vec3 centre = Vec3::Zero();
    const Points& rest = shape.graph.positions;
    for (const Vec3& x : rest) centre += x / double(rest.size());
    Start start;
    for (const Vec3& x : rest) {
      start.x.push_back(placed.at + placed.turned * (x - centre));
      start.v.push_back(placed.v);
    }
    bodies.emplace_back("body" + std::to_string(bodies.size()), shape, std::move(made), std::move(holds),
                        start, contact);
  }
  Simulation simulation() { return Simulation(std::move(bodies), options, std::move(colliders)); }
};

inline Mat3 turned_by(double degrees, const Vec3& axis) {
  return Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()).toRotationMatrix();
}

/// A hold of the nodes whose place at rest is chosen.
template <class Chosen>
Hold hold_of(const Shape& shape, Chosen&& chosen, Motion motion = {}) {
  Hold hold{.nodes = {}, .motion = std::move(motion)};
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
    if (chosen(shape.graph.positions[std::size_t(i)])) hold.nodes.push_back(i);
  return hold;
}
inline Hold hold_all(const Shape& shape, Motion motion = {}) {
  return hold_of(
      shape, [](const Vec3&) { return true; }, std::move(motion));
}

inline Motion straight_motion(std::vector<MotionKey> keys) {
  return {.keys = std::move(keys), .ease = Ease::linear};
}

inline double mass_of(const Body& body) { return total_mass(body.method().nodes()); }
inline Vec3 centre_of(const Body& body) { return centre_of_mass(body.method().nodes()); }
inline Vec3 velocity_of(const Body& body) { return linear_momentum(body.method().nodes()) / mass_of(body); }

inline double volume_of(const Body& body) {
  double sum = 0;
  const Points& x = body.surface();
  for (const Triangle& t : body.triangles())
    sum += x[std::size_t(t[0])].dot(x[std::size_t(t[1])].cross(x[std::size_t(t[2])])) / 6;
  return sum;
}

inline double fastest_node(const Simulation& simulation) {
  double most = 0;
  for (const Body& body : simulation.bodies()) most = std::max(most, max_speed(body.method().nodes()));
  return most;
}

inline Vec3 momentum_of(const Simulation& simulation) {
  Vec3 sum = Vec3::Zero();
  for (const Body& body : simulation.bodies()) sum += linear_momentum(body.method().nodes());
  return sum;
}

/// About the origin, kg m^2/s.
inline Vec3 spin_of(const Simulation& simulation) {
  Vec3 sum = Vec3::Zero();
  for (const Body& body : simulation.bodies()) {
    const NodeState& nodes = body.method().nodes();
    for (std::size_t i = 0; i < nodes.x.size(); ++i) sum += nodes.mass[i] * nodes.x[i].cross(nodes.v[i]);
  }
  return sum;
}

/// Kinetic, elastic, and that of gravity.
inline double energy_of(const Simulation& simulation) {
  double sum = 0;
  const Vec3& gravity = simulation.options().gravity;
  for (const Body& body : simulation.bodies())
    sum += kinetic_energy(body.method().nodes()) + body.method().elastic_energy() -
           mass_of(body) * gravity.dot(centre_of(body));
  return sum;
}

/// The largest share of the last step that is missing in a body.
inline double shortened(const Simulation& simulation) {
  double most = 0;
  for (const Body& body : simulation.bodies()) most = std::max(most, body.report().shortened);
  return most;
}

inline std::uint64_t hash_of(const Simulation& simulation) {
  std::uint64_t out = hash_seed;
  for (const Body& body : simulation.bodies()) {
    const NodeState& nodes = body.method().nodes();
    out = hash_bytes(nodes.x.data(), nodes.x.size() * sizeof(Vec3), out);
    out = hash_bytes(nodes.v.data(), nodes.v.size() * sizeof(Vec3), out);
  }
  return out;
}

/// Everything the next step depends on.
inline std::vector<std::byte> saved_state(const Simulation& simulation) {
  return save_checkpoint(simulation, Recorder(simulation, {}), 7);
}

/// Edges of surfaces that pass through triangles of another, or of the same where it is clean at first; asked with exact
/// signs of positions alone.
class Crossings {
 public:
  explicit Crossings(const Simulation& simulation) {
    for (const Body& body : simulation.bodies()) {
      surfaces_.emplace_back(body.surface(), body.triangles());
      clean_.push_back(body.contact().bodies && body.contact().self &&
                       within(simulation, clean_.size()) == 0);
    }
  }
  int count(const Simulation& simulation) {
    const std::vector<Body>& bodies = simulation.bodies();
    int crossing = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (clean_[i])
        crossing += within(simulation, i);
      else
        surfaces_[i].refit(bodies[i].surface(), bodies[i].surface(), 0);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        search_.find(surfaces_[i], bodies[i].surface(), surfaces_[j], bodies[j].surface(), found_);
        crossing += through();
      }
    return crossing;
  }

 private:
  int within(const Simulation& simulation, std::size_t i) {
    const Body& body = simulation.bodies()[i];
    surfaces_[i].refit(body.surface(), body.surface(), 0);
    search_.find_within(surfaces_[i], body.surface(), found_);
    return through();
  }
  int through() const {
    return int(std::count_if(found_.begin(), found_.end(),
                             [](const EdgeCrossing& c) { return c.meeting == Meeting::through; }));
  }

  std::vector<MovingSurface> surfaces_;
  std::vector<char> clean_;  ///< of a body: it is asked within itself
  CrossingSearch search_;
  std::vector<EdgeCrossing> found_;
};

/// A run that looks for crossings after every step.
class WatchedRun {
 public:
  explicit WatchedRun(MeetingWorld world) : simulation(world.simulation()), crossings_(simulation) {
    for (const Body& body : simulation.bodies()) volumes_.push_back(volume_of(body));
    start_energy = energy_ = energy_of(simulation);
    momentum_ = momentum_of(simulation);
    spin_ = spin_of(simulation);
  }
  /// Until this time, s.
  void run_to(double time) {
    while (simulation.time() < time - 1e-9 && !testing::Test::HasFatalFailure()) step();
  }
  void step() {
    const std::optional<StepFailure> failure = simulation.step();
    ASSERT_FALSE(failure) << failure->text();
    EXPECT_EQ(crossings_.count(simulation), 0) << "step " << simulation.steps();
    for (std::size_t i = 0; i < volumes_.size(); ++i) {
      missing += simulation.bodies()[i].report().shortened;
      contacts = std::max(contacts, simulation.bodies()[i].report().contacts);
      if (!(volumes_[i] > 0)) continue;
      least_volume = std::min(least_volume, volume_share(i));
      most_volume = std::max(most_volume, volume_share(i));
    }
    const double energy = energy_of(simulation);
    gain = std::max(gain, energy - energy_);
    energy_ = energy;
    momentum_lost = std::max(momentum_lost, (momentum_of(simulation) - momentum_).norm());
    spin_lost = std::max(spin_lost, (spin_of(simulation) - spin_).norm());
  }
  double height(std::size_t body) const { return centre_of(simulation.bodies()[body]).y(); }
  double volume_share(std::size_t body) const {
    return volume_of(simulation.bodies()[body]) / volumes_[body];
  }

  Simulation simulation;
  // Over all steps: volumes over those of the start; J in one step; kg m/s; kg m^2/s; shares of steps; of one body.
  double least_volume = 1, most_volume = 1, gain = 0, start_energy = 0;
  double momentum_lost = 0, spin_lost = 0, missing = 0;
  int contacts = 0;

 private:
  Crossings crossings_;
  std::vector<double> volumes_;
  double energy_ = 0;
  Vec3 momentum_, spin_;
};

}  // namespace pliant::test
