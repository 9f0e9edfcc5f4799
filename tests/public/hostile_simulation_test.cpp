// SPDX-License-Identifier: Apache-2.0
// Every function of pliant/simulation.hpp with arguments that nobody should pass.
#include <gtest/gtest.h>

#include <cmath>

#include "include/pliant/methods.hpp"
#include "include/pliant/shapes.hpp"
#include "include/pliant/simulation.hpp"
#include "tests/support/hostile_values.hpp"
#include "tests/support/throwing_checks.hpp"

namespace pliant {
namespace hostile_simulation_test {

Shape small_box() { return make_shape(BoxShape{.size = {0.4, 0.4, 0.4}, .nodes = {3, 3, 3}}); }

std::unique_ptr<Method> method_of(const Shape& shape) {
  auto made = build_method(shape, 1000, {}, geometric::Options{});
  return made ? std::move(*made) : nullptr;
}

Body box_with(std::vector<Hold> holds, const Start& start = {}, const ContactOptions& contact = {}) {
  const Shape box = small_box();
  return Body("box", box, method_of(box), std::move(holds), start, contact);
}

Simulation world_of(Body body, std::vector<Collider> colliders = {}) {
  std::vector<Body> bodies;
  bodies.push_back(std::move(body));
  return Simulation(std::move(bodies), {}, std::move(colliders));
}

Simulation one_box() { return world_of(box_with({})); }

/// It tells what is wrong, and neither steps nor poses.
void expect_refused(Body body, const std::string& place) {
  ASSERT_TRUE(are_told(body.problems())) << place;
  EXPECT_EQ(body.problems()[0].place, place) << body.problems()[0].found;
  EXPECT_TRUE(body.surface().empty());
  EXPECT_EQ(body.volume_ratio(), std::nullopt);
  Simulation world = world_of(std::move(body));
  const auto failure = world.step();
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->text().find(place), std::string::npos) << failure->text();
  EXPECT_FALSE(world.pose(0, 0, {}).ok());
  EXPECT_EQ(world.steps(), 0);
}

TEST(HostileSimulation, holds_of_nodes_that_do_not_exist_are_told) {
  for (const int node : {-1, 27, 1000000, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()})
    expect_refused(box_with({{.nodes = {node}, .motion = {}}}), "holds.0.nodes");
}

TEST(HostileSimulation, a_node_in_two_holds_is_told) {
  expect_refused(box_with({{.nodes = {3}, .motion = {}}, {.nodes = {3}, .motion = {}}}), "holds.1.nodes");
  expect_refused(box_with({{.nodes = {3, 3}, .motion = {}}}), "holds.0.nodes");
}

TEST(HostileSimulation, motions_of_nonsense_are_told) {
  for (const double bad : {not_a_number, infinite, -infinite}) {
    expect_refused(box_with({{.nodes = {0}, .motion = {.keys = {{.time = bad}}}}}),
                   "holds.0.motion.keys.0.time");
    expect_refused(box_with({{.nodes = {0}, .motion = {.keys = {{.translate = Vec3(bad, 0, 0)}}}}}),
                   "holds.0.motion.keys.0.translate");
    expect_refused(box_with({{.nodes = {0}, .motion = {.keys = {{.rotate = {.degrees = bad}}}}}}),
                   "holds.0.motion.keys.0.rotate.degrees");
    expect_refused(box_with({{.nodes = {0}, .motion = {.keys = {{.rotate = {.axis = Vec3(0, bad, 0)}}}}}}),
                   "holds.0.motion.keys.0.rotate.axis");
  }
  expect_refused(box_with({{.nodes = {0}, .motion = {.keys = {{.time = 1}, {.time = 0}}}}}),
                 "holds.0.motion.keys.1.time");
  expect_refused(box_with({{.nodes = {0}, .motion = {}, .release = not_a_number}}), "holds.0.release");
}

TEST(HostileSimulation, bodies_without_a_method_or_with_that_of_another_shape_are_told) {
  const Shape box = small_box(), other = make_shape(BoxShape{.nodes = {4, 3, 3}});
  expect_refused(Body("none", box, nullptr, {}), "method");
  expect_refused(Body("other", box, method_of(other), {}), "method");
  expect_refused(Body("no shape", make_shape(BoxShape{.nodes = {1, 1, 1}}), nullptr, {}), "nodes");
  Shape bent = box;
  bent.surface.triangles[0][1] = 1 << 30;
  expect_refused(Body("bent", bent, method_of(box), {}), "surface.triangles.0");
}

TEST(HostileSimulation, starts_of_nonsense_are_told) {
  const std::size_t n = small_box().graph.positions.size();
  const Points zero(n, Vec3::Zero()), fewer(n - 1, Vec3::Zero()), bad(n, Vec3::Constant(not_a_number));
  expect_refused(box_with({}, {zero, {}}), "start.v");
  expect_refused(box_with({}, {fewer, zero}), "start.x");
  expect_refused(box_with({}, {bad, zero}), "start.x");
  expect_refused(box_with({}, {zero, bad}), "start.v");
}

TEST(HostileSimulation, contact_options_of_nonsense_are_told) {
  EXPECT_TRUE(check_contact({}).empty());
  for (const double bad : {not_a_number, infinite, -1.0}) {
    expect_refused(box_with({}, {}, {.tolerance = bad}), "contact.tolerance");
    expect_refused(box_with({}, {}, {.slop = bad}), "contact.slop");
    expect_refused(box_with({}, {}, {.offset = bad}), "contact.offset");
    expect_refused(box_with({}, {}, {.thickness = bad}), "contact.thickness");
  }
  expect_refused(box_with({}, {}, {.friction = not_a_number}), "contact.friction");
  expect_refused(box_with({}, {}, {.sweeps = -1}), "contact.sweeps");
  expect_refused(box_with({}, {}, {.most = 0}), "contact.most");
}

TEST(HostileSimulation, setters_refuse_nonsense_and_keep_what_was) {
  Body body = box_with({{.nodes = {0}, .motion = {}}});
  PlacedHold beyond = body.hold_here({1 << 30, -1});
  EXPECT_TRUE(body.set_holds({beyond}));
  PlacedHold twice = body.hold_here({1});
  EXPECT_TRUE(body.set_holds({twice, twice}));
  PlacedHold fewer = twice, nowhere = twice, flat = twice;
  fewer.start.clear();
  nowhere.start[0].x() = not_a_number;
  flat.scale.x() = infinite;
  for (const PlacedHold& hold : {fewer, nowhere, flat}) EXPECT_TRUE(body.set_holds({hold}));
  EXPECT_EQ(body.holds().size(), 1u);
  EXPECT_EQ(body.holds()[0].hold.nodes[0], 0);
  EXPECT_FALSE(body.set_holds({twice}));
  EXPECT_TRUE(body.set_forces(Points(3, Vec3::Zero())));
  EXPECT_TRUE(body.set_forces(Points(27, Vec3::Constant(not_a_number))));
  EXPECT_FALSE(body.set_forces(Points(27, Vec3::Zero())));
  EXPECT_EQ(body.forces().size(), 27u);
  EXPECT_TRUE(body.set_contact({.slop = not_a_number}));
  EXPECT_FALSE(body.set_contact({}));
  EXPECT_FALSE(body.problems().size());
  body.held_at(not_a_number), body.last_key(), body.triangles(), body.rest_surface(), body.faces();
  body.contact_triangles(), body.closed(), body.contact(), body.contacts(), body.last_step(),
      body.outer_force(), body.report(), body.name();
}

TEST(HostileSimulation, grabs_of_nonsense_make_a_step_and_a_pose_fail) {
  for (const Grab& bad :
       {Grab{1 << 30, {0, 0, 0}, 1}, Grab{-7, {0, 0, 0}, 1}, Grab{0, Vec3::Constant(not_a_number), 1},
        Grab{0, {0, 0, 0}, not_a_number}, Grab{0, {0, 0, 0}, -1}}) {
    Simulation world = world_of(box_with({{.nodes = {0, 1, 2}, .motion = {}}}));
    world.body(0).set_grabs(std::span(&bad, 1));
    EXPECT_TRUE(world.step());
    EXPECT_FALSE(world.pose(0, 0, {}).ok());
    world.body(0).set_grabs(std::vector<Grab>(1000, bad));
    EXPECT_TRUE(world.step());
    world.body(0).set_grabs({});
    EXPECT_FALSE(world.step());
  }
}

TEST(HostileSimulation, step_lengths_and_gravity_of_nonsense_make_a_step_fail) {
  for (const double bad : {not_a_number, infinite, -1.0, 0.0}) {
    Simulation world = one_box();
    world.set_step_length(bad);
    const auto failure = world.step();
    ASSERT_TRUE(failure) << bad;
    EXPECT_EQ(failure->body, -1);
    EXPECT_NE(failure->text().find("time step"), std::string::npos) << failure->text();
    EXPECT_FALSE(world.pose(0, 0, {}).ok());
    world.restart_clock();
    world.set_step_length(0.01);
    EXPECT_FALSE(world.step());
  }
  for (const double bad : {not_a_number, infinite}) {
    Simulation world = one_box();
    world.set_gravity(Vec3(0, bad, 0));
    EXPECT_TRUE(world.step());
    ASSERT_EQ(world.problems().size(), 1u);
    EXPECT_EQ(world.problems()[0].place, "gravity");
  }
  for (const int threads : {-5, 0, 1}) EXPECT_GE(Simulation({}, {.threads = threads}).threads(), 1);
}

TEST(HostileSimulation, bodies_that_do_not_exist_go_to_the_check_handler) {
  const ThrowingChecks checks;
  Simulation world = one_box(), empty({}, {});
  EXPECT_FALSE(empty.step());
  for (const int bad : hostile_counts()) {
    if (bad == 0) continue;
    EXPECT_THROW(world.body(bad), CheckThrown);
    EXPECT_THROW(world.meets_others(bad), CheckThrown);
    EXPECT_FALSE(world.pose(bad, 0, {}).ok());
    EXPECT_FALSE(empty.pose(bad, 0, {}).ok());
  }
  EXPECT_THROW(empty.body(0), CheckThrown);
}

TEST(HostileSimulation, poses_of_nonsense_are_told) {
  Simulation world = world_of(box_with({{.nodes = {0, 1, 2}, .motion = {}}}));
  for (const double bad : {not_a_number, infinite, -infinite}) EXPECT_FALSE(world.pose(0, bad, {}).ok());
  for (const double bad : {not_a_number, -1.0}) EXPECT_FALSE(world.pose(0, 0, {.tolerance = bad}).ok());
  for (const int bad : {-1, 0}) EXPECT_FALSE(world.pose(0, 0, {.iterations = bad}).ok());
}

std::vector<ColliderShape> hostile_colliders() {
  std::vector<ColliderShape> list{std::shared_ptr<const MeshCollider>()};
  for (const Vec3& bad : {Vec3(Vec3::Constant(not_a_number)), Vec3(infinite, 0, 0)}) {
    list.emplace_back(PlaneCollider{.point = bad});
    list.emplace_back(PlaneCollider{.normal = bad});
    list.emplace_back(SphereCollider{.center = bad});
    list.emplace_back(BoxCollider{.center = bad});
    list.emplace_back(BoxCollider{.size = bad});
    list.emplace_back(CapsuleCollider{.from = bad});
    list.emplace_back(CapsuleCollider{.to = bad});
  }
  list.emplace_back(PlaneCollider{.normal = Vec3::Zero()});
  for (const double bad : {not_a_number, infinite, -1.0, 0.0}) {
    list.emplace_back(SphereCollider{.radius = bad});
    list.emplace_back(CapsuleCollider{.radius = bad});
    list.emplace_back(BoxCollider{.size = Vec3(1, bad, 1)});
    list.emplace_back(BoxCollider{.rotation = Mat3::Constant(bad)});
  }
  const Points corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1)};
  for (const TriMesh& mesh :
       {TriMesh{}, TriMesh{corners, {}}, TriMesh{corners, {{0, 1, 3}}}, TriMesh{corners, {{0, -1, 2}}},
        TriMesh{{Vec3::Constant(not_a_number), corners[1], corners[2]}, {{0, 1, 2}}},
        TriMesh{Points(3, Vec3(1, 1, 1)), {{0, 1, 2}}}})
    for (const bool thin : {true, false}) list.emplace_back(std::make_shared<const MeshCollider>(mesh, thin));
  return list;
}

