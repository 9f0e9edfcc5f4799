// SPDX-License-Identifier: Apache-2.0
// Where geometric bodies in reduced space rest.
#include <gtest/gtest.h>

#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/sim/simulation.hpp"
#include "tests/support/points.hpp"

namespace pliant::geometric {
namespace reduced_pose_test {

const Motion twist{{{0, Vec3(0, 0, 0), {}}, {1, Vec3(0, -0.05, 0), {Vec3(0, 0, 1), 120}}}, Ease::smooth};

/// 0.2 x 0.2 x 1 m, clamped at z = 0 unless told otherwise; its tip sinks by a quarter of its length.
struct Bar {
  Shape shape;
  Options options;
  Vec3 gravity{0, -9.81, 0};
  std::vector<Hold> holds;

  explicit Bar(std::array<int, 3> nodes = {5, 5, 21})
      : shape(make_shape(BoxShape{.size = {0.2, 0.2, 1}, .nodes = nodes})) {
    options.stiffness = 1e6;
    holds.push_back({layer(0), {}});
  }
  const Points& rest() const { return shape.graph.positions; }
  std::vector<Index> layer(double z) const {
    return select_nodes({SelectBox{{Vec3(-1, -1, z - 1e-6), Vec3(2, 2, z + 1e-6)}}}, shape);
  }
  Model model() const { return std::move(*make_model(*make_rows(shape, 1000, options))); }

  /// What the basis is made for: the holds.
  std::vector<HeldPiece> pieces() const {
    std::vector<HeldPiece> out;
    for (const Hold& hold : holds)
      out.push_back({hold.nodes, !hold.motion.keys.empty() || std::isfinite(hold.release)});
    return out;
  }
  Basis modes(int count) const { return *make_basis(model(), pieces(), Reduction{.modal = count}, {}); }
  Basis all_functions() const {
    const Model m = model();
    return *make_basis(m, pieces(), Eigen::MatrixXd::Identity(m.nodes(), m.nodes()));
  }

  Simulation with(std::unique_ptr<Method> method, int threads = 1) const {
    std::vector<Body> bodies;
    bodies.emplace_back("bar", shape, std::move(method), holds, Start{rest(), still(rest())});
    return Simulation(std::move(bodies), {1.0 / 60, gravity, threads});
  }
  Simulation full() const { return with(std::move(*build(shape, 1000, {0, 0}, options))); }
  Simulation reduced(Basis basis, Cubature cubature, int threads = 1) const {
    return with(build_reduced(model(), {{shape.embedding, shape.contact}, shape.graph.cells}, {0, 0}, options,
                              std::move(basis), std::move(cubature)),
                threads);
  }
  Simulation reduced(Basis basis, int threads = 1) const {
    return reduced(std::move(basis), every_node(model()), threads);
  }
  static Points still(const Points& x) { return Points(x.size(), Vec3::Zero()); }
};

const Method& method_of(const Simulation& simulation) { return simulation.bodies()[0].method(); }
const Points& x_of(const Simulation& simulation) { return method_of(simulation).nodes().x; }

PoseResult pose(Simulation& simulation, double time = 0, double tolerance = 1e-6) {
  PoseResult result = simulation.pose(0, time, {.tolerance = tolerance});
  std::printf("%d Newton steps, %d increments, residual %.2g\n", result.iterations, result.increments,
              result.residual);
  EXPECT_TRUE(result.ok()) << result.trouble;
  EXPECT_LE(result.residual, tolerance);
  return result;
}

TEST(ReducedPose, modes_times_affine_functions_rest_near_the_full_bar) {
  const Bar bar;
  Simulation full = bar.full();
  pose(full);
  const double drop = farthest(x_of(full), bar.rest());
  EXPECT_GT(drop, 0.2);
  double before = 1;
  for (const int modes : {2, 4, 8}) {
    Simulation reduced = bar.reduced(bar.modes(modes));
    pose(reduced);
    const double off = farthest(x_of(reduced), x_of(full)) / drop;
    std::printf("%d modes: off by %.4f of a drop of %.3f m\n", modes, off, drop);
    EXPECT_LT(off, before);
    before = off;
  }
  EXPECT_LT(before, 0.003);
}

TEST(ReducedPose, with_all_functions_of_the_nodes_it_rests_where_the_full_bar_does) {
  const Bar bar({3, 3, 9});
  Simulation full = bar.full(), reduced = bar.reduced(bar.all_functions());
  const PoseResult of_full = pose(full, 0, 1e-9), of_reduced = pose(reduced, 0, 1e-9);
  const double drop = farthest(x_of(full), bar.rest());
  EXPECT_GT(drop, 0.1);
  EXPECT_LT(farthest(x_of(full), x_of(reduced)), 1e-7 * drop);
  // and what is left is measured alike
  EXPECT_LT(of_reduced.force, 10 * of_full.force);
  EXPECT_GT(of_reduced.force / of_reduced.residual, 0.99 * of_full.force / of_full.residual);
  EXPECT_LT(of_reduced.force / of_reduced.residual, 1.01 * of_full.force / of_full.residual);
}

TEST(ReducedPose, what_the_space_can_follow_is_balanced_and_the_rest_is_not_asked_for) {
  const Bar bar;
  Simulation simulation = bar.reduced(bar.modes(4));
  const PoseResult result = pose(simulation);
  const auto& body = dynamic_cast<const ReducedBody&>(method_of(simulation));
  const Model model = bar.model();
  const Points& x = x_of(simulation);
  Rotations rotations(x.size(), Eigen::Quaterniond::Identity());
  update_rotations(model, x, rotations);
  Points f(x.size());
  gradient(model, x, rotations, f);
  // The own columns are orthonormal in M and zero where it is held: M Phi Phi^T f.
  Coordinates in_space = Coordinates::Zero(body.model().basis.own, 3), weight = in_space;
  double loose = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto row = body.model().basis.columns.row(Eigen::Index(i)).transpose();
    f[i] = model.mass[i] * bar.gravity - f[i];
    in_space += row * f[i].transpose();
    weight += row * model.mass[i] * bar.gravity.transpose();
    if (x[i].z() > 1e-6) loose += f[i].squaredNorm();
  }
  const auto force = [&](const Coordinates& z) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum +=
          model.mass[i] * model.mass[i] * (body.model().basis.columns.row(Eigen::Index(i)) * z).squaredNorm();
    return std::sqrt(sum);
  };
  EXPECT_NEAR(force(in_space), result.force, 1e-3 * result.force);
  EXPECT_LT(force(in_space), 2e-5 * force(weight));
  EXPECT_GT(std::sqrt(loose), 0.01 * force(weight));
}

