// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/tense_stars.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/physics/selection.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant::geometric {
namespace tense_stars_test {

TEST(TenseStars, turn_less_easily_under_tension_and_up_to_twice_as_easily_under_pressure) {
  Mat3 inertia;
  inertia << 3, 0.2, 0.1, 0.2, 2, 0.3, 0.1, 0.3, 1.5;
  const Mat3 slew = inertia.inverse();
  EXPECT_LT((tense_slew(slew, 1.25 * inertia) - slew / 1.25).norm(), 1e-12);
  EXPECT_LT((tense_slew(slew, 0.8 * inertia) - slew / 0.8).norm(), 1e-12);
  EXPECT_LT((tense_slew(slew, 0.3 * inertia) - 2 * slew).norm(), 1e-12);
  EXPECT_LT((tense_slew(slew, -inertia) - 2 * slew).norm(), 1e-12);
  const Mat3 along_x = inertia + 2 * Vec3::UnitX() * Vec3::UnitX().transpose();
  EXPECT_LT((tense_slew(slew, along_x) - along_x.inverse()).norm(), 1e-12);
  const Mat3 line = Vec3(0, 1, 1).asDiagonal();  // a star of two edges in line does not know its spin
  EXPECT_LT((tense_slew(line, 2 * line) - line / 2).norm(), 1e-12);
}

/// With J of stars at rest it took 271 steps, and bars of other sizes ended unfinished.
TEST(TenseStars, let_a_slender_mesh_bar_that_hangs_find_its_balance_in_few_steps) {
  Pool pool(1);
  auto made = make_mesh_shape(samples::box({0, 0, 0}, {0.2, 0.2, 2}), {.nodes = 1000}, pool);
  ASSERT_TRUE(made);
  Options options;
  options.stiffness = 9.81e5;  // 1 % longer
  auto built = build(made->shape, 1000, {}, options);
  ASSERT_TRUE(built) << built.error().text();
  Method& body = **built;
  const std::vector<Index> held =
      select_nodes({SelectBox{{Vec3(-1, -1, -1e-6), Vec3(1, 1, 1e-6)}}}, made->shape);
  Points targets;
  for (const Index i : held) targets.push_back(body.nodes().x[std::size_t(i)]);
  const StepInput input{
      .gravity = {0, 0, 9.81}, .held = held, .targets = targets, .contact = {}, .pool = &pool};
  RelaxMemory memory;
  int steps = 0;
  Relaxation now;
  do now = body.relax(input, 1e-6, memory);
  while (++steps < 40 && now.residual > 1e-6);
  EXPECT_LE(now.residual, 1e-6);
  EXPECT_LT(steps, 15);
}

}  // namespace tense_stars_test
}  // namespace pliant::geometric
