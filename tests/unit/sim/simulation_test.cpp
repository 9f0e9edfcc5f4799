// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/simulation.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "free_fall.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/sim/checkpoint.hpp"

namespace pliant {
namespace simulation_test {

const Shape& block() {
  static const Shape shape = make_shape(BoxShape{Vec3(1, 1, 1), {3, 3, 3}, Vec3(0, 0, 0)});
  return shape;
}

std::vector<Index> face(double x) {
  return select_nodes({SelectBox{{Vec3(x, 0, 0), Vec3(x, 1, 1)}}}, block());
}

Body make_body(std::vector<Hold> holds, std::string name = "block") {
  const Points& X = block().graph.positions;
  return Body(std::move(name), block(), std::make_unique<FreeFall>(block(), 1000), std::move(holds),
              {X, Points(X.size(), Vec3::Zero())});
}

Simulation make_simulation(std::vector<Hold> holds, double h = 0.1) {
  std::vector<Body> bodies;
  bodies.push_back(make_body(std::move(holds)));
  return Simulation(std::move(bodies), {h, Vec3(0, -10, 0), 1});
}

FreeFall& method_of(Simulation& simulation) { return dynamic_cast<FreeFall&>(simulation.body(0).method()); }

const Points& x_of(const Simulation& simulation) { return simulation.bodies()[0].method().nodes().x; }

TEST(Simulation, time_is_the_number_of_steps_times_h) {
  Simulation simulation = make_simulation({});
  for (int i = 0; i < 1000; ++i) ASSERT_FALSE(simulation.step());
  EXPECT_EQ(simulation.time(), 1000 * 0.1);
}

TEST(Simulation, pins_stay_exactly_where_they_start_while_the_rest_falls) {
  Simulation simulation = make_simulation({{face(0), {}}});
  for (int i = 0; i < 5; ++i) ASSERT_FALSE(simulation.step());
  for (const Index node : face(0)) EXPECT_EQ(x_of(simulation)[node], block().graph.positions[node]);
  EXPECT_LT(x_of(simulation)[face(1)[0]].y(), -1);
}

TEST(Simulation, a_handle_turns_its_nodes_about_their_centre_and_shifts_them) {
  const Motion motion{{{0, Vec3(0, 0, 0), {}}, {1, Vec3(0, 2, 0), {Vec3(1, 0, 0), 90}}}, Ease::smooth};
  Simulation simulation = make_simulation({{face(1), motion}});
  for (int i = 0; i < 12; ++i) ASSERT_FALSE(simulation.step());  // beyond the last key
  const Vec3 centre(1, 0.5, 0.5);
  for (const Index node : face(1)) {
    const Vec3 arm = block().graph.positions[node] - centre;
    const Vec3 turned(arm.x(), -arm.z(), arm.y());  // a quarter turn about x
    EXPECT_NEAR((x_of(simulation)[node] - (centre + turned + Vec3(0, 2, 0))).norm(), 0, 1e-12);
  }
}

TEST(Simulation, held_nodes_come_ascending_and_leave_at_their_release) {
  Simulation simulation = make_simulation({{face(1), {}, 0.3}, {face(0), {}}});
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(simulation.step());
  std::vector<Index> both = face(0);
  const std::vector<Index> right = face(1);
  both.insert(both.end(), right.begin(), right.end());
  std::sort(both.begin(), both.end());
  EXPECT_EQ(method_of(simulation).held, both);  // the step that ends at the release is still held
  ASSERT_FALSE(simulation.step());
  EXPECT_EQ(method_of(simulation).held, face(0));
  EXPECT_LT(x_of(simulation)[right[0]].y(), block().graph.positions[right[0]].y());
}

TEST(Simulation, gravity_and_grabs_take_effect_at_the_next_step) {
  Simulation simulation = make_simulation({});
  simulation.set_gravity(Vec3(0, 0, 0));
  const Grab grab{13, Vec3(0.5, 3, 0.5), 1e4};
  simulation.body(0).set_grabs({&grab, 1});
  ASSERT_FALSE(simulation.step());
  EXPECT_GT(x_of(simulation)[13].y(), 0.5);
  EXPECT_EQ(x_of(simulation)[0].y(), 0);
  simulation.body(0).set_grabs({});
  const double speed = simulation.bodies()[0].method().nodes().v[13].y();
  ASSERT_FALSE(simulation.step());
  EXPECT_EQ(simulation.bodies()[0].method().nodes().v[13].y(), speed);
}

TEST(Simulation, a_failed_step_names_body_step_time_and_cause) {
  Simulation simulation = make_simulation({});
  method_of(simulation).fail_at_step = 2;
  ASSERT_FALSE(simulation.step());
  ASSERT_FALSE(simulation.step());
  const Points before = x_of(simulation);
  const auto failure = simulation.step();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->text(), "body block, step 3 (t = 0.3 s): told to fail");
  EXPECT_EQ(simulation.steps(), 2);
  EXPECT_EQ(x_of(simulation), before);
}

TEST(Body, volume_ratio_is_one_at_rest_and_absent_for_an_open_surface) {
  EXPECT_NEAR(*make_body({}).volume_ratio(), 1, 1e-14);
  const Shape sheet = make_shape(SheetShape{});
  const Points& X = sheet.graph.positions;
  const Body body("sheet", sheet, std::make_unique<FreeFall>(sheet, 1000), {},
                  {X, Points(X.size(), Vec3::Zero())});
  EXPECT_FALSE(body.volume_ratio());
}

// ---- checkpoint ------------------------------------------------------------------------------------------

std::vector<Hold> turning_handle() {
  return {
      {face(1), {{{0, Vec3(0, 0, 0), {}}, {1, Vec3(0, 1, 0), {Vec3(1, 1, 0), 200}}}, Ease::smooth}, 0.75}};
}

struct Recorded {
  Simulation simulation = make_simulation(turning_handle());
  Recorder recorder{simulation, {{"tip", 0, face(1)}}};
  /// Steps from one frame to another; frame 0 is noted at the start.
  Recorded() { recorder.note_frame(simulation, 0); }
  void frames(int from, int to) {
    for (int frame = from + 1; frame <= to; ++frame) {
      ASSERT_FALSE(simulation.step());
      recorder.note_step(simulation);
      recorder.note_frame(simulation, frame);
    }
  }
};

TEST(Checkpoint, resumes_bit_for_bit_with_metrics_hash_and_grabs) {
  Recorded whole, first, second;
  const Grab grab{13, Vec3(0.5, 3, 0.5), 1e3};
  whole.simulation.body(0).set_grabs({&grab, 1});
  whole.frames(0, 8);
  whole.simulation.body(0).set_grabs({});
  whole.frames(8, 12);
  first.simulation.body(0).set_grabs({&grab, 1});
  first.frames(0, 5);
  const auto bytes = save_checkpoint(first.simulation, first.recorder, 42);
  ASSERT_EQ(load_checkpoint(bytes, 42, second.simulation, second.recorder), "");
  EXPECT_EQ(second.simulation.steps(), 5);
  second.frames(5, 8);
  second.simulation.body(0).set_grabs({});
  second.frames(8, 12);
  EXPECT_EQ(x_of(second.simulation), x_of(whole.simulation));
  EXPECT_EQ(second.recorder.hash(0), whole.recorder.hash(0));
  EXPECT_EQ(second.recorder.csv(second.simulation), whole.recorder.csv(whole.simulation));
  EXPECT_EQ(second.recorder.statistics(0).steps, 12u);
}

TEST(Checkpoint, refuses_damaged_foreign_and_cut_bytes) {
  Recorded run;
  run.frames(0, 3);
  const auto good = save_checkpoint(run.simulation, run.recorder, 42);
  auto damaged = good;
  damaged[damaged.size() / 2] ^= std::byte{1};
  EXPECT_NE(load_checkpoint(damaged, 42, run.simulation, run.recorder).find("checksum"), std::string::npos);
  EXPECT_NE(load_checkpoint(good, 43, run.simulation, run.recorder).find("another scene"), std::string::npos);
  auto newer = good;
  newer[8] = std::byte{99};
  EXPECT_NE(load_checkpoint(newer, 42, run.simulation, run.recorder).find("version 99"), std::string::npos);
  for (const std::size_t size : {std::size_t(0), std::size_t(7), std::size_t(30), good.size() - 1})
    EXPECT_NE(load_checkpoint({good.begin(), good.begin() + long(size)}, 42, run.simulation, run.recorder),
              "");
  EXPECT_EQ(load_checkpoint(good, 42, run.simulation, run.recorder), "");
}

// ---- colliders -------------------------------------------------------------------------------------------

/// One body that remembers what it was given, over ground that rises by 1 m/s.
Simulation over_a_lift(const ContactOptions& contact) {
  std::vector<Body> bodies;
  bodies.push_back(Body("block", block(), std::make_unique<FreeFall>(block(), 1000), {}, {}, contact));
  const Motion lift{{{0, Vec3(0, 0, 0), {}}, {10, Vec3(0, 10, 0), {}}}, Ease::linear};
  std::vector<Collider> colliders{{PlaneCollider{{0, -3, 0}, {0, 1, 0}}, lift, 0.7, 0}};
  return Simulation(std::move(bodies), {0.125, Vec3(0, 0, 0), 1}, std::move(colliders));
}

TEST(Simulation, bodies_meet_colliders_where_they_are_during_the_step) {
  ContactOptions contact;
  contact.friction = 0.25;
  contact.sweeps = 7;
  Simulation simulation = over_a_lift(contact);
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(simulation.step());
  const FreeFall& method = method_of(simulation);
  EXPECT_EQ(method.contact.friction, 0.25);
  EXPECT_EQ(method.contact.sweeps, 7);
  ASSERT_EQ(method.collider_heights.size(), 2u);
  EXPECT_NEAR(method.collider_heights[0], -3 + 0.25, 1e-14);   // the third step begins
  EXPECT_NEAR(method.collider_heights[1], -3 + 0.375, 1e-14);  // and ends
}

TEST(Simulation, a_loaded_simulation_aims_its_colliders_at_its_own_time) {
  Simulation first = over_a_lift({}), second = over_a_lift({});
  for (int i = 0; i < 4; ++i) ASSERT_FALSE(first.step());
  Writer writer;
  first.save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(second.load(reader));
  ASSERT_FALSE(first.step());
  ASSERT_FALSE(second.step());
  EXPECT_EQ(method_of(first).collider_heights, method_of(second).collider_heights);
}

TEST(Recorder, contact_of_the_last_step_stands_in_its_columns_when_there_are_colliders) {
  Simulation simulation = over_a_lift({});
  Recorder recorder(simulation, {});
  recorder.note_frame(simulation, 0);
  ASSERT_FALSE(simulation.step());
  recorder.note_step(simulation);
  recorder.note_frame(simulation, 1);
  const std::string csv = recorder.csv(simulation);
  EXPECT_NE(csv.substr(0, csv.find("\n1,")).find(",,,,,,,,,,,,"), std::string::npos);  // no step yet
  EXPECT_NE(csv.find(",5,12,0.001,0.0625,1,2,3,,,0,4,0,"), std::string::npos) << csv;  // what FreeFall says
}

// ---- recorder --------------------------------------------------------------------------------------------

TEST(Recorder, columns_begin_with_the_promised_ones_and_end_with_the_probes) {
  Recorded run;
  run.frames(0, 1);
  const std::string csv = run.recorder.csv(run.simulation);
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "frame,time,body,step_ms,kinetic,elastic,volume_ratio,momentum_x,momentum_y,momentum_z,angular_x,"
            "angular_y,angular_z,max_speed,min_x,min_y,min_z,max_x,max_y,max_z,inverted,active_rotations,"
            "kept_rotations,contacts,contact_sweeps,contact_residual,penetration,contact_impulse_x,contact_"
            "impulse_y,"
            "contact_impulse_z,yields,breakdowns,violent,iterations,shortened,potential,total,mass,center_x,"
            "center_y,"
            "center_z,reaction_x,reaction_y,reaction_z,"
            "tip_x,tip_y,tip_z,tip_dx,tip_dy,tip_dz");
}

