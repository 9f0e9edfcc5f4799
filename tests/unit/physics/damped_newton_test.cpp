// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/damped_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace damped_newton_test {

/// min sqrt(1 + x^2): a full Newton step from |x| > 1 climbs.
struct Hyperbola {
  double x = 3, trial = 0, d = 0, wall = 1e9;
  bool indefinite_below = false;
  std::string trouble = {};
  int directions = 0;

  static double energy(double at) { return std::sqrt(1 + at * at); }
  double force(double at) const { return -at / energy(at); }
  double potential() const { return energy(x); }
  double unbalanced() const { return std::abs(force(x)); }
  StaticDirection direction(double caution) {
    ++directions;
    if (!trouble.empty()) return {.trouble = trouble};
    if (indefinite_below && caution < 10) return {.trouble = {}, .definite = false};
    const double hessian = std::pow(energy(x), -3);
    d = force(x) / (hessian + caution);
    return {.trouble = {}, .definite = true, .slope = force(x) * d};
  }
  std::optional<double> try_step(double t) {
    trial = x + t * d;
    if (std::abs(trial - x) > wall) return std::nullopt;
    return energy(trial);
  }
  double noise() const { return 1e-14; }
  double trial_unbalanced() const { return std::abs(force(trial)); }
};

TEST(DampedNewton, reaches_the_minimum_where_plain_newton_steps_climb) {
  Hyperbola problem;
  double caution = 0;
  std::string trouble;
  int steps = 0;
  for (; steps < 50 && problem.unbalanced() > 1e-12; ++steps) {
    const double before = problem.potential();
    ASSERT_EQ(DampedNewton{.first = 1e-6}.step(problem, caution, trouble), DampedNewton::Outcome::moved);
    problem.x = problem.trial;
    EXPECT_LE(problem.potential(), before + 1e-14);
  }
  EXPECT_LT(steps, 12);
  EXPECT_LT(std::abs(problem.x), 1e-12);
}

TEST(DampedNewton, full_steps_make_the_next_one_bolder_down_to_the_least_caution) {
  Hyperbola problem{.x = 0.1};
  double caution = 0;
  std::string trouble;
  DampedNewton{}.step(problem, caution, trouble);
  EXPECT_EQ(caution, 0.5);
  caution = 0.02;
  problem.x = 0.1;
  DampedNewton{}.step(problem, caution, trouble);
  EXPECT_EQ(caution, 0.01);
}

TEST(DampedNewton, a_step_that_was_halved_often_asks_for_more_caution) {
  Hyperbola problem{.x = 3, .wall = 0.2};
  double caution = 0.25;
  std::string trouble;
  ASSERT_EQ(DampedNewton{}.step(problem, caution, trouble), DampedNewton::Outcome::moved);
  EXPECT_LE(std::abs(problem.trial - problem.x), 0.2) << "the place beyond is forbidden";
  EXPECT_EQ(caution, 1);
}

TEST(DampedNewton, a_matrix_that_cannot_be_factored_is_tried_with_more_caution) {
  Hyperbola problem{.indefinite_below = true};
  double caution = 0;
  std::string trouble;
  ASSERT_EQ(DampedNewton{}.step(problem, caution, trouble), DampedNewton::Outcome::moved);
  EXPECT_EQ(problem.directions, 2);  // at 2 and at 16
}

TEST(DampedNewton, where_no_place_is_allowed_it_is_stuck_and_begins_anew) {
  Hyperbola problem{.wall = 0};
  double caution = 0;
  std::string trouble;
  EXPECT_EQ(DampedNewton{}.step(problem, caution, trouble), DampedNewton::Outcome::stuck);
  EXPECT_EQ(caution, 0);
  EXPECT_EQ(problem.directions, 5);  // 2, 16, 128, 1024, 8192
}

TEST(DampedNewton, trouble_of_the_direction_ends_the_step) {
  Hyperbola problem{.trouble = "no matrix"};
  double caution = 0;
  std::string trouble;
  EXPECT_EQ(DampedNewton{}.step(problem, caution, trouble), DampedNewton::Outcome::trouble);
  EXPECT_EQ(trouble, "no matrix");
}

}  // namespace damped_newton_test
}  // namespace pliant
