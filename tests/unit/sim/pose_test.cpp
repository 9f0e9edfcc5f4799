// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>

#include "free_fall.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/methods/fem/options.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/methods/metric/options.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {
namespace pose_test {

/// 0.2 x 0.2 x 1 m, clamped at z = 0 unless told otherwise.
struct Bar {
  Shape shape = make_shape(BoxShape{.size = {0.2, 0.2, 1}, .nodes = {5, 5, 21}});
  std::string method = "geometric";
  struct {
    geometric::Options geometric;
    fem::Options fem;
  } options;
  Vec3 gravity{0, -9.81, 0};
  std::vector<Hold> holds;

  Bar() {
    options.geometric.stiffness = options.fem.stiffness = 5e5;
    options.fem.poisson = 0;
    holds.push_back({layer(0), {}});
  }
  std::vector<Index> layer(double z) const {
    return select_nodes({SelectBox{{Vec3(-1, -1, z - 1e-6), Vec3(2, 2, z + 1e-6)}}}, shape);
  }
  Simulation make(const Damping& damping = {0, 0}, double h = 0.5, int threads = 1) const {
    auto built = method == "fem" ? build_method(shape, 1000, damping, options.fem)
                                 : build_method(shape, 1000, damping, options.geometric);
    EXPECT_TRUE(built) << built.error().text();
    std::vector<Body> bodies;
    const Points& X = shape.graph.positions;
    bodies.emplace_back("bar", shape, std::move(*built), holds, Start{X, Points(X.size(), Vec3::Zero())});
    return Simulation(std::move(bodies), {h, gravity, threads});
  }
};

const Points& x_of(const Simulation& simulation) { return simulation.bodies()[0].method().nodes().x; }

double distance(const Points& a, const Points& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

PoseResult pose(Simulation& simulation, double time = 0) {
  PoseResult result = simulation.pose(0, time, {});
  std::printf("%d Newton steps, %d increments, residual %.2g\n", result.iterations, result.increments,
              result.residual);
  return result;
}

TEST(Pose, a_hanging_bar_is_where_the_dynamics_settles) {
  for (const char* method : {"geometric", "fem"}) {
    Bar bar;
    bar.method = method;
    bar.options.geometric.stiffness = bar.options.fem.stiffness = 2e6;
    bar.options.fem.iterations = 5;
    bar.options.geometric.integrator = geometric::Integrator::euler;
    bar.options.geometric.tolerance = 1e-6;
    bar.options.fem.tolerance = 1e-8;
    Simulation posed = bar.make(), settled = bar.make();
    const PoseResult result = pose(posed);
    EXPECT_TRUE(result.ok()) << result.trouble;
    EXPECT_LE(result.residual, 1e-6);
    for (int k = 0; k < 40; ++k) ASSERT_FALSE(settled.step());
    const double drop = distance(x_of(settled), bar.shape.graph.positions);
    EXPECT_GT(drop, 0.1);
    EXPECT_LT(distance(x_of(posed), x_of(settled)), 1e-3 * drop) << method;
    for (const Vec3& v : posed.bodies()[0].method().nodes().v) EXPECT_EQ(v.norm(), 0);
  }
}

TEST(Pose, multigrid_and_direct_rest_in_the_same_place) {
  Bar bar;
  Simulation direct = bar.make();
  bar.options.geometric.linear_solver = geometric::LinearSolver::multigrid;
  Simulation cycles = bar.make();
  EXPECT_TRUE(pose(direct).ok());
  EXPECT_TRUE(pose(cycles).ok());
  EXPECT_LT(distance(x_of(direct), x_of(cycles)), 1e-6);
}

TEST(Pose, a_handle_that_turns_more_than_once_twists_the_bar_all_the_way) {
  Bar bar;
  bar.gravity.setZero();
  bar.holds.push_back(
      {bar.layer(1),
       Motion{{{0, Vec3(0, 0, 0), {}}, {1, Vec3(0, 0, 0.05), {Vec3(0, 0, 1), 400}}}, Ease::smooth}});
  Simulation simulation = bar.make();
  const PoseResult result = pose(simulation, 1);
  EXPECT_TRUE(result.ok()) << result.trouble;
  EXPECT_GT(result.increments, 10);
  // Half way along, the section has turned by half the angle.
  const Index node =
      Index(std::find_if(bar.shape.graph.positions.begin(), bar.shape.graph.positions.end(),
                         [](const Vec3& p) { return (p - Vec3(0.2, 0.1, 0.5)).norm() < 1e-9; }) -
            bar.shape.graph.positions.begin());
  const Vec3 arm = x_of(simulation)[node] - Vec3(0.1, 0.1, 0.525);
  EXPECT_NEAR(std::atan2(arm.y(), arm.x()), (200 - 360) * std::numbers::pi / 180, 0.01);
}

TEST(Pose, the_time_decides_where_handles_are_and_which_ones_hold) {
  Bar bar;
  bar.gravity.setZero();
  bar.holds.push_back(
      {bar.layer(1), Motion{{{0, Vec3(0, 0, 0), {}}, {2, Vec3(0, 0, 0.1), {}}}, Ease::linear}, 3});
  Simulation simulation = bar.make();
  EXPECT_EQ(simulation.bodies()[0].last_key(), 2);
  EXPECT_TRUE(pose(simulation, 1).ok());
  EXPECT_NEAR(x_of(simulation).back().z(), 1.05, 1e-12);
  EXPECT_TRUE(pose(simulation, 4).ok());  // let go of: back to the rest shape
  EXPECT_LT(distance(x_of(simulation), bar.shape.graph.positions), 1e-6);
}

TEST(Pose, a_free_body_without_gravity_takes_its_rest_shape_again) {
  Bar bar;
  bar.gravity.setZero();
  bar.holds.clear();
  Simulation simulation = bar.make();
  Points x = bar.shape.graph.positions;
  for (Vec3& p : x) p += Vec3(0.2 * p.z() * p.z(), 0, 0.1 * p.z());
  simulation.body(0).method().place(x, Points(x.size(), Vec3::Zero()));
  EXPECT_TRUE(pose(simulation).ok());
  EXPECT_LT(simulation.bodies()[0].method().elastic_energy(), 1e-6);
}

TEST(Pose, a_bar_on_a_hinge_turns_until_it_hangs) {
  Bar bar;
  bar.options.geometric.stiffness = 5e6;
  bar.holds = {
      {select_nodes({SelectBox{{Vec3(-1, 0.1 - 1e-6, -1e-6), Vec3(2, 0.1 + 1e-6, 1e-6)}}}, bar.shape), {}}};
  Simulation simulation = bar.make();
  const PoseResult result = pose(simulation);
  EXPECT_TRUE(result.ok()) << result.trouble;
  const Vec3 along = x_of(simulation).back() - x_of(simulation).front();
  EXPECT_LT(along.y(), -0.95);
}

TEST(Pose, a_body_that_nothing_holds_falls_and_says_so) {
  Bar bar;
  bar.holds.clear();
  Simulation simulation = bar.make();
  const PoseResult result = pose(simulation);
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.trouble.find("pin"), std::string::npos) << result.trouble;
}

TEST(Pose, too_few_steps_are_told_with_what_is_left) {
  Bar bar;
  Simulation simulation = bar.make();
  const PoseResult result = simulation.pose(0, 0, {.iterations = 1});
  EXPECT_FALSE(result.ok());
  EXPECT_GT(result.residual, 1e-6);
  EXPECT_NE(result.trouble.find("after 1 Newton steps"), std::string::npos) << result.trouble;
}

TEST(Pose, progress_can_stop_it) {
  Bar bar;
  Simulation simulation = bar.make();
  const PoseResult result = simulation.pose(0, 0, {.progress = [](int, int) { return false; }});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.iterations, 1);
}

