// SPDX-License-Identifier: Apache-2.0
// Bodies that meet each other: momentum and energy of a collision, stacks that stand, friction between two
// bodies, links that hang in each other, and nothing that passes through.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <optional>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/contact_rig.hpp"

namespace pliant {
namespace bodies_meet_test {

using geometric::Integrator;

constexpr double edge = 0.2;  // m, of the cubes

const Shape& cube() {
  static const Shape shape = make_shape(BoxShape{{edge, edge, edge}, {5, 5, 5}, {0, 0, 0}});
  return shape;
}

Mat3 turn(double degrees, const Vec3& axis) {
  return Eigen::AngleAxisd(degrees * M_PI / 180, axis.normalized()).toRotationMatrix();
}

struct Placed {
  Vec3 at{0, 0, 0}, v{0, 0, 0};
  Mat3 turned = Mat3::Identity();
};

struct World {
  std::vector<Body> bodies;
  std::vector<Collider> colliders;
  SimulationOptions options{.h = 1.0 / 60};
  Integrator integrator = Integrator::euler;
  ContactOptions contact{.bodies = true};
  std::optional<geometric::Plasticity> plasticity;

  void add(const Shape& shape, double modulus, const Placed& placed, std::vector<Hold> holds = {},
           const Damping& damping = {.mass = 0, .stiffness = 0}, double density = 1000) {
    geometric::Options method;
    method.stiffness = modulus;
    method.integrator = integrator;
    method.plasticity = plasticity;
    auto built = geometric::build(shape, density, damping, method);
    ASSERT_TRUE(built) << built.error().text();
    Vec3 centre = Vec3::Zero();
    const Points& rest = shape.graph.positions;
    for (const Vec3& x : rest) centre += x / double(rest.size());
    Start start;
    for (const Vec3& x : rest) {
      start.x.push_back(placed.at + placed.turned * (x - centre));
      start.v.push_back(placed.v);
    }
    bodies.emplace_back("body", shape, std::move(*built), std::move(holds), start, contact);
  }
  Simulation simulation() { return Simulation(std::move(bodies), options, std::move(colliders)); }
};

struct Sums {
  Vec3 momentum = Vec3::Zero(), angular = Vec3::Zero();
  double energy = 0;
};

Sums sums_of(const Simulation& simulation) {
  Sums out;
  for (const Body& body : simulation.bodies()) {
    const NodeState& nodes = body.method().nodes();
    out.momentum += linear_momentum(nodes);
    out.energy += kinetic_energy(nodes) + body.method().elastic_energy();
    for (std::size_t i = 0; i < nodes.x.size(); ++i)
      out.angular += nodes.mass[i] * nodes.x[i].cross(nodes.v[i]);
  }
  return out;
}

double fastest(const Simulation& simulation) {
  double most = 0;
  for (const Body& body : simulation.bodies()) most = std::max(most, max_speed(body.method().nodes()));
  return most;
}

Vec3 centre_of(const Body& body) {
  const NodeState& nodes = body.method().nodes();
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < nodes.x.size(); ++i) sum += nodes.mass[i] * nodes.x[i], mass += nodes.mass[i];
  return sum / mass;
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

/// Two cubes that hit each other off centre at 3 m/s, in free flight.
World two_cubes(double modulus, Integrator integrator = Integrator::euler) {
  World world;
  world.integrator = integrator;
  world.options.gravity.setZero();
  world.add(cube(), modulus, {{-0.2, 0.05, 0}, {1.5, 0, 0}, turn(10, {1, 2, 3})});
  world.add(cube(), modulus, {{0.2, -0.03, 0.04}, {-1.5, 0, 0}, turn(-25, {3, 1, 2})});
  return world;
}

TEST(BodiesMeet, two_cubes_that_collide_keep_momentum_and_gain_no_energy) {
  for (const double modulus : {1e5, 1e6, 1e7}) {
    Simulation simulation = two_cubes(modulus).simulation();
    Crossings crossings(simulation);
    const Sums start = sums_of(simulation);
    const double impulse = 16 * 3, moment = impulse * edge;  // mass of both, times speed, times size
    double energy = start.energy, gain = 0;
    bool met = false;
    for (int step = 0; step < 24; ++step) {
      ASSERT_FALSE(simulation.step());
      const Sums now = sums_of(simulation);
      gain = std::max(gain, now.energy - energy);
      energy = now.energy;
      met |= simulation.bodies()[0].report().contacts > 0;
      EXPECT_EQ(crossings.count(simulation), 0);
      EXPECT_LT((now.momentum - start.momentum).norm(), 1e-12 * impulse);
      // 2.1e-4 at most was measured
      EXPECT_LT((now.angular - start.angular).norm(), 5e-4 * moment);
    }
    EXPECT_TRUE(met);
    EXPECT_LT(energy, 0.5 * start.energy);  // inelastic: they stay together or part slowly
    measured(fmt::format("gain_{:g}", modulus), gain / start.energy);
    EXPECT_LT(gain, 5e-5 * start.energy);  // 1.7e-5 was measured
  }
}

TEST(BodiesMeet, cubes_that_rush_together_do_not_cross) {
  World world;
  world.options.gravity.setZero();
  for (int k = 0; k < 4; ++k) {
    Vec3 from = Vec3::Zero();
    from[k / 2] = k % 2 ? 1 : -1;
    const Vec3 aside(0.009 * k, 0.006 * (k % 3), -0.0075 * (k % 2));
    world.add(cube(), 1e7, {0.3 * from + aside, -3 * from, turn(17 * k, {1, 1.0 * k, 2})});
  }
  Simulation simulation = world.simulation();
  Crossings crossings(simulation);
  double energy = sums_of(simulation).energy;
  for (int step = 0; step < 8; ++step) {
    ASSERT_FALSE(simulation.step());
    EXPECT_EQ(crossings.count(simulation), 0) << step;
    const double now = sums_of(simulation).energy;
    EXPECT_LT(now, energy + 1e-5 * 144);
    energy = now;
    for (const Body& body : simulation.bodies()) EXPECT_EQ(body.report().shortened, 0);
  }
}

TEST(BodiesMeet, a_stack_of_three_cubes_stands) {
  World world;
  world.colliders.push_back(plane_collider(0.5));
  for (int k = 0; k < 3; ++k)
    world.add(cube(), 1e7, {{0.003 * ((k * 7) % 5 - 2), 0.102 + 0.202 * k, 0.003 * ((k * 3) % 5 - 2)}}, {},
              {.mass = 0, .stiffness = 0.01});
  Simulation simulation = world.simulation();
  Crossings crossings(simulation);
  while (simulation.time() < 1.5) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(crossings.count(simulation), 0);
  EXPECT_LT(fastest(simulation), 1e-3);
  for (int k = 0; k < 3; ++k) {
    // Half a percent of the size between two bodies; each cube is pressed by less than 1e-3 of its height.
    const double height = edge / 2 + k * (edge + 5e-3 * edge);
    EXPECT_NEAR(centre_of(simulation.bodies()[std::size_t(k)]).y(), height, 0.01 * height) << k;
  }
  // All its contacts together carry the lowest: those with the ground and with what stands on it.
  EXPECT_NEAR(simulation.bodies()[0].report().contact_impulse.y() * 60, 8 * 9.81, 0.01 * 8 * 9.81);
}

/// Friction of a block on a long block that is held: velocities after half a second and after one.
std::array<double, 2> slide(double degrees) {
  World world;
  world.options.gravity = incline(degrees);
  world.contact.friction = 0.5;
  const Shape base = make_shape(BoxShape{{0.8, 0.1, 0.3}, {17, 3, 7}, {0, 0, 0}});
  const Shape top = make_shape(BoxShape{{0.2, 0.1, 0.2}, {5, 3, 5}, {0, 0, 0}});
  std::vector<Index> low;
  for (Index i = 0; i < Index(base.graph.positions.size()); ++i)
    if (base.graph.positions[std::size_t(i)].y() < 1e-6) low.push_back(i);
  world.add(base, 1e6, {{0, 0.05, 0}}, {Hold{low, {}, std::numeric_limits<double>::infinity()}});
  world.add(top, 1e6, {{-0.187, 0.1515, 0.007}});
  Simulation simulation = world.simulation();
  std::array<double, 2> v{};
  for (int step = 1; step <= 60; ++step) {
    EXPECT_FALSE(simulation.step());
    const NodeState& nodes = simulation.bodies()[1].method().nodes();
    double mass = 0;
    for (const double m : nodes.mass) mass += m;
    if (step == 30) v[0] = linear_momentum(nodes).x() / mass;
    if (step == 60) v[1] = linear_momentum(nodes).x() / mass;
  }
  return v;
}

TEST(BodiesMeet, friction_holds_a_block_on_a_block_below_the_angle_of_friction) {
  // atan(0.5) = 26.565 degrees
  EXPECT_NEAR(slide(26.4)[1], 0, 1e-5);  // m/s; 1e-8 was measured
  const auto [half, full] = slide(27.5);
  const double angle = 27.5 * M_PI / 180, expected = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
  EXPECT_NEAR((full - half) / 0.5, expected, 1e-3 * 9.81);
}

TEST(BodiesMeet, links_of_a_chain_hang_in_each_other) {
  World world;
  const Shape link = make_shape(TorusShape{.ring_radius = 0.1, .tube_radius = 0.03, .nodes = {5, 24}});
  for (int k = 0; k < 4; ++k) {
    std::vector<Hold> holds;
    if (k == 0) {
      std::vector<Index> up;
      for (Index i = 0; i < Index(link.graph.positions.size()); ++i)
        if (link.graph.positions[std::size_t(i)].x() < -0.1) up.push_back(i);
      holds.push_back(Hold{up, {}, std::numeric_limits<double>::infinity()});
    }
    world.add(link, 1e6,
              {{0, -0.13 * k, 0}, {0, 0, 0}, turn(k % 2 ? 90 : 0, {0, 1, 0}) * turn(-90, {0, 0, 1})},
              std::move(holds), {.mass = 4, .stiffness = 0.01}, 500);
  }
  Simulation simulation = world.simulation();
  Crossings crossings(simulation);
  EXPECT_TRUE(simulation.crossing().empty());
  while (simulation.time() < 1) {
    ASSERT_FALSE(simulation.step());
    ASSERT_EQ(crossings.count(simulation), 0);
  }
  // Each link hangs a hole lower, 2 (0.1 - 0.03) m, by a few percent more: rings are drawn long.
  const double last = centre_of(simulation.bodies()[3]).y();
  measured("last_link", last);
  EXPECT_LT(last, -3 * 0.138);
  EXPECT_GT(last, -3 * 0.16);
}

TEST(BodiesMeet, bodies_that_do_not_come_near_move_as_if_they_were_alone) {
  World both, alone;
  for (World* world : {&both, &alone}) {
    world->colliders.push_back(plane_collider(0.5));
    world->add(cube(), 1e5, {{0, 0.12, 0}, {0.3, 0, 0}, turn(10, {1, 0, 1})});
  }
  both.add(cube(), 1e5, {{1, 0.12, 0}, {0.3, 0, 0}, turn(10, {1, 0, 1})});
  Simulation a = both.simulation(), b = alone.simulation();
  for (int step = 0; step < 30; ++step) {
    ASSERT_FALSE(a.step());
    ASSERT_FALSE(b.step());
  }
  EXPECT_EQ(a.bodies()[0].method().nodes().x, b.bodies()[0].method().nodes().x);
}

std::uint64_t hash(const Simulation& simulation) {
  std::uint64_t out = hash_seed;
  for (const Body& body : simulation.bodies()) out = frame_hash(body.method().nodes().x, out);
  return out;
}

/// Everything the next step depends on.
std::vector<std::byte> saved(const Simulation& simulation) {
  return save_checkpoint(simulation, Recorder(simulation, {}), 7);
}

TEST(BodiesMeet, a_step_does_not_depend_on_threads_and_resumes_in_mid_contact) {
  std::vector<std::byte> state;
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3}) {
    World world = two_cubes(1e6, Integrator::bdf2);
    world.options.threads = threads;
    Simulation simulation = world.simulation();
    for (int step = 0; step < 12; ++step) {
      if (threads == 1 && step == 5) {
        EXPECT_GT(simulation.bodies()[0].report().contacts, 0);
        state = saved(simulation);
      }
      ASSERT_FALSE(simulation.step());
    }
    if (threads == 1) expected = hash(simulation);
    EXPECT_EQ(hash(simulation), expected) << threads;
  }
  Simulation resumed = two_cubes(1e6, Integrator::bdf2).simulation();
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(state, 7, resumed, recorder), "");
  for (int step = 5; step < 12; ++step) ASSERT_FALSE(resumed.step());
  EXPECT_EQ(hash(resumed), expected);
}

