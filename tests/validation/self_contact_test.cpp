// SPDX-License-Identifier: Apache-2.0
// Bodies that meet themselves: nothing passes through itself, whatever is folded, twisted, squeezed or turned far in a
// step; parts of one body keep their momentum; meshes that cross themselves at rest still move.
#include <gtest/gtest.h>

#include "tests/support/allocation_counter.hpp"
#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"
#include "tests/support/sheet_meshes.hpp"
#include "tests/support/test_surfaces.hpp"
#include "tests/support/twisted_mat.hpp"

namespace pliant {
namespace self_contact_test {

using namespace test;
using geometric::Integrator;

struct Material {
  double modulus = 1e5, density = 1000;
  Damping damping{.mass = 0, .stiffness = 0};
  bool sheet = false;
  Integrator integrator = Integrator::euler;
  ContactOptions contact{.bodies = true};
};

Body make_body(const Shape& shape, const Material& material, std::vector<Hold> holds = {},
               const Start& start = {}) {
  geometric::Options method;
  method.stiffness = material.modulus;
  method.integrator = material.integrator;
  if (material.sheet) method.op = geometric::Operator::sheet;
  auto built = geometric::build(shape, material.density, material.damping, method);
  EXPECT_TRUE(built) << built.error().text();
  return Body("body", shape, std::move(*built), std::move(holds), start, material.contact);
}

Simulation alone(Body body, const SimulationOptions& options, std::vector<Collider> colliders = {}) {
  std::vector<Body> bodies;
  bodies.push_back(std::move(body));
  return Simulation(std::move(bodies), options, std::move(colliders));
}

// ---- the mat [Li20: 14_matTwist] ----

/// Steps until the time, asks for crossings after each; returns the most rows of a step.
int twist(Simulation& simulation, double until) {
  Crossings crossings(simulation);
  int contacts = 0;
  while (simulation.time() < until - 1e-9) {
    const std::optional<StepFailure> failure = simulation.step();
    EXPECT_FALSE(failure) << failure->text();
    EXPECT_EQ(crossings.count(simulation), 0) << simulation.time();
    EXPECT_EQ(shortened(simulation), 0) << simulation.time();
    contacts = std::max(contacts, simulation.bodies()[0].report().contacts);
    if (failure || testing::Test::HasFailure()) break;
  }
  return contacts;
}

TEST(SelfContact, a_twisted_mat_does_not_pass_through_itself) {
  Simulation simulation = twisted_mat(16, 6);
  const int contacts = twist(simulation, 6);  // 2.4 turns of one end against the other
  EXPECT_GT(contacts, 50);
}

TEST(SelfContact, ten_shaken_mats_do_not_pass_through_themselves) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Simulation simulation = twisted_mat(8, 4, 1, seed);
    twist(simulation, 4);
  }
}

TEST(SelfContact, a_twisted_mat_does_not_depend_on_threads_and_resumes) {
  constexpr int steps = 80, half = 70;
  std::vector<std::byte> state;
  std::uint64_t expected = 0;
  for (const int threads : {1, 2, 3}) {
    Simulation simulation = twisted_mat(10, 4, threads);
    for (int step = 0; step < steps; ++step) {
      if (threads == 1 && step == half) {
        EXPECT_GT(simulation.bodies()[0].report().contacts, 0);
        state = saved_state(simulation);
      }
      ASSERT_FALSE(simulation.step());
    }
    if (threads == 1) expected = hash_of(simulation);
    EXPECT_EQ(hash_of(simulation), expected) << threads;
  }
  Simulation resumed = twisted_mat(10, 4);
  Recorder recorder(resumed, {});
  ASSERT_EQ(load_checkpoint(state, 7, resumed, recorder), "");
  for (int step = half; step < steps; ++step) ASSERT_FALSE(resumed.step());
  EXPECT_EQ(hash_of(resumed), expected);
}

// ---- folds ----

/// A strip that stands on its edge and falls down in folds.
Simulation folding_strip(unsigned seed, const Integrator integrator) {
  const Shape shape = sheet_of({0.2, 1}, {6, 31}, 0.004);
  Start start;
  const Mat3 up = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()).toRotationMatrix();
  for (const Vec3& x : shaken(shape.graph.positions, 1e-3, seed))
    start.x.push_back(up * x + Vec3(0, 0.51, 0));
  start.v.assign(start.x.size(), Vec3::Zero());
  Material soft{
      .modulus = 1e5, .damping = {.mass = 0.5, .stiffness = 1e-3}, .sheet = true, .integrator = integrator};
  return alone(make_body(shape, soft, {}, start), {.h = 1.0 / 60}, {plane_collider(0.5)});
}