TEST(Recorder, a_cell_that_makes_no_sense_is_empty) {
  Recorded run;
  run.frames(0, 1);
  const std::string csv = run.recorder.csv(run.simulation);
  EXPECT_NE(csv.find("\n0,0,block,,0,0,"), std::string::npos);     // no step before frame 0
  EXPECT_NE(csv.find("\n1,0.1,block,0.25,"), std::string::npos);   // one step of 0.25 ms
  EXPECT_NE(csv.find(",,,,,,,,,,"), std::string::npos);            // inverted, rotations, seven of contact
  EXPECT_NE(csv.find(",,,1,0.5,0.5,0,0,0\n"), std::string::npos);  // nothing holds it; then the probe
}

TEST(Recorder, hash_chains_the_surfaces_of_all_frames) {
  Recorded run;
  std::uint64_t hash = frame_hash(run.simulation.bodies()[0].surface());
  for (int frame = 1; frame <= 3; ++frame) {
    run.frames(frame - 1, frame);
    hash = frame_hash(run.simulation.bodies()[0].surface(), hash);
  }
  EXPECT_EQ(run.recorder.hash(0), hash);
}

TEST(Recorder, statistics_are_of_all_steps) {
  Recorded run;
  run.frames(0, 4);
  const StepStatistics statistics = run.recorder.statistics(0);
  EXPECT_EQ(statistics.steps, 4u);
  EXPECT_EQ(statistics.min, 0.25);
  EXPECT_EQ(statistics.median, 0.25);
  EXPECT_EQ(statistics.p95, 0.25);
}

}  // namespace simulation_test
}  // namespace pliant
