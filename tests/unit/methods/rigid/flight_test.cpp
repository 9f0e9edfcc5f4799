// SPDX-License-Identifier: Apache-2.0
// Free flight, pins, handles and grabs of a rigid body, against theory.
#include "pliant/methods/rigid/flight.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tests/unit/methods/rigid/bodies.hpp"

namespace pliant::rigid {
namespace rigid_flight_test {

TEST(RigidFlight, follows_the_parabola_to_rounding_at_every_step_length) {
  const Vec3 v{1, 5, -2}, g{0, -9.81, 0};
  for (const double h : {1.0 / 240, 1.0 / 60, 0.5}) {
    const auto body = body_of(racket_shape());
    push(*body, v, {0.3, -2, 1});
    Steps steps(h, g);
    const int count = int(3 / h + 0.5);
    steps.run(*body, count);
    const double t = count * h;
    EXPECT_LT((motion_of(*body).centre - (v * t + g * t * t / 2)).norm(), 1e-12 * 30) << h;
    EXPECT_LT((motion_of(*body).velocity - (v + g * t)).norm(), 1e-12 * 30) << h;
  }
}

TEST(RigidFlight, keeps_spin_and_energy_at_every_rate_and_step) {
  for (const double rate : {0.1, 10.0, 300.0, 1e4, 1e7}) {
    const auto body = body_of(racket_shape());
    push(*body, Vec3::Zero(), rate * Vec3(0.01, 0.02, 1));
    const Vec3 spin = angular_momentum(body->nodes());
    const double energy = kinetic_energy(body->nodes());
    Steps(1.0 / 60).run(*body, 600);
    // The state keeps the spin itself; what nodes and metrics show of it has their rounding.
    EXPECT_LT((angular_momentum(body->nodes()) - spin).norm(), 1e-12 * spin.norm()) << rate;
    const double drift = kinetic_energy(body->nodes()) / energy - 1;
    testing::Test::RecordProperty(fmt::format("energy_drift_at_{:g}", rate), fmt::format("{:.1e}", drift));
    EXPECT_NEAR(drift, 0, 1e-10) << rate;
  }
}

/// About its middle axis: when its z axis goes over to the other side of the angular momentum, s.
std::vector<double> flips_of_racket(double h, double seconds) {
  const auto body = body_of(racket_shape());
  push(*body, {0.3, 0.2, 0.1}, {0.1, 0, 10});
  const Vec3 spin = angular_momentum(body->nodes());
  Steps steps(h);
  std::vector<double> flips;
  double before = 1;
  for (int k = 1; k <= int(seconds / h + 0.5); ++k) {
    steps.run(*body, 1);
    const double now = (motion_of(*body).turn * Vec3(0, 0, 1)).dot(spin);
    if (now * before < 0) flips.push_back(h * (k - now / (now - before)));
    before = now;
  }
  return flips;
}

/// Euler's equations by Runge-Kutta's method in steps of 1e-4 s flip it at these times.
TEST(RigidFlight, flips_a_tennis_racket_when_it_should) {
  const std::vector<double> wanted{0.965, 2.895, 4.824, 6.754, 8.683};
  for (const double h : {1.0 / 960, 1.0 / 240, 1.0 / 60, 1.0 / 30}) {
    const std::vector<double> flips = flips_of_racket(h, 10);
    ASSERT_EQ(flips.size(), wanted.size()) << h;
    for (std::size_t k = 0; k < flips.size(); ++k) EXPECT_NEAR(flips[k], wanted[k], 0.01) << h;
    testing::Test::RecordProperty(fmt::format("last_flip_at_{:.0f}", 1 / h),
                                  fmt::format("{:.4f}", flips.back()));
  }
}

/// A symmetric top, free: its axis goes round the angular momentum with L/J_across, at every step length.
TEST(RigidFlight, precesses_at_the_rate_of_theory) {
  const auto body =
      body_of(make_shape(BoxShape{.size = {0.4, 1, 0.4}, .nodes = {2, 2, 2}, .corner = {-0.2, -0.5, -0.2}}));
  push(*body, Vec3::Zero(), {1, 6, 0});
  const Model& model = dynamic_cast<const Body&>(*body).model();
  const Vec3 spin = motion_of(*body).spin;
  const double rate = spin.norm() / model.inertia(0, 0), h = 1.0 / 60;
  Steps(h).run(*body, 120);
  const Vec3 axis = Eigen::AngleAxisd(2 * rate, spin.normalized()) * Vec3(0, 1, 0);
  // Steps of at most 0.05 rad miss (0.05)^2/12 of the way at most.
  EXPECT_LT((motion_of(*body).turn * Vec3(0, 1, 0) - axis).norm(), 2e-4 * 2 * rate);
}

/// T = 4 K(sin(a/2)) sqrt(J/(m g d)).
double pendulum_period(double amplitude, double inertia, double weight) {
  double a = 1, b = std::cos(amplitude / 2);
  for (int k = 0; k < 20; ++k) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  return 2 * std::numbers::pi / a * std::sqrt(inertia / weight);
}

/// A bar along x, held at its end, that starts from rest: seconds until it is back, from when its end passes below.
double measured_period(Steps& steps, Method& body, const Vec3& down) {
  double last = 0, first_pass = -1, passes = 0, pass = 0;
  for (int k = 0; k < 600; ++k) {
    steps.run(body, 1);
    const Vec3 arm = motion_of(body).turn * Vec3(1, 0, 0);
    const double now = down.cross(arm).z();
    if (last * now < 0) {
      pass = (k + now / (last - now)) * steps.input.h;
      if (first_pass < 0) first_pass = pass;
      ++passes;
    }
    last = now;
  }
  return 2 * (pass - first_pass) / (passes - 1);
}

TEST(RigidFlight, swings_on_a_ball_joint_and_on_a_hinge_with_the_period_of_theory) {
  const Shape bar =
      make_shape(BoxShape{.size = {1, 0.1, 0.1}, .nodes = {3, 3, 3}, .corner = {0, -0.05, -0.05}});
  const double amplitude = std::numbers::pi / 3;
  const Vec3 down{std::cos(amplitude), -std::sin(amplitude), 0};
  const auto node = [&](const Vec3& at) {
    for (Index i = 0; i < Index(bar.graph.positions.size()); ++i)
      if ((bar.graph.positions[std::size_t(i)] - at).norm() < 1e-9) return i;
    return Index(-1);
  };
  const Index middle = node({0, 0, 0}), left = node({0, 0, -0.05}), right = node({0, 0, 0.05});
  for (const std::vector<Index>& held : {std::vector{middle}, std::vector{left, right}}) {
    const auto body = body_of(bar);
    Steps steps(1.0 / 60, 9.81 * down);
    Points targets;
    for (const Index i : held) targets.push_back(bar.graph.positions[std::size_t(i)]);
    steps.input.held = held;
    steps.input.targets = targets;
    const double inertia = 10 * (1.0 / 3 + 0.01 / 12);
    const double wanted = pendulum_period(amplitude, inertia, 10 * 9.81 / 2);
    const double got = measured_period(steps, *body, down);
    testing::Test::RecordProperty(held.size() == 1 ? "ball_joint" : "hinge",
                                  fmt::format("{:.6f}", got / wanted));
    EXPECT_NEAR(got / wanted, 1, 5e-4);  // measured 9e-5; theory: (2 pi h/T)^2/24 = 2e-4
    const double energy =
        kinetic_energy(body->nodes()) - 10 * 9.81 * down.dot(centre_of_mass(body->nodes()) - Vec3(0.5, 0, 0));
    EXPECT_NEAR(energy / (10 * 9.81 * 0.5), 0, 2e-3) << "after ten seconds";
  }
}

TEST(RigidFlight, goes_exactly_where_three_handles_drive_it) {
  const auto body = body_of(racket_shape());
  const Points rest = body->nodes().x;
  const std::vector<Index> held{0, 1, 2, 5};
  Points targets(4);
  Steps steps(1.0 / 60, {0, -9.81, 0});
  steps.input.held = held;
  for (int k = 1; k <= 60; ++k) {
    const Mat3 turn = Eigen::AngleAxisd(0.05 * k, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    for (std::size_t n = 0; n < held.size(); ++n)
      targets[n] = turn * rest[std::size_t(held[n])] + Vec3(0.01 * k, 0.1, 0);
    steps.input.targets = targets;
    steps.run(*body, 1);
    for (std::size_t n = 0; n < held.size(); ++n)
      ASSERT_EQ(body->nodes().x[std::size_t(held[n])], targets[n]);
    for (std::size_t i = 0; i < rest.size(); ++i)
      ASSERT_LT((body->nodes().x[i] - (turn * rest[i] + Vec3(0.01 * k, 0.1, 0))).norm(), 1e-12);
  }
  const Vec3 w = motion_of(*body).turning(dynamic_cast<const Body&>(*body).model());
  EXPECT_LT((w - 3 * Vec3(1, 2, 3).normalized()).norm(), 1e-9);
}

/// Seen from a handle that accelerates by a, the body swings as in the gravity -a.
TEST(RigidFlight, swings_on_a_handle_that_accelerates_as_under_gravity) {
  const Vec3 acceleration{3, 2, -1};
  const std::vector<Index> held{0};
  const auto led = body_of(racket_shape()), hanging = body_of(racket_shape());
  Steps moving(1.0 / 60), still(1.0 / 60, -acceleration);
  Points target(1), pin{led->nodes().x[0]};
  moving.input.held = still.input.held = held;
  still.input.targets = pin;
  for (int k = 1; k <= 120; ++k) {
    const double t = k / 60.0;
    target[0] = pin[0] + acceleration * t * t / 2;
    moving.input.targets = target;
    moving.run(*led, 1);
    still.run(*hanging, 1);
  }
  // The handle moves by chords: half a step late.
  EXPECT_LT((motion_of(*led).rotation() - motion_of(*hanging).rotation()).norm(), 0.05);
}

/// A hinge whose axis turns takes the body along.
TEST(RigidFlight, follows_a_hinge_that_turns) {
  const auto body = body_of(racket_shape());
  const Points rest = body->nodes().x;
  const std::vector<Index> held{0, 1};
  Steps steps(1.0 / 60);
  steps.input.held = held;
  Points targets(2);
  for (int k = 1; k <= 60; ++k) {
    const Mat3 turn = Eigen::AngleAxisd(0.02 * k, Vec3(0, 0, 1)).toRotationMatrix();
    for (std::size_t n = 0; n < 2; ++n) targets[n] = turn * rest[std::size_t(held[n])];
    steps.input.targets = targets;
    steps.run(*body, 1);
    for (std::size_t n = 0; n < 2; ++n) ASSERT_EQ(body->nodes().x[std::size_t(held[n])], targets[n]);
  }
}

/// m g/k below where it is drawn to, without swinging up however stiff the spring is.
TEST(RigidFlight, hangs_in_the_springs_of_grabs_of_any_stiffness) {
  for (const double stiffness : {1e3, 1e6, 1e12}) {
    const auto body = body_of(racket_shape());
    const Vec3 target{-0.5, 1, -0.3};
    const std::vector<Grab> grabs{{0, target, stiffness}};
    Steps steps(1.0 / 60, {0, -9.81, 0});
    steps.input.grabs = grabs;
    double most = 0;
    for (int k = 0; k < 600; ++k) {
      steps.run(*body, 1);
      most = std::max(most, max_speed(body->nodes()));
    }
    EXPECT_LT(most, 100) << stiffness;
    push(*body, Vec3::Zero(), Vec3::Zero());
    auto damped = body_of(racket_shape(), {}, {.mass = 3, .stiffness = 0});
    steps.run(*damped, 1800);
    EXPECT_LT((damped->nodes().x[0] - (target - Vec3(0, 120 * 9.81 / stiffness, 0))).norm(), 1e-4)
        << stiffness;
  }
}

TEST(RigidFlight, is_slowed_by_mass_damping_at_its_rate) {
  const auto body = body_of(racket_shape(), {}, {.mass = 2, .stiffness = 0});
  push(*body, {3, 0, 0}, {0, 5, 0});
  const double spin = motion_of(*body).spin.norm();
  Steps(1.0 / 60).run(*body, 60);
  const double left = std::pow(1 + 2.0 / 60, -60);  // implicit Euler's exp(-2)
  EXPECT_NEAR(motion_of(*body).velocity.x(), 3 * left, 1e-12);
  EXPECT_NEAR(motion_of(*body).spin.norm() / spin, left, 1e-12);
}

TEST(RigidFlight, turns_by_forces_on_nodes) {
  const auto body = body_of(racket_shape());
  Points forces(8, Vec3::Zero());
  forces[0] = {0, 0, 6};
  Steps steps(1.0 / 60);
  steps.input.forces = forces;
  const Vec3 arm = body->nodes().x[0];
  steps.run(*body, 1);
  EXPECT_LT((motion_of(*body).spin - arm.cross(forces[0]) / 60).norm(), 1e-14);
  EXPECT_LT((motion_of(*body).velocity - forces[0] / 60 / 120).norm(), 1e-15);
}

TEST(RigidFlight, never_ends_in_numbers_that_are_none) {
  const auto body = body_of(racket_shape());
  Steps steps(1.0 / 60);
  const std::vector<Grab> grabs{{0, {1e200, 0, 0}, 1e200}};
  steps.input.grabs = grabs;
  const Points before = body->nodes().x;
  const StepReport report = body->advance(steps.input);
  EXPECT_NE(report.trouble.find("no finite answer"), std::string::npos);
  EXPECT_EQ(body->nodes().x[3], before[3]);
  steps.input.grabs = {};
  steps.run(*body, 1);
}

TEST(RigidFlight, takes_the_rigid_motion_nearest_to_where_it_is_placed) {
  const auto body = body_of(racket_shape());
  const Mat3 turn = Eigen::AngleAxisd(2.9, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  const Vec3 w{1, 2, -3};
  Points x = body->nodes().x, v = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = turn * x[i];
    v[i] = Vec3(0, 0, 1) + w.cross(x[i]);
    x[i] += Vec3(7, -3, 2);
  }
  body->place(x, v);
  EXPECT_LT((motion_of(*body).rotation() - turn).norm(), 1e-13);
  EXPECT_LT((motion_of(*body).turning(dynamic_cast<const Body&>(*body).model()) - w).norm(), 1e-12);
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((body->nodes().v[i] - v[i]).norm(), 1e-12);
}

}  // namespace rigid_flight_test
}  // namespace pliant::rigid
