// SPDX-License-Identifier: Apache-2.0
// Bodies of every method meet each other: they rest on one another, collide, hold and slide as theory says, and never
// pass through each other.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <functional>

#include "pliant/geometry/surface_graph.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/methods/fem/build.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/methods/metric/build.hpp"
#include "pliant/methods/rigid/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/contact_rig.hpp"

namespace pliant {
namespace methods_meet_test {

constexpr double h = 1.0 / 60, density = 1000;
const Vec3 block{0.2, 0.1, 0.2};  // m

template <class Built>
std::unique_ptr<Method> taken(Built built) {
  EXPECT_TRUE(built) << built.error().text();
  return built ? std::move(*built) : nullptr;
}

/// What makes a body of about this stiffness, Pa.
struct Maker {
  std::string name;
  std::function<Shape(const Shape&)> shape = [](const Shape& s) { return s; };
  std::function<std::unique_ptr<Method>(const Shape&, double stiffness, const Damping&)> build;
};

const std::vector<Maker>& makers() {
  static const auto surface = [](const Shape& s) { return on_surface(s, 0.05); };
  static const auto same = [](const Shape& s) { return s; };
  static const std::vector<Maker> all{
      {"geometric", same,
       [](const Shape& s, double stiffness, const Damping& d) {
         geometric::Options options;
         options.stiffness = stiffness;
         options.integrator = geometric::Integrator::euler;
         return taken(geometric::build(s, density, d, options));
       }},
      {"rigid", surface,
       [](const Shape& s, double, const Damping& d) { return taken(rigid::build(s, density, d, {})); }},
      {"metric", same,
       [](const Shape& s, double stiffness, const Damping& d) {
         metric::Options options;
         options.stiffness = stiffness;
         return taken(metric::build(s, density, d, options));
       }},
      {"meshless", same,
       [](const Shape& s, double stiffness, const Damping& d) {
         meshless::Options options;
         options.stiffness = stiffness;
         return taken(meshless::build(s, density, d, options));
       }},
      {"reduced", same,
       [](const Shape& s, double stiffness, const Damping& d) {
         geometric::Options options;
         options.stiffness = stiffness;
         options.reduction = geometric::Reduction{.modal = 4};
         return taken(geometric::build(s, density, d, options));
       }},
      {"fem", same,
       [](const Shape& s, double stiffness, const Damping& d) {
         fem::Options options;
         options.stiffness = stiffness;
         return taken(fem::build(s, density, d, options));
       }},
  };
  return all;
}

const Maker& maker(const std::string& name) {
  return *std::find_if(makers().begin(), makers().end(), [&](const Maker& m) { return m.name == name; });
}

struct World {
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  SimulationOptions options{.h = h};
  ContactOptions contact{.bodies = true};
  Damping damping{.mass = 0, .stiffness = 0};

  /// A box of this size about `at`.
  void add(const std::string& method, const Vec3& at, const Vec3& v = Vec3::Zero(), double stiffness = 1e6,
           const Vec3& size = block, const std::array<int, 3>& nodes = {5, 3, 5}, bool held = false) {
    const Shape shape =
        maker(method).shape(make_shape(BoxShape{{size.x(), size.y(), size.z()}, nodes, at - size / 2}));
    std::vector<Hold> holds;
    if (held) {
      holds.emplace_back();
      for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
        if (shape.graph.positions[std::size_t(i)].y() < at.y() - size.y() / 2 + 1e-6)
          holds[0].nodes.push_back(i);
      holds[0].release = std::numeric_limits<double>::infinity();
    }
    Start start{shape.graph.positions, Points(shape.graph.positions.size(), v)};
    bodies.emplace_back(method, shape, maker(method).build(shape, stiffness, damping), std::move(holds),
                        start, contact);
  }
  Simulation simulation() { return Simulation(std::move(bodies), options, std::move(colliders)); }
};

Vec3 momentum_of(const Simulation& simulation) {
  Vec3 sum = Vec3::Zero();
  for (const Body& body : simulation.bodies()) sum += linear_momentum(body.method().nodes());
  return sum;
}

double energy_of(const Simulation& simulation) {
  double sum = 0;
  const Vec3& gravity = simulation.options().gravity;
  for (const Body& body : simulation.bodies()) {
    const NodeState& nodes = body.method().nodes();
    sum += kinetic_energy(nodes) + body.method().elastic_energy() -
           total_mass(nodes) * gravity.dot(centre_of_mass(nodes));
  }
  return sum;
}

double fastest(const Simulation& simulation) {
  double most = 0;
  for (const Body& body : simulation.bodies()) most = std::max(most, max_speed(body.method().nodes()));
  return most;
}

/// Edges that pass through triangles of other bodies, asked with exact signs.
class Crossings {
 public:
  explicit Crossings(const Simulation& simulation) {
    for (const Body& body : simulation.bodies()) surfaces_.emplace_back(body.surface(), body.triangles());
  }
  int count(const Simulation& simulation) {
    int crossing = 0;
    const std::vector<Body>& bodies = simulation.bodies();
    for (std::size_t i = 0; i < bodies.size(); ++i)
      surfaces_[i].refit(bodies[i].surface(), bodies[i].surface(), 0);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t j = i + 1; j < bodies.size(); ++j) {
        search_.find(surfaces_[i], bodies[i].surface(), surfaces_[j], bodies[j].surface(), found_);
        for (const EdgeCrossing& c : found_) crossing += c.meeting == Meeting::through;
      }
    return crossing;
  }