TEST(ReducedPose, a_handle_is_where_it_is_told_to_be_and_the_bar_follows_all_the_way) {
  Bar bar;
  bar.holds.push_back({bar.layer(1), twist});
  Simulation full = bar.full();
  pose(full, 1);
  double before = 1;
  for (const int modes : {4, 8, 16}) {
    Simulation reduced = bar.reduced(bar.modes(modes));
    EXPECT_GT(pose(reduced, 1).increments, 5);
    for (const Index i : bar.layer(1))
      EXPECT_LT((x_of(reduced)[std::size_t(i)] - x_of(full)[std::size_t(i)]).norm(), 1e-9);
    const double off = farthest(x_of(reduced), x_of(full)) / farthest(x_of(full), bar.rest());
    std::printf("%d modes: off by %.4f\n", modes, off);
    EXPECT_LT(off, before);
    before = off;
  }
  EXPECT_LT(before, 0.045);
}

TEST(ReducedPose, with_all_functions_a_handle_leads_it_where_it_leads_the_full_bar) {
  Bar bar({3, 3, 9});
  bar.holds.push_back({bar.layer(1), twist});
  Simulation full = bar.full(), reduced = bar.reduced(bar.all_functions());
  pose(full, 1, 1e-9);
  pose(reduced, 1, 1e-9);
  EXPECT_LT(farthest(x_of(full), x_of(reduced)), 1e-7);
}

TEST(ReducedPose, a_handle_that_lets_go_leaves_its_functions_to_the_balance) {
  Bar bar;
  bar.gravity.setZero();
  bar.holds.push_back({bar.layer(1), twist, 2});
  Simulation simulation = bar.reduced(bar.modes(4));
  pose(simulation, 1);
  EXPECT_GT(farthest(x_of(simulation), bar.rest()), 0.1);
  pose(simulation, 3);
  EXPECT_LT(farthest(x_of(simulation), bar.rest()), 1e-6);
}

TEST(ReducedPose, few_nodes_with_weights_rest_near_where_all_of_them_do) {
  const Bar bar;
  const Basis basis = bar.modes(3);
  Simulation all = bar.reduced(basis);
  pose(all);
  const double drop = farthest(x_of(all), bar.rest());
  double before = 1;
  for (const int count : {20, 40, 60}) {
    const TrainedCubature trained = train_cubature(bar.model(), basis, count);
    Simulation few = bar.reduced(basis, trained.points);
    pose(few);
    const double off = farthest(x_of(few), x_of(all)) / drop;
    std::printf("%d nodes: error %.4f by the training's tests, off by %.4f\n", count, trained.error, off);
    EXPECT_LT(off, before);
    EXPECT_GT(off, 0);
    before = off;
  }
  EXPECT_LT(before, 0.005);
}