TEST(HostileSimulation, colliders_of_nonsense_touch_nothing_and_make_a_step_fail) {
  for (const ColliderShape& shape : hostile_colliders()) {
    Collider collider(shape, {}, 0.5, 0);
    EXPECT_TRUE(are_told(collider.problems())) << shape.index();
    collider.aim(0, 1), collider.aim(1, 0), collider.aim(not_a_number, not_a_number);
    std::array<Touch, max_touches> touches;
    Side side = 0;
    Touch touch;
    EXPECT_EQ(collider.query(Vec3::Zero(), 1, Instant::end, side, touches), 0);
    EXPECT_FALSE(collider.crossed(Vec3::Zero(), Vec3::Ones(), touch));
    EXPECT_FALSE(collider.near(Vec3::Zero(), Vec3::Ones(), 1));
    collider.pose(Instant::begin), collider.pose_at(not_a_number), collider.moves(), collider.size(),
        collider.shape();
    collider.friction(), collider.restitution();
    Simulation world = world_of(box_with({}), {collider});
    const auto failure = world.step();
    ASSERT_TRUE(failure);
    EXPECT_NE(failure->text().find("colliders.0"), std::string::npos) << failure->text();
  }
  for (const double bad : {not_a_number, infinite, -1.0}) {
    EXPECT_FALSE(Collider(PlaneCollider{}, {}, bad, 0).problems().empty());
    EXPECT_FALSE(Collider(PlaneCollider{}, {}, 0, bad).problems().empty());
    EXPECT_FALSE(Collider(PlaneCollider{}, {.keys = {{.translate = Vec3(not_a_number, 0, 0)}}}, 0, 0)
                     .problems()
                     .empty());
  }
}