TEST(SelfContact, a_strip_that_falls_in_folds_lies_on_itself) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    Simulation simulation = folding_strip(3, integrator);
    Crossings crossings(simulation);
    int contacts = 0;
    while (simulation.time() < 2) {
      ASSERT_FALSE(simulation.step());
      ASSERT_EQ(crossings.count(simulation), 0) << simulation.time();
      contacts = std::max(contacts, simulation.bodies()[0].report().contacts);
    }
    EXPECT_GT(contacts, 10);
    double height = 0;
    for (const Vec3& x : simulation.bodies()[0].surface()) height = std::max(height, x.y());
    EXPECT_LT(height, 0.3);
  }
}

// ---- parts of one body ----

Shape shape_of(const TriMesh& mesh) {
  Pool pool(1);
  return make_surface_shape(as_polygons(mesh), {.solid = false, .thickness = 0.004}, pool)->shape;
}

TEST(SelfContact, parts_of_a_body_that_hit_each_other_keep_its_momentum) {
  // Two sheets of 3x3 nodes that fly at each other.
  const SheetMesh kind{.width = 0.2, .length = 0.2, .across = 2, .along = 2};
  TriMesh mesh = sheet_mesh(kind), upper = mesh;
  for (Vec3& x : upper.vertices) x += Vec3(0.011, 0.02, 0.007);
  append(mesh, upper);
  const Shape shape = shape_of(mesh);
  Start start;
  start.x = shape.graph.positions;
  for (const Vec3& x : start.x) start.v.push_back(Vec3(0, x.y() > 0.01 ? -1 : 1, 0));
  Material soft{.modulus = 1e6, .sheet = true};
  Simulation simulation = alone(make_body(shape, soft, {}, start), {.h = 0.002});
  Crossings crossings(simulation);
  const NodeState& nodes = simulation.bodies()[0].method().nodes();
  const double mass = total_mass(nodes);
  bool met = false;
  for (int step = 0; step < 40; ++step) {
    const Vec3 before = linear_momentum(nodes);
    ASSERT_FALSE(simulation.step());
    const Vec3 change = linear_momentum(nodes) - before;
    EXPECT_LT((change - 0.002 * mass * Vec3(0, -9.81, 0)).norm(), 1e-10 * mass) << step;
    EXPECT_EQ(crossings.count(simulation), 0) << step;
    met |= simulation.bodies()[0].report().contacts > 0;
  }
  EXPECT_TRUE(met);
}

// ---- solids ----

TEST(SelfContact, a_soft_ring_pressed_flat_rests_on_itself_and_comes_back) {
  const Shape shape = make_shape(TorusShape{.ring_radius = 0.1, .tube_radius = 0.03, .nodes = {5, 24}});
  Start start;
  const Mat3 up = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()).toRotationMatrix();
  for (const Vec3& x : shape.graph.positions) start.x.push_back(up * x + Vec3(0, 0.131, 0));
  start.v.assign(start.x.size(), Vec3::Zero());
  Material soft{.modulus = 1e5, .damping = {.mass = 2, .stiffness = 0.01}};
  Motion press;
  press.keys = {{},
                {.time = 0.6, .translate = {0, -0.15, 0}},
                {.time = 0.8, .translate = {0, -0.15, 0}},
                {.time = 1.2}};
  std::vector<Collider> plates;
  plates.push_back(plane_collider(0.5));
  plates.push_back(Collider(PlaneCollider{{0, 0.27, 0}, {0, -1, 0}}, press, 0.5, 0));
  Simulation simulation =
      alone(make_body(shape, soft, {}, start), {.h = 1.0 / 60, .gravity = {0, 0, 0}}, std::move(plates));
  Crossings crossings(simulation);
  int contacts = 0;
  while (simulation.time() < 3) {
    ASSERT_FALSE(simulation.step());
    ASSERT_EQ(crossings.count(simulation), 0) << simulation.time();
    contacts = std::max(contacts, simulation.bodies()[0].report().contacts);
  }
  EXPECT_GT(contacts, 4);
  // It is round again.
  double low = 1, high = 0;
  for (const Vec3& x : simulation.bodies()[0].surface())
    low = std::min(low, x.y()), high = std::max(high, x.y());
  EXPECT_NEAR(high - low, 0.26, 0.01 * 0.26);
}

