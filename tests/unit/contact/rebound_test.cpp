// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/rebound.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pliant {
namespace rebound_test {

/// A rigid cube of eight nodes, one kilogram, that falls with 4 m/s onto ground that throws back a half.
struct Cube {
  Points x, v, end_x, end_v, kicked;
  std::vector<double> mass = std::vector<double>(8, 1.0 / 8);
  std::vector<Index> part = std::vector<Index>(8, 0);
  Gather points = pick({0, 1, 2, 3, 4, 5, 6, 7});
  ContactRows rows;
  StepInput input;
  Rebound rebound;
  std::vector<ImpactMemory> impacts;
  double elastic_begin = 0, elastic_end = 0;
  double rising = 0;  ///< m/s, of the ground

  Cube() {
    for (int k = 0; k < 8; ++k) x.emplace_back(k & 1, k >> 1 & 1, k >> 2);
    v.assign(8, Vec3(0, -4, 0));
    end_x = x;
    end_v.assign(8, Vec3::Zero());
    kicked = end_v;
    rows.attach(points);
    input.h = 0.01;
    input.gravity = {0, -10, 0};
  }
  Contact contact(Index node, double restitution = 0.5) const {
    return {.key = {node, 0, 0}, .normal = {0, 1, 0}, .velocity = {0, rising, 0}, .restitution = restitution};
  }
  /// A step in which these nodes get an impulse each.
  Vec3 step(std::vector<Index> nodes, double impulse, double restitution = 0.5) {
    rebound.clear();
    std::vector<Contact> contacts;
    for (const Index i : nodes) contacts.push_back(contact(i, restitution));
    rebound.note(contacts, std::vector<Vec3>(nodes.size(), Vec3(0, impulse, 0)));
    const auto elastic = [&](std::span<const Vec3> at) {
      return at.data() == x.data() ? elastic_begin : elastic_end;
    };
    ReboundNodes<decltype(elastic)> body(rows,
                                         {.part = part,
                                          .mass = mass,
                                          .x = x,
                                          .v = v,
                                          .end_x = end_x,
                                          .end_v = end_v,
                                          .kicked = kicked,
                                          .h = 0.01},
                                         elastic);
    return rebound.finish(input, impacts, body);
  }
};

TEST(Rebound, a_body_that_was_stopped_leaves_with_its_share_when_the_impact_is_over) {
  Cube cube;
  EXPECT_EQ(cube.step({0, 1, 4, 5}, 1), Vec3::Zero()) << "it is not over yet";
  EXPECT_EQ(cube.impacts.size(), 4u);
  const Vec3 impulse = cube.step({0, 1, 4, 5}, 0.025);  // its weight
  EXPECT_LT((impulse - Vec3(0, 2, 0)).norm(), 1e-4);
  for (const Vec3& moving : cube.end_v) EXPECT_LT((moving - Vec3(0, 2, 0)).norm(), 1e-4);
  EXPECT_TRUE(cube.impacts.empty());
}

TEST(Rebound, a_body_that_leaves_faster_by_itself_is_left_alone) {
  Cube cube;
  cube.step({0, 1, 4, 5}, 1);
  cube.end_v.assign(8, Vec3(0, 2.5, 0));
  EXPECT_EQ(cube.step({}, 0), Vec3::Zero());
  EXPECT_TRUE(cube.impacts.empty());
}

TEST(Rebound, an_impact_goes_on_while_the_body_comes_nearer) {
  Cube cube;
  cube.end_v.assign(8, Vec3(0, -1, 0));
  cube.step({0, 1, 4, 5}, 0.5);
  EXPECT_EQ(cube.step({}, 0), Vec3::Zero()) << "the surface left, the body still comes";
  EXPECT_EQ(cube.impacts.size(), 4u);
}

TEST(Rebound, slow_approach_and_dull_ground_do_not_throw_back) {
  Cube cube;
  cube.v.assign(8, Vec3(0, -0.19, 0));  // 2 g h = 0.2 m/s
  cube.step({0, 1, 4, 5}, 1);
  EXPECT_TRUE(cube.impacts.empty());
  cube.v.assign(8, Vec3(0, -4, 0));
  cube.step({0, 1, 4, 5}, 1, 0);
  EXPECT_TRUE(cube.impacts.empty());
}

TEST(Rebound, the_body_has_no_more_energy_than_it_came_with) {
  Cube cube;
  cube.elastic_end = 7.5;  // of 8 J: it swings
  cube.step({0, 1, 4, 5}, 1, 1);
  cube.step({0, 1, 4, 5}, 0.025, 1);
  EXPECT_NEAR(cube.end_v[0].y(), 1, 1e-4);  // m v^2/2 = 0.5 J
}

TEST(Rebound, another_part_that_still_falls_takes_nothing_from_the_rebound) {
  Cube cube;
  // A second cube of the same body, beside the first, which falls freely through both steps: 0.5 s each.
  cube.input.h = 0.5;
  cube.input.gravity = {0, -1, 0};
  for (int k = 0; k < 8; ++k) {
    cube.x.emplace_back(cube.x[std::size_t(k)] + Vec3(5, 0, 0));
    cube.v.emplace_back(0, -4, 0);
    cube.mass.push_back(1.0 / 8);
    cube.part.push_back(1);
  }
  cube.end_x = cube.x;
  cube.kicked.assign(16, Vec3::Zero());
  const auto fall = [&](double time) {
    cube.end_v.assign(16, Vec3::Zero());
    for (std::size_t i = 8; i < 16; ++i) {
      cube.end_v[i] = {0, -4 - time, 0};
      cube.end_x[i].y() = cube.x[i].y() - 4 * time - time * time / 2;
    }
  };
  fall(0.5);
  cube.step({0, 1, 4, 5}, 1, 0.9);
  fall(1);
  const Vec3 impulse = cube.step({0, 1, 4, 5}, 0.1, 0.9);
  EXPECT_LT((impulse - Vec3(0, 3.6, 0)).norm(), 1e-4);
  EXPECT_NEAR(cube.end_v[8].y(), -5, 1e-12) << "the other part is left alone";
}

TEST(Rebound, on_ground_that_rises_the_share_is_that_of_the_approach_to_it) {
  Cube cube;  // meets ground that comes up with 3 m/s, and is then carried by it
  cube.rising = 3;
  cube.v.assign(8, Vec3(0, -1, 0));
  cube.end_v.assign(8, Vec3(0, 3, 0));
  const auto carried = [&](double time) {
    for (std::size_t i = 0; i < 8; ++i) cube.end_x[i].y() = cube.x[i].y() + 3 * time;
  };
  carried(cube.input.h);
  cube.step({0, 1, 4, 5}, 1, 1);
  carried(2 * cube.input.h);
  cube.step({0, 1, 4, 5}, 0.025, 1);
  EXPECT_NEAR(cube.end_v[0].y(), 3 + 4, 0.002);  // e = 1: no energy is lost, and none of it is height
}

TEST(Rebound, a_corner_that_was_hit_leaves_with_its_share_and_turns_the_body) {
  Cube cube;
  cube.step({0}, 1);
  cube.step({0}, 0.05);
  EXPECT_NEAR(cube.end_v[0].y(), 2, 1e-4);
  EXPECT_LT(cube.end_v[5].y(), 1) << "the other side turns down";
  Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
  for (std::size_t i = 0; i < 8; ++i) {
    momentum += cube.mass[i] * cube.end_v[i];
    spin += cube.mass[i] * cube.x[i].cross(cube.end_v[i]);
  }
  EXPECT_LT(spin.norm(), 1e-9) << "the impulse goes through the corner, at the origin";
  EXPECT_GT(momentum.y(), 0.2);
}

TEST(Rebound, a_press_that_holds_the_body_ends_the_impact_too) {
  Cube cube;
  cube.end_v.assign(8, Vec3::Zero());
  int steps = 0;
  for (; steps < 20 && cube.step({0, 1, 4, 5}, 0.5).isZero(0); ++steps) {
  }
  EXPECT_EQ(steps, 6);  // 6 times 2 N s are 12, 3 m v
}

TEST(Rebound, what_is_recalled_of_another_body_is_dropped) {
  Cube cube;
  cube.impacts = {{.key = {-1, 0, 0}}, {.key = {3, 0, 0}, .part = 7}, {.key = {99, 0, 0}}};
  EXPECT_EQ(cube.step({}, 0), Vec3::Zero());
  EXPECT_TRUE(cube.impacts.empty());
}

// Two rigid parts whose nodes alternate, far from the origin: of each its own mass, centre, velocity, turning and inertia.
TEST(Rebound, the_motion_of_a_part_is_that_of_its_own_nodes_wherever_it_is) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> one(-1, 1);
  const auto vec = [&] { return Vec3(one(random), one(random), one(random)); };
  const Vec3 velocity[] = {vec(), vec()}, turning[] = {vec(), vec()}, place[] = {{30, -20, 10}, {-5, 40, 7}};
  std::vector<Index> part;
  std::vector<double> mass;
  Points x, v;
  double sum[] = {0, 0};
  Vec3 centre[] = {Vec3::Zero(), Vec3::Zero()};
  for (int i = 0; i < 20; ++i) {
    const int p = i % 2;
    part.push_back(p);
    mass.push_back(1.5 + one(random));
    x.push_back(place[p] + vec());
    sum[p] += mass.back();
    centre[p] += mass.back() * x.back();
  }
  for (int p = 0; p < 2; ++p) centre[p] /= sum[p];
  for (int i = 0; i < 20; ++i)
    v.push_back(velocity[i % 2] + turning[i % 2].cross(x[std::size_t(i)] - centre[i % 2]));
  for (int p = 0; p < 2; ++p) {
    Mat3 inertia = Mat3::Zero();
    for (std::size_t i = 0; i < 20; ++i) {
      const Vec3 r = x[i] - centre[p];
      if (part[i] == p) inertia += mass[i] * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
    }
    const PartMotion motion = part_motion(p, part, mass, x, v);
    EXPECT_NEAR(motion.mass, sum[p], 1e-12);
    EXPECT_LT((motion.centre - centre[p]).norm(), 1e-12);
    EXPECT_LT((motion.velocity - velocity[p]).norm(), 1e-12);
    EXPECT_LT((motion.turning - turning[p]).norm(), 1e-11);
    EXPECT_LT((motion.inverse_inertia * inertia - Mat3::Identity()).norm(), 1e-11);
  }
}

}  // namespace rebound_test
}  // namespace pliant