TEST(HostileSimulation, colliders_answer_any_question) {
  const Points corners{Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0, 1, 0)};
  const auto tetrahedron = std::make_shared<const MeshCollider>(
      TriMesh{corners, {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}}, false);
  const auto sheet = std::make_shared<const MeshCollider>(TriMesh{corners, {{0, 1, 2}}}, true);
  tetrahedron->kind(), tetrahedron->mesh(), tetrahedron->low(), tetrahedron->high();
  EXPECT_TRUE(tetrahedron->problems().empty());
  std::vector<Vec3> places = hostile_points();
  places.insert(places.end(), {Vec3(0.1, 0.1, 0.1), Vec3(0.1, 5, 0.1), Vec3(1e6, 0, 0)});
  for (const ColliderShape& shape :
       {ColliderShape(PlaneCollider{}), ColliderShape(SphereCollider{}), ColliderShape(BoxCollider{}),
        ColliderShape(CapsuleCollider{}), ColliderShape(CapsuleCollider{.from = {0, 0, 0}, .to = {0, 0, 0}}),
        ColliderShape(tetrahedron), ColliderShape(sheet)}) {
    Collider collider(shape, {.keys = {{.time = 0}, {.time = 1, .translate = {0, 1, 0}}}}, 0.5, 0.5);
    EXPECT_TRUE(collider.problems().empty());
    for (const double begin : hostile_numbers()) {
      collider.aim(begin, begin + 0.1);
      collider.pose_at(begin);
      for (const Vec3& x : places)
        for (const double band : {not_a_number, infinite, -1.0, 0.0, 0.1}) {
          std::array<Touch, max_touches> touches;
          Side side = 0;
          Touch touch;
          const int count = collider.query(x, band, Instant::begin, side, touches);
          EXPECT_GE(count, 0);
          EXPECT_LE(count, max_touches);
          collider.crossed(x, Vec3(0.1, -3, 0.1), touch);
          collider.crossed(Vec3(0.1, -3, 0.1), x, touch);
          collider.near(x, x, band);
          std::array<SurfacePoint, max_touches> points;
          tetrahedron->query(x, band, side, points);
          sheet->query(x, band, side, points);
          tetrahedron->crossed(x, x, points[0]);
        }
    }
  }
}

