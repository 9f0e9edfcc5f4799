// SPDX-License-Identifier: Apache-2.0
// Bodies that press each other hard, or hit each other hard: they keep their shape as their stiffness says, nothing
// passes through, and no step gains energy.
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/proximity/crossing.hpp"
#include "pliant/sim/simulation.hpp"
#include "tests/support/contact_rig.hpp"

namespace pliant {
namespace pressed_bodies_test {

using geometric::Integrator;

constexpr double edge = 0.2;  // m, of the cubes
constexpr double cube_mass = 8, gravity = 9.81;

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {5, 5, 5}, {0, 0, 0}});
  return shape;
}

std::vector<Index> all_nodes(const Shape& shape) {
  std::vector<Index> out;
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i) out.push_back(i);
  return out;
}

Motion straight(std::vector<MotionKey> keys) { return {.keys = std::move(keys), .ease = Ease::linear}; }

struct Start {
  Vec3 at{0, 0, 0}, v{0, 0, 0};
  double degrees = 0;
  Vec3 axis{0, 1, 0};
};

struct Scene {
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  Integrator integrator = Integrator::euler;
  SimulationOptions options{.h = 1.0 / 60};

  void add(const Shape& shape, double modulus, const Start& start, double density = 1000,
           std::vector<Hold> holds = {}, double damping = 0.01) {
    geometric::Options method;
    method.stiffness = modulus;
    method.integrator = integrator;
    auto built = geometric::build(shape, density, {.mass = 0, .stiffness = damping}, method);
    ASSERT_TRUE(built) << built.error().text();
    const Points& rest = shape.graph.positions;
    Vec3 centre = Vec3::Zero();
    for (const Vec3& x : rest) centre += x / double(rest.size());
    const Mat3 turned =
        Eigen::AngleAxisd(start.degrees * M_PI / 180, start.axis.normalized()).toRotationMatrix();
    pliant::Start nodes;
    for (const Vec3& x : rest) {
      nodes.x.push_back(start.at + turned * (x - centre));
      nodes.v.push_back(start.v);
    }
    bodies.emplace_back("body", shape, std::move(*built), std::move(holds), nodes,
                        ContactOptions{.bodies = true});
  }
};

/// A run that looks at every step.
class Watched {
 public:
  explicit Watched(Scene scene)
      : gravity_(scene.options.gravity),
        simulation_(std::move(scene.bodies), scene.options, std::move(scene.colliders)) {
    for (const Body& body : simulation_.bodies()) {
      surfaces_.emplace_back(body.surface(), body.triangles());
      volumes_.push_back(volume(body));
    }
    start_energy = energy_ = energy();
    momentum_ = momentum();
    spin_ = spin();
  }
  void run(int steps) {
    for (int k = 0; k < steps; ++k) {
      const std::optional<StepFailure> failure = simulation_.step();
      ASSERT_FALSE(failure) << failure->cause;
      look(k);
    }
  }
  Simulation& simulation() { return simulation_; }
  double speed() const {
    double most = 0;
    for (const Body& body : simulation_.bodies()) most = std::max(most, max_speed(body.method().nodes()));
    return most;
  }
  double height(std::size_t body) const {
    const NodeState& nodes = simulation_.bodies()[body].method().nodes();
    double sum = 0, mass = 0;
    for (std::size_t i = 0; i < nodes.x.size(); ++i)
      sum += nodes.mass[i] * nodes.x[i].y(), mass += nodes.mass[i];
    return sum / mass;
  }
  double volume_share(std::size_t body) const { return volume(simulation_.bodies()[body]) / volumes_[body]; }

  // Over all steps: volumes over those of the start; J; kg m/s; kg m^2/s.
  double least_volume = 1, most_volume = 1, gain = 0, start_energy = 0;
  double momentum_lost = 0, spin_lost = 0, shortened = 0;
  int crossings = 0;