 private:
  std::vector<MovingSurface> surfaces_;
  CrossingSearch search_;
  std::vector<EdgeCrossing> found_;
};

class MethodsMeet : public testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  const std::string upper = std::get<0>(GetParam()), lower = std::get<1>(GetParam());
};

TEST_P(MethodsMeet, a_block_that_is_dropped_on_another_comes_to_rest_and_is_carried) {
  World world;
  world.colliders.push_back(plane_collider(0.5));
  world.damping = {.mass = 1, .stiffness = 0.01};
  world.add(lower, {0, 0.0505, 0});
  world.add(upper, {0.013, 0.171, -0.007});
  Simulation simulation = world.simulation();
  ASSERT_TRUE(simulation.meets_others(0) && simulation.meets_others(1));
  Crossings crossings(simulation);
  double energy = energy_of(simulation), gain = 0;
  const double drop = energy;
  while (simulation.time() < 2) {
    const auto failure = simulation.step();
    ASSERT_FALSE(failure) << failure->text();
    ASSERT_EQ(crossings.count(simulation), 0) << simulation.steps();
    const double now = energy_of(simulation);
    gain = std::max(gain, now - energy);
    energy = now;
    for (const Body& body : simulation.bodies()) ASSERT_EQ(body.report().shortened, 0);
  }
  measured("gain", gain / drop);
  measured("speed", fastest(simulation));
  EXPECT_LT(gain, 1e-3 * drop);
  EXPECT_LT(fastest(simulation), 1e-3);
  for (const Body& body : simulation.bodies()) {
    const double weight = 9.81 * total_mass(body.method().nodes());
    EXPECT_NEAR(body.report().contact_impulse.y() / h, weight, 0.01 * weight) << body.name();
  }
}

World collision(const std::string& upper, const std::string& lower, int threads) {
  World world;
  world.options.gravity.setZero();
  world.options.threads = threads;
  world.add(lower, {0, 0, 0});
  world.add(upper, {0.05, 0.13, 0.03}, {0.2, -2, 0});
  return world;
}

std::uint64_t hash(const Simulation& simulation) {
  std::uint64_t out = hash_seed;
  for (const Body& body : simulation.bodies()) {
    const NodeState& nodes = body.method().nodes();
    out = hash_bytes(nodes.x.data(), nodes.x.size() * sizeof(Vec3), out);
    out = hash_bytes(nodes.v.data(), nodes.v.size() * sizeof(Vec3), out);
  }
  return out;
}

TEST_P(MethodsMeet, a_collision_keeps_momentum_and_gives_no_energy) {
  Simulation simulation = collision(upper, lower, 1).simulation();
  Crossings crossings(simulation);
  const Vec3 start = momentum_of(simulation);
  const double first = energy_of(simulation);
  double energy = first, gain = 0, drift = 0;
  bool met = false;
  for (int step = 0; step < 30; ++step) {
    const auto failure = simulation.step();
    ASSERT_FALSE(failure) << failure->text();
    ASSERT_EQ(crossings.count(simulation), 0) << step;
    met |= simulation.bodies()[0].report().contacts > 0;
    const double now = energy_of(simulation);
    gain = std::max(gain, now - energy);
    energy = now;
    drift = std::max(drift, (momentum_of(simulation) - start).norm());
  }
  EXPECT_TRUE(met);
  measured("gain", gain / first);
  measured("drift", drift / start.norm());
  EXPECT_LT(drift, 1e-10 * start.norm());
  // 3.3e-3 of a metric block that spins away from a rigid one: its descents are given up then. Others: 3e-5 at most.
  EXPECT_LT(gain, (upper == "metric" ? 5e-3 : 1e-3) * first);
}

TEST_P(MethodsMeet, a_collision_does_not_depend_on_threads_and_resumes) {
  std::vector<std::byte> state;
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation = collision(upper, lower, threads).simulation();
    for (int step = 0; step < 8; ++step) {
      if (threads == 1 && step == 2) {
        EXPECT_GT(simulation.bodies()[0].report().contacts, 0);
        state = save_checkpoint(simulation, Recorder(simulation, {}), 7);
      }
      ASSERT_FALSE(simulation.step());
    }
    if (threads == 1) expected = hash(simulation);
    EXPECT_EQ(hash(simulation), expected) << threads;
  }
  Simulation resumed = collision(upper, lower, 1).simulation();
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(state, 7, resumed, recorder), "");
  for (int step = 2; step < 8; ++step) ASSERT_FALSE(resumed.step());
  EXPECT_EQ(hash(resumed), expected);
}