TEST(HostileSimulation, motions_answer_for_any_keys_and_times) {
  for (const double time : hostile_numbers()) {
    EXPECT_TRUE(Motion{}.at(time).rotation.isIdentity());
    EXPECT_EQ(Motion{}.between(time).b, 0u);
    for (const double bad : hostile_numbers()) {
      const Motion motion{.keys = {{.time = bad, .rotate = {.axis = Vec3(0, bad, 0), .degrees = bad}},
                                   {.time = 1},
                                   {.time = -bad}}};
      motion.at(time);
      EXPECT_LT(motion.between(time).b, 3u);
      check_motion(motion, "somewhere");
      EXPECT_TRUE(rotation_matrix({.axis = Vec3(0, bad, 0), .degrees = 10}).allFinite());
      EXPECT_TRUE(rotation_matrix({.degrees = bad}).allFinite());
    }
  }
}

TEST(HostileSimulation, forces_of_nonsense_make_a_step_fail) {
  const auto refused = [](const WorldForce& force) {
    EXPECT_TRUE(are_told(check_force(force)));
    Simulation world = one_box();
    world.set_forces({force});
    EXPECT_EQ(world.forces().size(), 1u);
    const auto failure = world.step();
    ASSERT_TRUE(failure);
    EXPECT_NE(failure->text().find("forces.0"), std::string::npos) << failure->text();
    EXPECT_FALSE(world.pose(0, 0, {}).ok());
  };
  for (const double bad : {not_a_number, infinite}) {
    refused({ConstantForce{Vec3(bad, 0, 0)}});
    refused({WindForce{.velocity = Vec3(0, bad, 0)}});
    refused({WindForce{.density = bad}});
    refused({PointForce{{.strength = bad}}});
    refused({VortexForce{{.radius = bad}}});
    refused({ConstantForce{}, {.keys = {{.time = bad}}}, {1}});
    refused({ConstantForce{}, {.keys = {{}}}, {bad}});
  }
  refused({VortexForce{.axis = Vec3::Zero()}});
  refused({ConstantForce{}, {.keys = {{}}}, {}});
  const WorldForce shipped{WindForce{}, {}, {}, {"nobody"}};
  EXPECT_FALSE(shipped.acts_on("box"));
  for (const double time : hostile_numbers()) shipped.at(time);
  for (const Vec3& bad : hostile_points()) {
    acceleration_at(PointForce{}, bad);
    acceleration_at(VortexForce{}, bad);
    with_constant_forces(bad, {}, "box", 0);
  }
  RadialLaw{}.at(not_a_number);
}