TEST(BodiesMeet, plastic_bodies_flow_and_resume_in_mid_contact) {
  const auto build = [] {
    World plastic;
    plastic.options.gravity.setZero();
    plastic.plasticity = geometric::Plasticity{{.yield = 0.01, .creep = 2, .cap = 0.5}, {}};
    plastic.add(cube(), 1e5, {{-0.2, 0.05, 0}, {1.5, 0, 0}, turn(10, {1, 2, 3})});
    plastic.add(cube(), 1e5, {{0.2, -0.03, 0.04}, {-1.5, 0, 0}, turn(-25, {3, 1, 2})});
    return plastic;
  };
  Simulation simulation = build().simulation();
  int yields = 0;
  while (yields == 0 || simulation.bodies()[0].report().contacts == 0) {
    ASSERT_LT(simulation.steps(), 12);
    ASSERT_FALSE(simulation.step());
    yields = std::max(yields, simulation.bodies()[0].report().yields);
  }
  // Another body of the same state, whose rows never saw the attempts at the steps before.
  Simulation resumed = build().simulation();
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(saved(simulation), 7, resumed, recorder), "");
  for (int step = 0; step < 6; ++step) {
    ASSERT_FALSE(simulation.step());
    ASSERT_FALSE(resumed.step());
    EXPECT_EQ(hash(simulation), hash(resumed)) << step;
  }
}