TEST(ReducedPose, a_bar_that_flowed_rests_in_its_new_shape) {
  Bar bar({3, 3, 11});
  bar.options.plasticity = Plasticity{{.yield = 0.01, .creep = 20}, {}};
  bar.options.hourglass = 1;
  Simulation simulation = bar.reduced(bar.modes(4));
  for (int k = 0; k < 30; ++k) ASSERT_FALSE(simulation.step());
  simulation.set_gravity(Vec3(0, 0, 0));
  ASSERT_FALSE(simulation.step());
  pose(simulation);
  EXPECT_GT(farthest(x_of(simulation), bar.rest()), 0.02);
  Points f(x_of(simulation).size());
  method_of(simulation).elastic_forces(f);
  double left = 0;
  for (std::size_t i = 0; i < f.size(); ++i) left += f[i].squaredNorm();
  EXPECT_LT(std::sqrt(left), 1e-3);  // N; it weighs 400 N
}

TEST(ReducedPose, a_grab_pulls_until_the_bar_pulls_back) {
  Bar bar({3, 3, 9});
  bar.gravity.setZero();
  Simulation simulation = bar.reduced(bar.all_functions());
  const Grab grab{bar.layer(1)[4], Vec3(0.1, 0.4, 1), 1e3};
  simulation.body(0).set_grabs({&grab, 1});
  pose(simulation, 0, 1e-8);
  Points f(x_of(simulation).size());
  method_of(simulation).elastic_forces(f);
  const Vec3 pull = grab.stiffness * (grab.target - x_of(simulation)[std::size_t(grab.node)]);
  EXPECT_GT(pull.norm(), 10);
  EXPECT_LT((f[std::size_t(grab.node)] + pull).norm(), 1e-5 * pull.norm());
}

TEST(ReducedPose, a_free_body_takes_its_rest_shape_again_or_falls_and_says_so) {
  Bar bar;
  bar.holds.clear();
  bar.gravity.setZero();
  Simulation floating = bar.reduced(bar.modes(4));
  Points x = bar.rest();
  for (Vec3& p : x) p = Eigen::AngleAxisd(0.5, Vec3(1, 0, 0)) * Vec3(1.2 * p.x() + 0.1 * p.z(), p.y(), p.z());
  floating.body(0).method().place(x, Bar::still(x));
  pose(floating);
  EXPECT_LT(method_of(floating).elastic_energy(), 1e-12);
  bar.gravity = Vec3(0, -9.81, 0);
  Simulation falling = bar.reduced(bar.modes(4));
  const PoseResult result = falling.pose(0, 0, {});
  EXPECT_NE(result.trouble.find("falls without end: pin"), std::string::npos) << result.trouble;
}

TEST(ReducedPose, forces_of_rounding_need_no_balance) {
  Bar bar;
  bar.gravity.setZero();
  bar.holds.clear();
  Simulation simulation = bar.reduced(bar.modes(4));
  Points x = bar.rest();
  for (Vec3& p : x) p = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()) * p;
  simulation.body(0).method().place(x, Bar::still(x));
  const PoseResult result = pose(simulation);
  EXPECT_GT(result.force, 0);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_LT(farthest(x_of(simulation), x), 1e-9);
}

TEST(ReducedPose, threads_do_not_change_the_answer_and_dynamics_goes_on_from_it) {
  const Bar bar;
  Simulation one = bar.reduced(bar.modes(4)), three = bar.reduced(bar.modes(4), 3);
  pose(one);
  pose(three);
  EXPECT_EQ(x_of(one), x_of(three));
  for (const Vec3& v : method_of(one).nodes().v) EXPECT_EQ(v.norm(), 0);
  const Points there = x_of(one);
  for (int k = 0; k < 20; ++k) ASSERT_FALSE(one.step());
  EXPECT_LT(farthest(x_of(one), there), 1e-4);
}

TEST(ReducedPose, what_the_space_was_not_made_for_is_refused_with_the_cause) {
  Bar bar;
  const Basis for_the_pin = bar.modes(3);
  bar.holds.push_back({bar.layer(1), twist});
  Simulation more = bar.reduced(for_the_pin);
  PoseResult result = more.pose(0, 1, {});
  EXPECT_NE(result.trouble.find("is held, but the basis of this reduced body was made without it"),
            std::string::npos)
      << result.trouble;
  bar.holds = {};
  Simulation fewer = bar.reduced(for_the_pin);
  result = fewer.pose(0, 0, {});
  EXPECT_NE(result.trouble.find("is let go, but the basis of this reduced body was made with it"),
            std::string::npos)
      << result.trouble;
}

TEST(ReducedPose, too_few_steps_for_the_way_of_a_handle_are_told) {
  Bar bar;
  bar.holds.push_back({bar.layer(1), twist});
  Simulation simulation = bar.reduced(bar.modes(2));
  const PoseResult result = simulation.pose(0, 1, {.iterations = 2});
  EXPECT_FALSE(result.ok());
  EXPECT_NE(result.trouble.find("after 2 Newton steps"), std::string::npos) << result.trouble;
  EXPECT_NE(result.trouble.find("raise --iterations"), std::string::npos) << result.trouble;
}

}  // namespace reduced_pose_test
}  // namespace pliant::geometric