TEST(HostileSimulation, bodies_come_and_go_in_any_order) {
  Simulation world = one_box();
  for (const std::vector<char>& goes_on :
       {std::vector<char>{}, std::vector<char>{1}, std::vector<char>(7, 1)}) {
    std::vector<Body> bodies = world.take_bodies();
    EXPECT_TRUE(world.bodies().empty());
    EXPECT_FALSE(world.step());
    EXPECT_TRUE(world.take_bodies().empty());
    bodies.push_back(box_with({}));
    world.set_bodies(std::move(bodies), goes_on);
    world.rejoin(true), world.rejoin(false);
    world.crossing(), world.crossing_after_step();
    EXPECT_FALSE(world.step());
  }
  world.set_colliders({});
  EXPECT_EQ(world.colliders().size(), 0u);
  EXPECT_EQ(world.options().h, SimulationOptions{}.h);
  EXPECT_GT(world.time(), 0);
}

TEST(HostileSimulation, bytes_that_are_no_state_are_refused) {
  Simulation world = world_of(box_with({{.nodes = {0}, .motion = {}}}));
  ASSERT_FALSE(world.step());
  Recorder recorder(world, {{"tip", 0, {1}}});
  recorder.note_step(world), recorder.note_frame(world, 1);
  Writer writer;
  world.save(writer);
  recorder.save(writer);
  const std::vector<std::byte> whole = writer.bytes();
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 97) {
    std::vector<std::byte> cut(whole.begin(), whole.begin() + std::ptrdiff_t(size));
    Reader reader(cut);
    EXPECT_FALSE(world.load(reader) && recorder.load(reader));
    cut.resize(whole.size(), std::byte(0xff));
    Reader filled(cut);
    EXPECT_FALSE(world.load(filled) && recorder.load(filled) && filled.at_end());
  }
  Reader right(whole);
  EXPECT_TRUE(world.load(right) && recorder.load(right));
}