TEST(Pose, threads_do_not_change_the_answer_and_dynamics_goes_on_from_it) {
  Bar bar;
  Simulation one = bar.make({0, 0}, 1.0 / 60), two = bar.make({0, 0}, 1.0 / 60, 3);
  EXPECT_TRUE(pose(one).ok());
  EXPECT_TRUE(pose(two).ok());
  EXPECT_EQ(x_of(one), x_of(two));
  const Points rest = x_of(one);
  for (int k = 0; k < 20; ++k) ASSERT_FALSE(one.step());
  EXPECT_LT(distance(x_of(one), rest), 1e-4);
}

// What a solve learned of the body it solved before is not state.
TEST(Pose, a_loaded_body_is_posed_like_a_new_one_in_that_state) {
  Bar bar;
  Simulation used = bar.make(), fresh = bar.make();
  ASSERT_TRUE(pose(used).ok());
  Writer writer;
  fresh.save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(used.load(reader));
  const PoseOptions one_step{.iterations = 1, .from_here = true};
  used.pose(0, 0, one_step);
  fresh.pose(0, 0, one_step);
  EXPECT_EQ(x_of(used), x_of(fresh));
}

/// It is beyond its buckling and on the straight branch: its matrix says nothing of the softness there.
TEST(Pose, a_squashed_metric_bar_finds_its_balance) {
  Bar bar;
  bar.gravity.setZero();
  metric::Options options;
  options.stiffness = 1e6;
  const Motion press{{{0, Vec3(0, 0, 0), {}}, {1, Vec3(0, 0, -0.2), {}}}, Ease::smooth};
  bar.holds.push_back({bar.layer(1), press});
  auto built = build_method(bar.shape, 1000, {0, 0}, options);
  ASSERT_TRUE(built) << built.error().text();
  const Points& X = bar.shape.graph.positions;
  std::vector<Body> bodies;
  bodies.emplace_back("bar", bar.shape, std::move(*built), bar.holds,
                      Start{X, Points(X.size(), Vec3::Zero())});
  Simulation simulation(std::move(bodies), {0.5, bar.gravity, 1});
  const PoseResult result = pose(simulation, 1);
  EXPECT_TRUE(result.ok()) << result.trouble;
}

TEST(Pose, a_method_without_a_static_solve_is_refused_by_name) {
  const Shape shape = make_shape(BoxShape{Vec3(1, 1, 1), {3, 3, 3}, Vec3(0, 0, 0)});
  const Points& X = shape.graph.positions;
  std::vector<Body> bodies;
  bodies.emplace_back("block", shape, std::make_unique<FreeFall>(shape, 1000), std::vector<Hold>{{{0}, {}}},
                      Start{X, Points(X.size(), Vec3::Zero())});
  Simulation simulation(std::move(bodies), {});
  const PoseResult result = simulation.pose(0, 0, {});
  EXPECT_NE(result.trouble.find("no static solve"), std::string::npos) << result.trouble;
}

}  // namespace pose_test
}  // namespace pliant