/// How fast the upper block slides down after half a second and after one; the lower one is held.
std::array<double, 2> slide(const std::string& upper, const std::string& lower, double degrees) {
  World world;
  world.options.gravity = incline(degrees);
  world.contact.friction = 0.5;
  world.damping = {.mass = 0, .stiffness = 0.01};
  world.add(lower, {0, 0.05, 0}, Vec3::Zero(), 1e6, {0.8, 0.1, 0.3}, {9, 3, 4}, true);
  world.add(upper, {-0.187, 0.1515, 0.007});
  Simulation simulation = world.simulation();
  std::array<double, 2> v{};
  for (int step = 1; step <= 60; ++step) {
    EXPECT_FALSE(simulation.step());
    const NodeState& nodes = simulation.bodies()[1].method().nodes();
    if (step % 30 == 0) v[std::size_t(step / 30 - 1)] = linear_momentum(nodes).x() / total_mass(nodes);
  }
  return v;
}

TEST_P(MethodsMeet, friction_holds_below_its_angle_and_lets_slide_above) {
  if (lower == "reduced") GTEST_SKIP() << "its basis was not made for what would hold it";
  // atan(0.5) = 26.565 degrees
  const double held = slide(upper, lower, 26.4)[1];
  measured("held", held);
  EXPECT_NEAR(held, 0, 1e-3);
  const auto [half, full] = slide(upper, lower, 27.5);
  const double angle = 27.5 * M_PI / 180, expected = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  measured("slides", ((full - half) / 0.5 - expected) / 9.81);
  EXPECT_NEAR((full - half) / 0.5, expected, 2e-3 * 9.81);
  EXPECT_GT(slide(upper, lower, 27)[1], 0.02);
}

/// Such bodies step as an island, too.
TEST_P(MethodsMeet, a_body_that_is_alone_with_a_plane_rests_on_it_or_slides) {
  if (lower != "rigid") GTEST_SKIP() << "asked once for each method";
  for (const double degrees : {0.0, 26.4, 27.5}) {
    World world;
    world.colliders.push_back(plane_collider(0.5));
    world.options.gravity = incline(degrees);
    world.contact.bodies = false;
    world.damping = {.mass = 0, .stiffness = 0.01};
    world.add(upper, {0, 0.051, 0});
    Simulation simulation = world.simulation();
    double half = 0, full = 0;
    for (int step = 1; step <= 60; ++step) {
      const auto failure = simulation.step();
      ASSERT_FALSE(failure) << failure->text();
      const NodeState& nodes = simulation.bodies()[0].method().nodes();
      (step <= 30 ? half : full) = linear_momentum(nodes).x() / total_mass(nodes);
    }
    const Body& body = simulation.bodies()[0];
    const double angle = degrees * M_PI / 180, weight = 9.81 * total_mass(body.method().nodes());
    EXPECT_NEAR(body.report().contact_impulse.y() / h, weight * std::cos(angle), 0.02 * weight);
    const double expected = degrees < 27 ? 0 : 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
    EXPECT_NEAR((full - half) / 0.5, expected, 5e-3 * 9.81) << degrees;
    if (degrees < 27) EXPECT_LT(std::abs(full), 2e-3) << degrees;
  }
}

TEST_P(MethodsMeet, a_step_of_bodies_at_rest_allocates_nothing) {
  World world;
  world.colliders.push_back(plane_collider(0.5));
  world.damping = {.mass = 2, .stiffness = 0.01};
  world.add(lower, {0, 0.0505, 0});
  world.add(upper, {0.013, 0.152, -0.007});
  Simulation simulation = world.simulation();
  int quiet = 0;
  for (int step = 0; step < 200 && quiet < 5; ++step) {
    const std::size_t before = allocations();
    ASSERT_FALSE(simulation.step());
    quiet = allocations() == before ? quiet + 1 : 0;
  }
  EXPECT_EQ(quiet, 5);
}

std::vector<std::tuple<std::string, std::string>> pairs() {
  std::vector<std::tuple<std::string, std::string>> out;
  for (const Maker& m : makers()) {
    for (const std::string partner : {"geometric", "rigid"}) out.emplace_back(m.name, partner);
    if (m.name != "geometric" && m.name != "rigid") out.emplace_back(m.name, m.name);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Pairs, MethodsMeet, testing::ValuesIn(pairs()), [](const auto& given) {
  return std::get<0>(given.param) + "_on_" + std::get<1>(given.param);
});

}  // namespace methods_meet_test
}  // namespace pliant