TEST(HostileSimulation, checkpoints_tell_every_change_of_a_byte) {
  Simulation world = one_box();
  Recorder recorder(world, {});
  const std::vector<std::byte> alone = save_checkpoint(world, 5), whole = save_checkpoint(world, recorder, 5);
  EXPECT_EQ(load_checkpoint(alone, 5, world), "");
  EXPECT_EQ(load_checkpoint(whole, 5, world, recorder), "");
  EXPECT_NE(load_checkpoint(alone, 6, world), "");
  EXPECT_NE(load_checkpoint(whole, 5, world), "") << "a record belongs to it";
  EXPECT_NE(load_checkpoint(alone, 5, world, recorder), "") << "it has no record";
  EXPECT_NE(load_checkpoint({}, 5, world), "");
  for (std::size_t i = 0; i < alone.size(); i += 7) {
    std::vector<std::byte> damaged = alone;
    damaged[i] ^= std::byte(0x10);
    EXPECT_NE(load_checkpoint(damaged, 5, world), "") << i;
    damaged.resize(i);
    EXPECT_NE(load_checkpoint(damaged, 5, world), "") << i;
  }
  Simulation other = world_of(Body("bar", make_shape(BoxShape{.nodes = {4, 3, 3}}),
                                   method_of(make_shape(BoxShape{.nodes = {4, 3, 3}})), {}));
  EXPECT_NE(load_checkpoint(alone, 5, other), "");
}

TEST(HostileSimulation, a_checkpoint_without_a_record_goes_on_bit_for_bit) {
  Simulation world = world_of(box_with({{.nodes = {0, 1, 2}, .motion = {}}}));
  for (int k = 0; k < 5; ++k) ASSERT_FALSE(world.step());
  const std::vector<std::byte> kept = save_checkpoint(world);
  const double time = world.time();
  for (int k = 0; k < 5; ++k) ASSERT_FALSE(world.step());
  const Points first = world.bodies()[0].surface();
  ASSERT_EQ(load_checkpoint(kept, 0, world), "");
  EXPECT_EQ(world.time(), time);
  for (int k = 0; k < 5; ++k) ASSERT_FALSE(world.step());
  EXPECT_EQ(world.bodies()[0].surface(), first);
}

TEST(HostileSimulation, probes_of_nothing_are_told_and_their_cells_stay_empty) {
  const ThrowingChecks checks;
  const Simulation world = one_box(), empty({}, {});
  Recorder recorder(world,
                    {{"a", 0, {}}, {"b", 7, {0}}, {"c", -1, {0}}, {"d", 0, {1 << 30}}, {"e", 0, {-1}}});
  EXPECT_EQ(recorder.problems().size(), 5u);
  recorder.note_frame(world, 0);
  recorder.note_step(world);
  EXPECT_NE(recorder.csv(world).find(",,"), std::string::npos);
  EXPECT_EQ(recorder.columns().size(), metric_columns({"a", "b", "c", "d", "e"}).size());
  EXPECT_EQ(recorder.rows().size(), 1u);
  for (const int bad : hostile_counts()) {
    if (bad == 0) continue;
    EXPECT_THROW(recorder.hash(bad), CheckThrown);
    EXPECT_THROW(recorder.largest_force(bad), CheckThrown);
    EXPECT_THROW(recorder.statistics(bad), CheckThrown);
  }
  EXPECT_THROW(recorder.note_step(empty), CheckThrown);
  EXPECT_THROW(recorder.note_frame(empty, 0), CheckThrown);
  EXPECT_THROW(recorder.csv(empty), CheckThrown);
}