TEST(BodiesMeet, a_step_that_fails_leaves_the_last_good_state_of_all) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    Simulation simulation = two_cubes(1e6, integrator).simulation();
    while (simulation.bodies()[0].report().contacts == 0) ASSERT_FALSE(simulation.step());
    const std::vector<std::byte> before = saved(simulation);
    Points forces(cube().graph.positions.size(), Vec3::Zero());
    forces[0].x() = std::numeric_limits<double>::max();
    simulation.body(1).set_forces(forces);
    const std::optional<StepFailure> failure = simulation.step();
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->body, 1);
    EXPECT_FALSE(failure->cause.empty());
    simulation.body(1).set_forces({});
    EXPECT_EQ(saved(simulation), before);
    EXPECT_FALSE(simulation.step());
  }
}

TEST(BodiesMeet, a_step_of_bodies_at_rest_allocates_nothing) {
  World world;
  world.colliders.push_back(plane_collider(0.5));
  world.add(cube(), 1e7, {{0, 0.1, 0}}, {}, {.mass = 1, .stiffness = 0.01});
  world.add(cube(), 1e7, {{0.01, 0.302, 0.01}}, {}, {.mass = 1, .stiffness = 0.01});
  Simulation simulation = world.simulation();
  for (int step = 0; step < 60; ++step) ASSERT_FALSE(simulation.step());
  const std::size_t before = allocations();
  for (int step = 0; step < 10; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(allocations() - before, 0u);
}

TEST(BodiesMeet, cubes_that_start_face_on_face_are_parted_by_a_hair_and_stand) {
  World world;
  world.colliders.push_back(plane_collider(0.5));
  for (int k = 0; k < 4; ++k)
    world.add(cube(), 1e7, {{0.01 * (k % 2), 0.1 + 0.2 * k, 0}}, {}, {.mass = 0, .stiffness = 0.01});
  Simulation simulation = world.simulation();
  Crossings crossings(simulation);
  EXPECT_TRUE(simulation.crossing().empty());
  EXPECT_NEAR(centre_of(simulation.bodies()[3]).y(), 0.7, 1e-4);
  for (int step = 0; step < 30; ++step) {
    ASSERT_FALSE(simulation.step());
    ASSERT_EQ(crossings.count(simulation), 0) << step;
  }
  EXPECT_LT(fastest(simulation), 0.05);
}

TEST(BodiesMeet, bodies_that_cross_at_the_start_are_told_and_do_not_hold_each_other_back) {
  World world;
  world.options.gravity.setZero();
  world.add(cube(), 1e6, {{0, 0, 0}});
  world.add(cube(), 1e6, {{0.15, 0.01, 0.02}, {1, 0, 0}});
  Simulation simulation = world.simulation();
  ASSERT_EQ(simulation.crossing().size(), 1u);
  for (int step = 0; step < 12; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(simulation.bodies()[0].report().contacts, 0);
  EXPECT_TRUE(simulation.crossing().empty());  // they have parted
}

TEST(BodiesMeet, bodies_put_back_to_their_start_are_looked_at_anew) {
  World world;
  world.options.gravity.setZero();
  world.add(cube(), 1e6, {{0, 0, 0}});
  world.add(cube(), 1e6, {{0.15, 0.01, 0.02}, {1, 0, 0}});
  Simulation simulation = world.simulation();
  std::vector<Writer> starts(2);
  for (int i = 0; i < 2; ++i) simulation.body(i).save(starts[std::size_t(i)]);
  for (int step = 0; step < 12; ++step) ASSERT_FALSE(simulation.step());
  ASSERT_TRUE(simulation.crossing().empty());
  const auto put_back = [&] {
    for (int i = 0; i < 2; ++i) {
      Reader reader(starts[std::size_t(i)].bytes());
      ASSERT_TRUE(simulation.body(i).load(reader));
    }
    simulation.rejoin(true);
  };
  put_back();
  EXPECT_EQ(simulation.crossing().size(), 1u);
  for (int step = 0; step < 12; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(simulation.bodies()[1].report().shortened, 0);
  EXPECT_TRUE(simulation.crossing().empty());  // they came out as the first time
}

TEST(BodiesMeet, bodies_that_start_face_on_face_are_parted_again_after_they_were_put_back) {
  World world;
  world.add(cube(), 1e7, {{0, 0.1, 0}});
  world.add(cube(), 1e7, {{0.01, 0.3, 0}});
  std::vector<Writer> starts(2);
  for (std::size_t i = 0; i < 2; ++i) world.bodies[i].save(starts[i]);
  Simulation simulation = world.simulation();
  const Points parted = simulation.bodies()[1].method().nodes().x;
  for (int i = 0; i < 2; ++i) {
    Reader reader(starts[std::size_t(i)].bytes());
    ASSERT_TRUE(simulation.body(i).load(reader));
  }
  EXPECT_NE(simulation.bodies()[1].method().nodes().x, parted);
  simulation.rejoin(true);
  EXPECT_EQ(simulation.bodies()[1].method().nodes().x, parted);
}

TEST(BodiesMeet, bodies_that_cross_when_they_are_to_meet_come_out_of_each_other_first) {
  World world;
  world.options.gravity.setZero();
  world.contact.bodies = false;
  world.add(cube(), 1e6, {{0, 0, 0}});
  world.add(cube(), 1e6, {{0.25, 0.01, 0.02}, {-3, 0, 0}});
  Simulation simulation = world.simulation();
  for (int step = 0; step < 2; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_TRUE(simulation.crossing().empty());  // nobody asks for bodies that do not meet
  for (int i = 0; i < 2; ++i) simulation.body(i).set_contact({.bodies = true});
  EXPECT_EQ(simulation.crossing().size(), 1u);
  // From then on they do not go deeper, and are led apart.
  double least = 1;
  while (!simulation.crossing().empty() && simulation.time() < 5) {
    ASSERT_FALSE(simulation.step());
    EXPECT_EQ(simulation.bodies()[1].report().shortened, 0);
    const Vec3 apart = centre_of(simulation.bodies()[1]) - centre_of(simulation.bodies()[0]);
    least = std::min(least, apart.x());
  }
  EXPECT_TRUE(simulation.crossing().empty());
  EXPECT_GT(least, 0.13);  // 0.15 when they were to meet
}

TEST(BodiesMeet, bodies_that_meet_no_others_are_not_moved_at_the_start) {
  World world;
  world.contact.bodies = false;
  world.add(cube(), 1e7, {{0, 0.1, 0}});
  world.add(cube(), 1e7, {{0.01, 0.3, 0}});
  const Points start = world.bodies[1].method().nodes().x;
  Simulation simulation = world.simulation();
  EXPECT_EQ(simulation.bodies()[1].method().nodes().x, start);
  EXPECT_FALSE(simulation.meets_others(0));
}

// Closed bodies keep their offset from each other where it is more than 0.005 of their size: a hair is 0.02 of it.
TEST(BodiesMeet, the_offset_and_the_thickness_count_from_the_start_on) {
  const auto hair = [](const ContactOptions& contact) {
    World world;
    world.contact = contact;
    world.add(cube(), 1e7, {{0, 0.1, 0}});
    world.add(cube(), 1e7, {{0.01, 0.3, 0}});
    return centre_of(world.simulation().bodies()[1]).y() - 0.3;
  };
  EXPECT_NEAR(hair({.bodies = true}), 0.02 * 0.005 * edge, 1e-12);
  EXPECT_NEAR(hair({.offset = 0.004, .bodies = true}), 0.02 * 0.004, 1e-12);
  EXPECT_NEAR(hair({.offset = 0.004, .bodies = true, .thickness = 0.002}), 0.02 * 0.002, 1e-12);
}

TEST(BodiesMeet, a_body_that_comes_does_not_disturb_those_in_motion) {
  std::vector<Points> ends;
  for (const bool changed : {false, true}) {
    World world = two_cubes(1e6, Integrator::bdf2);
    Simulation simulation = world.simulation();
    for (int step = 0; step < 12; ++step) {
      if (changed && step == 6) {  // in mid-contact
        World other;
        other.add(cube(), 1e6, {{3, 0, 0}});
        std::vector<Body> bodies = simulation.take_bodies();
        bodies.push_back(std::move(other.bodies[0]));
        simulation.set_bodies(std::move(bodies));
      }
      ASSERT_FALSE(simulation.step());
    }
    ends.push_back(simulation.bodies()[0].method().nodes().x);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

}  // namespace bodies_meet_test
}  // namespace pliant
