// SPDX-License-Identifier: Apache-2.0
// Geometric bodies that meet each other, placed by their centres.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant::test {

struct PlacedBody {
  Vec3 at{0, 0, 0}, v{0, 0, 0};
  Mat3 turned = Mat3::Identity();
};

struct MeetingWorld {
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  SimulationOptions options{.h = 1.0 / 60};
  geometric::Integrator integrator = geometric::Integrator::euler;
  ContactOptions contact{.bodies = true};
  double modulus = 1e6;  // Pa
  Damping damping{.mass = 0, .stiffness = 0};

  void add(const Shape& shape, const PlacedBody& placed, std::vector<Hold> holds = {}) {
    geometric::Options method;
    method.stiffness = modulus;
    method.integrator = integrator;
    auto built = geometric::build(shape, 1000, damping, method);
    ASSERT_TRUE(built) << built.error().text();
    Vec3 centre = Vec3::Zero();
    const Points& rest = shape.graph.positions;
    for (const Vec3& x : rest) centre += x / double(rest.size());
    Start start;
    for (const Vec3& x : rest) {
      start.x.push_back(placed.at + placed.turned * (x - centre));
      start.v.push_back(placed.v);
    }
    bodies.emplace_back("body" + std::to_string(bodies.size()), shape, std::move(*built), std::move(holds),
                        start, contact);
  }
  Simulation simulation() { return Simulation(std::move(bodies), options, std::move(colliders)); }
};

inline Mat3 turned_by(double degrees, const Vec3& axis) {
  return Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()).toRotationMatrix();
}

inline double mass_of(const Body& body) {
  double mass = 0;
  for (const double m : body.method().nodes().mass) mass += m;
  return mass;
}

inline Vec3 centre_of(const Body& body) {
  const NodeState& nodes = body.method().nodes();
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.x.size(); ++i) sum += nodes.mass[i] * nodes.x[i];
  return sum / mass_of(body);
}

inline double fastest_node(const Simulation& simulation) {
  double most = 0;
  for (const Body& body : simulation.bodies()) most = std::max(most, max_speed(body.method().nodes()));
  return most;
}

inline double energy_of(const Simulation& simulation) {
  double sum = 0;
  for (const Body& body : simulation.bodies())
    sum += kinetic_energy(body.method().nodes()) + body.method().elastic_energy();
  return sum;
}

inline std::uint64_t hash_of(const Simulation& simulation) {
  std::uint64_t out = hash_seed;
  for (const Body& body : simulation.bodies()) out = frame_hash(body.method().nodes().x, out);
  return out;
}

/// Everything the next step depends on.
inline std::vector<std::byte> saved_state(const Simulation& simulation) {
  return save_checkpoint(simulation, Recorder(simulation, {}), 7);
}

}  // namespace pliant::test