/// Four rods side by side, their ends turned about the middle [Li20: rods twist].
void twist_rods(double h, int steps) {
  const Shape rod = make_shape(BoxShape{{1, 0.06, 0.06}, {25, 3, 3}, {-0.5, -0.03, -0.03}});
  std::vector<Body> bodies;
  for (int k = 0; k < 4; ++k) {
    const Vec3 aside(0, k < 2 ? -0.031 : 0.031, k % 2 ? -0.031 : 0.031);
    Start start;
    for (const Vec3& x : rod.graph.positions) start.x.push_back(x + aside);
    start.v.assign(start.x.size(), Vec3::Zero());
    Material soft{.modulus = 1e4};
    soft.contact.thickness = 0.001;
    Body body = make_body(rod, soft, {}, start);
    std::vector<PlacedHold> holds;
    for (const double side : {-1, 1}) {
      PlacedHold placed =
          body.hold_here(hold_of(rod, [&](const Vec3& x) { return side * x.x() > 0.499; }).nodes);
      placed.hold.motion = turning(72 * side, 4);
      placed.hold.release = std::numeric_limits<double>::infinity();
      placed.centre = Vec3(0.5 * side, 0, 0);
      holds.push_back(std::move(placed));
    }
    body.set_holds(std::move(holds));
    bodies.push_back(std::move(body));
  }
  Simulation simulation(std::move(bodies), {.h = h, .gravity = {0, 0, 0}});
  Crossings crossings(simulation);
  bool met = false;
  for (int step = 0; step < steps; ++step) {
    const std::optional<StepFailure> failure = simulation.step();
    ASSERT_FALSE(failure) << failure->text();
    for (const Body& body : simulation.bodies()) met |= body.report().contacts > 0;
    ASSERT_EQ(crossings.count(simulation), 0) << h << " " << step;
  }
  EXPECT_TRUE(met) << h;
}

TEST(SelfContact, rods_twisted_together_do_not_cross_however_long_a_step) {
  twist_rods(0.002, 150);
  twist_rods(0.02, 30);
  twist_rods(0.1, 14);
  twist_rods(0.5, 3);
}

// ---- meshes as they are ----

TEST(SelfContact, a_mesh_that_crosses_itself_at_rest_moves_and_is_told) {
  // Two sheets of one body that cross each other at right angles, and fall.
  TriMesh mesh = sheet_mesh({.width = 0.2, .length = 0.2, .across = 5, .along = 5}), other = mesh;
  for (Vec3& x : other.vertices) x = Vec3(x.y() + 0.113, x.x() - 0.111, x.z() + 0.003);
  append(mesh, other);
  const Shape shape = shape_of(mesh);
  Simulation simulation = alone(make_body(shape, {.modulus = 1e6, .sheet = true}), {.h = 1.0 / 60});
  ASSERT_TRUE(simulation.flaws(0));
  EXPECT_GT(simulation.flaws(0)->crossings, 0);
  EXPECT_EQ(simulation.flaws(0)->places, 1);
  EXPECT_TRUE(simulation.crossing().empty());
  for (int step = 0; step < 12; ++step) {
    ASSERT_FALSE(simulation.step());
    EXPECT_EQ(shortened(simulation), 0);
    EXPECT_EQ(simulation.bodies()[0].report().contacts, 0);
  }
}

TEST(SelfContact, a_stiff_body_that_does_not_meet_itself_moves_as_if_it_could_not) {
  const Shape shape = make_shape(TorusShape{.ring_radius = 0.1, .tube_radius = 0.03, .nodes = {5, 24}});
  std::vector<Points> ends;
  for (const bool self : {true, false}) {
    Material stiff{.modulus = 1e7};
    stiff.contact.self = self;
    Simulation simulation = alone(make_body(shape, stiff), {.h = 1.0 / 60}, {});
    for (int step = 0; step < 20; ++step) ASSERT_FALSE(simulation.step());
    EXPECT_EQ(simulation.flaws(0).has_value(), self);
    ends.push_back(simulation.bodies()[0].method().nodes().x);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(SelfContact, a_step_of_a_folded_sheet_at_rest_allocates_nothing) {
  Simulation simulation = folding_strip(3, Integrator::euler);
  while (simulation.time() < 3) ASSERT_FALSE(simulation.step());
  EXPECT_GT(simulation.bodies()[0].report().contacts, 0);
  const std::size_t before = allocations();
  for (int step = 0; step < 10; ++step) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(allocations() - before, 0u);
}

}  // namespace self_contact_test
}  // namespace pliant