 private:
  static double volume(const Body& body) {
    double sum = 0;
    const auto x = body.surface();
    for (const Triangle& t : body.triangles())
      sum += x[std::size_t(t[0])].dot(x[std::size_t(t[1])].cross(x[std::size_t(t[2])])) / 6;
    return sum;
  }
  double energy() const {
    double sum = 0;
    for (const Body& body : simulation_.bodies()) {
      const NodeState& nodes = body.method().nodes();
      sum += kinetic_energy(nodes) + body.method().elastic_energy();
      for (std::size_t i = 0; i < nodes.x.size(); ++i) sum -= nodes.mass[i] * gravity_.dot(nodes.x[i]);
    }
    return sum;
  }
  Vec3 momentum() const {
    Vec3 sum = Vec3::Zero();
    for (const Body& body : simulation_.bodies()) sum += linear_momentum(body.method().nodes());
    return sum;
  }
  Vec3 spin() const {
    Vec3 sum = Vec3::Zero();
    for (const Body& body : simulation_.bodies()) {
      const NodeState& nodes = body.method().nodes();
      for (std::size_t i = 0; i < nodes.x.size(); ++i) sum += nodes.mass[i] * nodes.x[i].cross(nodes.v[i]);
    }
    return sum;
  }
  void look(int step) {
    const std::vector<Body>& bodies = simulation_.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      surfaces_[i].refit(bodies[i].surface(), bodies[i].surface(), 0);
      shortened += bodies[i].report().shortened;
      if (!(volumes_[i] > 0)) continue;
      least_volume = std::min(least_volume, volume_share(i));
      most_volume = std::max(most_volume, volume_share(i));
    }
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        search_.find(surfaces_[i], bodies[i].surface(), surfaces_[j], bodies[j].surface(), found_);
        const auto through = [](const EdgeCrossing& c) { return c.meeting == Meeting::through; };
        const int count = int(std::count_if(found_.begin(), found_.end(), through));
        EXPECT_EQ(count, 0) << "step " << step << ", bodies " << i << " and " << j;
        crossings += count;
      }
    const double now = energy();
    gain = std::max(gain, now - energy_);
    energy_ = now;
    momentum_lost = std::max(momentum_lost, (momentum() - momentum_).norm());
    spin_lost = std::max(spin_lost, (spin() - spin_).norm());
  }

  Vec3 gravity_;
  Simulation simulation_;
  std::vector<MovingSurface> surfaces_;
  std::vector<double> volumes_;
  CrossingSearch search_;
  std::vector<EdgeCrossing> found_;
  double energy_ = 0;
  Vec3 momentum_, spin_;
};

/// A cube on the ground, and a plate whose nodes are all on a handle that comes down on it so far, at 0.083 m/s.
Watched press(double depth, Integrator integrator) {
  Scene scene;
  scene.integrator = integrator;
  scene.colliders.push_back(plane_collider(0.5));
  scene.add(cube(), 1e6, {{0, 0.1005, 0}});
  const Shape plate = make_shape(BoxShape{{0.4, 0.02, 0.4}, {5, 2, 5}, {0, 0, 0}});
  scene.add(plate, 1e6, {{0.013, 0.2145, 0.007}}, 1000,
            {Hold{all_nodes(plate), straight({{0, {0, 0, 0}}, {depth / 0.083, {0, -depth, 0}}})}});
  return Watched(std::move(scene));
}

TEST(BodiesMeet, a_plate_that_comes_down_presses_a_cube_to_half_its_height) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    Watched run = press(0.1, integrator);
    run.run(132);
    // Friction holds its faces: it keeps about the volume that the plate leaves.
    EXPECT_NEAR(run.volume_share(0), 0.5, 0.02);
    EXPECT_LT(run.most_volume, 1.001);
    EXPECT_EQ(run.crossings, 0);
    EXPECT_EQ(run.shortened, 0);
    EXPECT_LT(run.speed(), 1e-4);  // 8e-6 was measured
  }
}

