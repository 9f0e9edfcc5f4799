// SPDX-License-Identifier: Apache-2.0
// The contact problem by itself: small problems with answers known otherwise.
#include "pliant/contact/contact_problem.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <random>

namespace pliant {
namespace contact_problem_test {

TEST(ContactProblem, holds_a_free_node_on_an_incline_below_the_friction_angle_and_slides_it_exactly_above) {
  const double h = 1.0 / 60, g = 9.81, mu = 0.5, mass = 0.37;
  for (double degrees : {10.0, 26.0, 26.6, 40.0}) {
    const double angle = degrees * M_PI / 180;
    Vec3 v = Vec3::Zero();
    ContactProblem problem;
    problem.reset(1, 1, false);
    problem.s(0, 0) = float(1 / mass);
    problem.row(0).friction = mu;
    problem.prepare();
    for (int k = 1; k <= 100; ++k) {
      problem.row(0).free = v + h * g * Vec3(std::sin(angle), -std::cos(angle), 0);
      problem.solve(50, 1e-14);
      v = problem.velocity(0);
      const double wanted = k * h * g * std::max(0.0, std::sin(angle) - mu * std::cos(angle));
      ASSERT_NEAR(v.x(), wanted, 1e-12) << degrees;
      ASSERT_NEAR(v.y(), 0, 1e-12);
      ASSERT_NEAR(v.z(), 0, 1e-12);
    }
  }
}

/// Random contacts of a random positive response with a split part.
void make_random(ContactProblem& problem, Index n, unsigned seed, bool split) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto vec = [&] { return Vec3(normal(random), normal(random), normal(random)); };
  Eigen::MatrixXd root(n, n + 3);
  for (Index r = 0; r < n; ++r)
    for (Index c = 0; c < n + 3; ++c) root(r, c) = normal(random);
  // s = scalar response; shadows are those of three directions it contains: W stays positive.
  const Eigen::MatrixXd s = root * root.transpose() / n + 0.05 * Eigen::MatrixXd::Identity(n, n);
  problem.reset(n, 1, split);
  for (Index r = 0; r < n; ++r)
    for (Index c = 0; c < n; ++c) problem.s(r, c) = float(s(r, c));
  for (Index c = 0; c < n; ++c) {
    ContactProblem::Row& row = problem.row(c);
    row.normal = (vec() + Vec3(0, 4, 0)).normalized();
    row.friction = c % 3 == 0 ? 0 : 0.2 * (c % 5);
    row.bias = c % 4 == 0 ? 0.3 : 0;
    row.free = vec() + Vec3(0, -1, 0);
    row.lever = vec();
    row.shadow = 0.05 * vec();
  }
  if (split) {
    const Mat3 a = Mat3::Random();
    problem.part(0).inverse_inertia = a * a.transpose() + 0.1 * Mat3::Identity();
    problem.part(0).inverse_shadow = 0.1 * Mat3::Identity();
  }
  problem.prepare();
}

TEST(ContactProblem, meets_every_condition_of_signorini_and_coulomb) {
  for (bool split : {false, true})
    for (unsigned seed = 1; seed <= 8; ++seed) {
      ContactProblem problem;
      make_random(problem, 17, seed, split);
      const ContactProblem::Outcome outcome = problem.solve(20000, 1e-11);
      ASSERT_LT(outcome.residual, 1e-11) << seed;
      for (Index c = 0; c < problem.size(); ++c) {
        const ContactProblem::Row& row = problem.row(c);
        const Vec3 r = problem.impulse(c), u = problem.velocity(c);
        const double rn = r.dot(row.normal), un = u.dot(row.normal) + row.bias;
        const Vec3 rt = r - rn * row.normal, ut = u - u.dot(row.normal) * row.normal;
        EXPECT_GE(rn, 0);
        EXPECT_GE(un, -1e-9);
        EXPECT_NEAR(rn * un, 0, 1e-8);
        EXPECT_LE(rt.norm(), row.friction * rn * (1 + 1e-9) + 1e-12);
        if (row.friction > 0 && rn > 1e-6 && ut.norm() > 1e-6) {
          EXPECT_NEAR(rt.norm(), row.friction * rn, 1e-7) << "a sliding contact has full friction";
          EXPECT_LE(rt.dot(ut), (-1 + 1e-3) * rt.norm() * ut.norm());
        }
      }
    }
}

TEST(ContactProblem, finds_the_answer_of_two_frictionless_contacts_that_enumeration_finds) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ContactProblem problem;
    make_random(problem, 2, seed, true);
    for (Index c = 0; c < 2; ++c) problem.row(c).friction = 0;
    Eigen::Matrix2d w;
    Eigen::Vector2d b;
    for (Index c = 0; c < 2; ++c) {
      b[c] = problem.row(c).normal.dot(problem.row(c).free) + problem.row(c).bias;
      for (Index d = 0; d < 2; ++d)
        w(c, d) = problem.row(c).normal.dot(problem.block(c, d) * problem.row(d).normal);
    }
    Eigen::Vector2d wanted(-1, -1);
    for (int open = 0; open < 4; ++open) {  // bit c: contact c is open
      Eigen::Matrix2d m = w;
      Eigen::Vector2d right = -b;
      for (int c = 0; c < 2; ++c)
        if (open >> c & 1) m.row(c).setZero(), m(c, c) = 1, right[c] = 0;
      const Eigen::Vector2d r = m.inverse() * right, u = w * r + b;
      if (r.minCoeff() >= -1e-12 && u.minCoeff() >= -1e-10) wanted = r;
    }
    ASSERT_GE(wanted.minCoeff(), -1e-12);
    problem.solve(20000, 1e-13);
    for (Index c = 0; c < 2; ++c)
      EXPECT_NEAR(problem.impulse(c).dot(problem.row(c).normal), wanted[c], 1e-8) << seed;
  }
}