TEST(HostileSimulation, a_body_with_problems_answers_all_questions) {
  const Simulation world = world_of(box_with({{.nodes = {999}, .motion = {}}}));
  Recorder recorder(world, {});
  recorder.note_frame(world, 0);
  std::vector<double> forces;
  contact_forces(world), contacts_csv(world, 0), contacts_csv_header(), largest_normal_forces(world, forces);
  EXPECT_EQ(forces, std::vector<double>{0});
  EXPECT_EQ(world.bodies()[0].method().describe().name, "none");
  save_checkpoint(world, 0);
  EXPECT_FALSE(world.problems().empty());
}

TEST(HostileSimulation, a_body_with_problems_has_no_surface_and_no_grabs) {
  const Body body = box_with({{.nodes = {999}, .motion = {}}});
  EXPECT_TRUE(body.contact_rest().empty());
  EXPECT_FALSE(body.grabbed());
  for (const double time : {not_a_number, infinite, -infinite}) body.is_left_alone(time);
}

TEST(HostileSimulation, places_of_nonsense_are_selected_or_not) {
  for (const double bad : {not_a_number, infinite, -infinite}) {
    const Vec3 place(bad, 0, bad);
    selects({SelectSphere{.center = place, .radius = bad}}, {0, 0, 0}, bad);
    selects({SelectAll{}}, place, bad), selects({SelectHalfspace{.normal = place}}, place, bad);
    EXPECT_FALSE(selects({SelectVertices{{0, -1}}}, place, 0));
  }
}

TEST(HostileSimulation, bytes_that_are_no_report_are_refused) {
  Body body = box_with({});
  Writer writer;
  body.save_report(writer);
  const std::vector<std::byte> whole = writer.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + std::ptrdiff_t(size));
    Reader reader(cut);
    EXPECT_FALSE(body.load_report(reader)) << size;
  }
  Reader right(whole);
  EXPECT_TRUE(body.load_report(right));
}

TEST(HostileSimulation, bonds_to_what_is_not_there_hold_nothing) {
  Simulation world = one_box();
  world.set_bonds({{.body = 7, .other = 0, .select = {}},
                   {.body = 0, .other = 7, .select = {}},
                   {.body = 0, .collider = 9, .select = {}},
                   {.body = -3,
                    .other = -3,
                    .collider = -3,
                    .select = {},
                    .within = not_a_number,
                    .strength = not_a_number,
                    .pressure = -1}});
  ASSERT_EQ(world.bonds().size(), 4u);
  for (const BondFacts& facts : world.bond_facts()) EXPECT_EQ(facts.points, 0);
  EXPECT_FALSE(world.step());
}

TEST(HostileSimulation, a_body_tied_to_itself_steps) {
  Simulation world = one_box();
  world.set_bonds({{.body = 0, .other = 0, .select = {}, .within = 10}});
  EXPECT_FALSE(world.step());
  for (const Vec3& x : world.bodies()[0].surface()) EXPECT_TRUE(x.allFinite());
}

TEST(HostileSimulation, questions_about_bodies_that_do_not_exist_go_to_the_check_handler) {
  const ThrowingChecks throwing;
  Simulation world = one_box();
  world.let_sleep(true);
  for (const int bad : {-1, 1, 1000000}) {
    EXPECT_THROW(world.asleep(bad), CheckThrown);
    EXPECT_THROW(world.flaws(bad), CheckThrown);
    EXPECT_THROW(world.met_others(bad), CheckThrown);
  }
  EXPECT_TRUE(world.overlaps().empty());
  EXPECT_TRUE(world.stops().empty());
}

TEST(HostileSimulation, a_body_is_advanced_by_hand_with_nonsense) {
  Body body = box_with({});
  Pool pool(1);
  for (const double bad : {not_a_number, infinite, -1.0, 0.0}) {
    EXPECT_FALSE(body.advance(1, bad, {}, pool).ok());
    body.aim_at(bad, 0.01, {}, pool);
    EXPECT_FALSE(
        body.advance(1, 0.01, {.gravity = Vec3(0, bad == 0 || bad == -1 ? not_a_number : bad, 0)}, pool)
            .ok());
    EXPECT_FALSE(body.pose(not_a_number, {}, {}, pool).ok());
  }
  body.note({});
  EXPECT_TRUE(body.advance(1, 0.01, {}, pool).ok());
}

}  // namespace hostile_simulation_test
}  // namespace pliant