TEST(BodiesMeet, a_plate_that_comes_down_presses_a_cube_flat) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    Watched run = press(0.18, integrator);
    run.run(190);
    EXPECT_NEAR(run.volume_share(0), 0.1, 0.05);  // its cells buckle: 0.115 and 0.132 were measured
    EXPECT_LT(run.most_volume, 1.001);
    EXPECT_EQ(run.crossings, 0);
    EXPECT_EQ(run.shortened, 0);
    EXPECT_LT(run.speed(), 0.02);
  }
}

/// One cube on another that stands on the ground.
Watched load(double modulus, double ratio) {
  Scene scene;
  scene.colliders.push_back(plane_collider(0.5));
  scene.add(cube(), modulus, {{0, 0.1005, 0}});
  scene.add(cube(), 1e7, {{0.003, 0.302, -0.004}}, 1000 * ratio);
  return Watched(std::move(scene));
}

TEST(BodiesMeet, a_cube_under_forty_times_its_mass_gives_way_and_does_not_collapse) {
  Watched run = load(2e5, 40);
  run.run(180);
  EXPECT_GT(run.least_volume, 0.3);
  EXPECT_LT(run.most_volume, 1.001);
  EXPECT_LT(run.gain, 1e-4 * run.start_energy);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_LT(run.speed(), 1e-3);
}

TEST(BodiesMeet, a_cube_stands_under_a_hundred_times_its_mass) {
  Watched run = load(1e7, 100);
  run.run(180);
  // sigma/E = 100 m g/(E edge^2) = 2 %
  const double pressed = 100 * cube_mass * gravity / (1e7 * edge * edge);
  EXPECT_NEAR(run.height(1), edge / 2 + edge * (1 - pressed) + 5e-3 * edge, 3e-3);
  EXPECT_LT(run.gain, 1e-4 * run.start_energy);
  EXPECT_LT(run.speed(), 1e-3);
}

TEST(BodiesMeet, a_cube_that_two_others_squeeze_takes_its_shape_again) {
  Scene scene;
  scene.colliders.push_back(plane_collider(0.5));
  scene.add(cube(), 1e6, {{0, 0.1005, 0}});
  for (const int side : {-1, 1})
    scene.add(cube(), 1e6, {{side * 0.205, 0.1103, 0.01 * side}}, 1000,
              {Hold{all_nodes(cube()), straight({{0, {0, 0, 0}},
                                                 {1, {-side * 0.06, 0, 0}},
                                                 {1.5, {-side * 0.06, 0, 0}},
                                                 {2.5, {0, 0, 0}}})}});
  Watched run(std::move(scene));
  run.run(75);
  EXPECT_NEAR(run.volume_share(0), 0.45, 0.05);
  run.run(105);
  EXPECT_LT(run.most_volume, 1.001);
  EXPECT_NEAR(run.volume_share(0), 1, 2e-3);
  EXPECT_EQ(run.shortened, 0);
  EXPECT_LT(run.speed(), 1e-5);
}

/// Two cubes in free flight that run into each other at about the speed of sound, sqrt(E/density).
TEST(BodiesMeet, hits_at_the_speed_of_sound_gain_no_energy) {
  Scene scene;
  scene.options.gravity.setZero();
  scene.add(cube(), 1e5, {{-0.2, 0.05, 0}, {5, 0, 0}, 10, {1, 2, 3}}, 1000, {}, 0);
  scene.add(cube(), 1e5, {{0.2, -0.03, 0.04}, {-5, 0, 0}, -25, {3, 1, 2}}, 1000, {}, 0);
  Watched run(std::move(scene));
  run.run(12);
  EXPECT_EQ(run.crossings, 0);
  EXPECT_EQ(run.shortened, 0);
  EXPECT_LT(run.momentum_lost, 1e-10 * 2 * cube_mass * 10);
  EXPECT_LT(run.spin_lost, 1e-3 * 2 * cube_mass * 10 * edge);
  EXPECT_LT(run.gain, 1e-3 * run.start_energy);  // 4e-4: of what swings in free flight
  EXPECT_GT(run.least_volume, 0.7);
  EXPECT_LT(run.most_volume, 1.1);
}

}  // namespace pressed_bodies_test
}  // namespace pliant