TEST(ContactProblem, is_symmetric_and_says_the_same_block_by_block_and_at_once) {
  ContactProblem problem;
  make_random(problem, 11, 3, true);
  for (Index c = 0; c < problem.size(); ++c)
    for (Index d = 0; d < problem.size(); ++d)
      EXPECT_LT((problem.block(c, d) - problem.block(d, c).transpose()).norm(), 1e-12);
  problem.solve(3, 0);
  for (Index c = 0; c < problem.size(); ++c) {
    Vec3 u = problem.row(c).free;
    for (Index d = 0; d < problem.size(); ++d) u += problem.block(c, d) * problem.impulse(d);
    EXPECT_LT((problem.velocity(c) - u).norm(), 1e-10);
  }
}

TEST(ContactProblem, a_warm_start_at_the_answer_stays_there) {
  ContactProblem problem;
  make_random(problem, 17, 5, true);
  problem.solve(20000, 1e-12);
  const ContactProblem::Outcome again = problem.solve(50, 1e-9);
  EXPECT_EQ(again.sweeps, 1);
}

TEST(ContactProblem, normals_alone_are_lifted_out_without_friction) {
  ContactProblem problem;
  make_random(problem, 9, 7, true);
  std::vector<double> gap(9), s(9);
  for (int c = 0; c < 9; ++c) gap[c] = c % 2 ? -0.01 * c : 0.01;
  problem.solve_normals(gap, 20000, s);
  for (Index c = 0; c < 9; ++c) {
    double after = gap[c];
    for (Index d = 0; d < 9; ++d)
      after += problem.row(c).normal.dot(problem.block(c, d) * problem.row(d).normal) * s[d];
    EXPECT_GE(s[c], 0);
    EXPECT_GE(after, -1e-9);
    EXPECT_NEAR(s[c] * after, 0, 1e-9);
  }
}

/// The same rows, with every block of W written out.
void make_dense(const ContactProblem& from, ContactProblem& problem) {
  problem.reset_dense(from.size());
  for (Index c = 0; c < from.size(); ++c) {
    problem.row(c) = from.row(c);
    for (Index d = 0; d < from.size(); ++d) problem.dense().block<3, 3>(3 * c, 3 * d) = from.block(c, d);
  }
  problem.prepare();
}

TEST(ContactProblem, a_dense_response_of_the_same_blocks_has_the_same_answer) {
  for (bool split : {false, true})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      ContactProblem problem, dense;
      make_random(problem, 17, seed, split);
      make_dense(problem, dense);
      problem.solve(20000, 1e-12);
      ASSERT_LT(dense.solve(20000, 1e-12).residual, 1e-12);
      for (Index c = 0; c < problem.size(); ++c) {
        EXPECT_LT((problem.impulse(c) - dense.impulse(c)).norm(), 1e-8) << seed;
        EXPECT_LT((problem.velocity(c) - dense.velocity(c)).norm(), 1e-8) << seed;
      }
      EXPECT_EQ(dense.solve(50, 1e-9).sweeps, 1) << "a warm start at the answer";
      std::vector<double> gap(17), s(17), s_dense(17);
      for (int c = 0; c < 17; ++c) gap[c] = c % 2 ? -0.01 * c : 0.01;
      problem.solve_normals(gap, 20000, s);
      dense.solve_normals(gap, 20000, s_dense);
      for (int c = 0; c < 17; ++c) EXPECT_NEAR(s[c], s_dense[c], 1e-9) << seed;
    }
}

// A body on a hinge whose contact lies on the axis: W is zero but for rounding, of either sign.
TEST(ContactProblem, a_point_on_the_axis_of_a_hinge_is_moved_by_nothing) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 100; ++k) {
    const Vec3 axis = Vec3(normal(random), normal(random), normal(random)).normalized();
    ContactProblem problem;
    problem.reset(1, 1, true);
    problem.s(0, 0) = 0;
    problem.part(0).inverse_inertia = 1e3 * axis * axis.transpose();
    problem.row(0).lever = normal(random) * axis;
    problem.row(0).free = {0, -1, 0};
    problem.prepare();
    ASSERT_TRUE(problem.positive());
    problem.solve(50, 1e-9);
    ASSERT_EQ(problem.impulse(0), Vec3(0, 0, 0));
  }
}

}  // namespace contact_problem_test
}  // namespace pliant
