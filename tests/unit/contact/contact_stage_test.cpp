// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_stage.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace contact_stage_test {

/// Loose nodes of 2 kg: an impulse moves what it acts on and nothing else.
class LooseNodes : public NodeResponse {
 public:
  static constexpr double mass = 2;
  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) override {
    problem.reset(Index(contacts.size()), 1, false);
    for (Index c = 0; c < problem.size(); ++c) {
      problem.row(c).normal = contacts[std::size_t(c)].normal;
      problem.row(c).friction = contacts[std::size_t(c)].friction;
      for (Index d = 0; d < problem.size(); ++d) problem.s(c, d) = c == d ? float(1 / mass) : 0;
    }
    problem.prepare();
  }
  void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                Pool&) override {
    for (std::size_t c = 0; c < contacts.size(); ++c) x[std::size_t(contacts[c].key.vertex)] += r[c] / mass;
  }
};

/// Three nodes over frictionless ground: one falls onto it, one is far above, one is deep inside.
struct Drop {
  Pool pool{1};
  Gather points = pick({0, 1, 2});
  Points x{{0, 0.001, 0}, {1, 5, 0}, {2, -0.1, 0}}, v{{0, -1, 0}, {0, -1, 0}, {0, 0, 0}}, end = x;
  std::vector<Collider> ground{{PlaneCollider{{0, 0, 0}, {0, 1, 0}}, Motion{}, 0, 0}};
  LooseNodes nodes;
  ContactStage stage;
  ContactState state;
  StepInput input;
  StepReport report;
  Drop() {
    stage.attach(points, Points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, 1);
    input.h = 0.01;
    input.colliders = ground;
    input.pool = &pool;
  }
  void find() {
    for (std::size_t i = 0; i < x.size(); ++i) end[i] = x[i] + input.h * v[i];
    stage.find(input, {.begin = x, .end = end}, state);
  }
  void couple() {
    stage.couple(nodes, pool);
    stage.set_targets([&](const Contact& c) { return std::max(c.gap, 0.0) / input.h; });
    stage.warm_start(state, input.h);
  }
  auto velocities() const {
    return [this](const Contact& c) { return stage.rows().observe(c, v); };
  }
};

TEST(ContactStage, a_point_that_would_enter_is_stopped_where_it_touches) {
  Drop drop;
  drop.find();
  ASSERT_EQ(drop.stage.contacts().size(), 2u);  // not the one far above
  drop.couple();
  drop.stage.answer(50, 1e-9, drop.report, drop.velocities());
  // It may still close its gap: 0.001 m in 0.01 s.
  EXPECT_NEAR(drop.stage.impulses()[0].y(), LooseNodes::mass * (1 - 0.1), 1e-6);
  EXPECT_TRUE(drop.stage.impulses()[1].isZero(1e-9));
  drop.stage.tell(drop.report);
  EXPECT_EQ(drop.report.contacts, 1);
  EXPECT_NEAR(drop.report.contact_impulse.y(), 1.8, 1e-6);
  EXPECT_GT(drop.report.contact_sweeps, 0);
}

TEST(ContactStage, about_the_motion_it_has_made_nothing_changes) {
  Drop drop;
  drop.find();
  drop.couple();
  drop.stage.answer(50, 1e-9, drop.report, drop.velocities());
  drop.v[0] += drop.stage.impulses()[0] / LooseNodes::mass;
  const ContactStage::Correction none = drop.stage.correct(50, 1e-9, drop.report, drop.velocities());
  EXPECT_LT(none.most, 1e-6);
  drop.v[0].y() -= 0.25;  // pushed in again
  const ContactStage::Correction some = drop.stage.correct(50, 1e-9, drop.report, drop.velocities());
  EXPECT_NEAR(some.most, 0.25 * LooseNodes::mass, 1e-6);
  EXPECT_NEAR(drop.stage.changes()[0].y(), 0.25 * LooseNodes::mass, 1e-6);
  EXPECT_NEAR(drop.stage.impulses()[0].y(), LooseNodes::mass * 1.15, 1e-6);
}

TEST(ContactStage, the_next_step_begins_with_the_forces_of_the_last) {
  Drop drop;
  drop.find();
  drop.couple();
  drop.stage.answer(50, 1e-9, drop.report, drop.velocities());
  const Vec3 before = drop.stage.impulses()[0];
  drop.stage.remember(drop.input.h, drop.state);
  ASSERT_EQ(drop.state.memories.size(), 1u);
  EXPECT_EQ(drop.state.memories[0].force, before / drop.input.h);
  drop.find();
  drop.couple();
  EXPECT_EQ(drop.stage.problem().impulse(0), drop.input.h * drop.state.memories[0].force);
}

TEST(ContactStage, what_is_too_deep_is_lifted_and_what_is_left_is_told) {
  Drop drop;
  drop.find();
  EXPECT_TRUE(drop.stage.position_pass(1, drop.input, drop.nodes, drop.end, drop.report));
  EXPECT_NEAR(drop.end[2].y(), -0.5e-4 * drop.stage.size(), 1e-9);
  EXPECT_NEAR(drop.end[1].y(), 4.99, 1e-12);
  EXPECT_NEAR(drop.report.penetration, 0.5e-4 * drop.stage.size(), 1e-9);
  EXPECT_FALSE(drop.stage.position_pass(1, drop.input, drop.nodes, drop.end, drop.report));
}

/// With normals of its own and a response that is not a multiple of 1: an impulse up also moves sideways.
class SkewNodes : public SurfaceResponse {
 public:
  static Mat3 response() {
    Mat3 w;
    w << 0.5, 0.2, 0, 0.2, 0.5, 0, 0, 0, 0.5;
    return w;
  }
  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) override {
    problem.reset_dense(Index(contacts.size()));
    problem.dense().setZero();
    for (Index c = 0; c < problem.size(); ++c) {
      problem.row(c).normal = contacts[std::size_t(c)].normal;
      problem.row(c).friction = contacts[std::size_t(c)].friction;
      problem.dense().block<3, 3>(3 * c, 3 * c) = response();
    }
    problem.prepare();
  }
};

TEST(ContactStage, the_depth_is_that_of_the_point_that_is_deepest) {
  Drop drop;
  drop.find();
  EXPECT_NEAR(drop.stage.depth(drop.input, drop.end), 0.1, 1e-12);
  drop.end[2].y() = 0.2;
  drop.end[0].y() = -0.03;
  EXPECT_NEAR(drop.stage.depth(drop.input, drop.end), 0.03, 1e-12);
  for (Vec3& x : drop.end) x.y() = 1;
  EXPECT_LE(drop.stage.depth(drop.input, drop.end), 0);
}

TEST(ContactStage, a_dense_response_goes_through_the_same_door) {
  Drop drop;
  SkewNodes nodes;
  drop.find();
  drop.stage.couple(nodes, drop.pool);
  drop.stage.set_targets([&](const Contact& c) { return std::max(c.gap, 0.0) / drop.input.h; });
  drop.stage.answer(50, 1e-12, drop.report, drop.velocities());
  // Without friction the impulse is along the normal: 0.5 r = 1 - 0.1.
  EXPECT_LT((drop.stage.impulses()[0] - Vec3(0, 1.8, 0)).norm(), 1e-9);
  EXPECT_LT((drop.stage.problem().velocity(0) - Vec3(0.36, -0.1, 0)).norm(), 1e-9);
}

TEST(ContactStage, what_would_end_deep_is_pushed_out_and_keeps_its_impulse) {
  Drop drop;
  drop.find();
  drop.couple();
  drop.stage.answer(50, 1e-9, drop.report, drop.velocities());
  const Vec3 before = drop.stage.impulses()[0];
  const auto at_rest = [](const Contact&, const Vec3&) { return 0.0; };
  EXPECT_TRUE(drop.stage.push_out(at_rest).empty());
  // The second contact is 0.1 m deep and stays so: a fifth of it in a step.
  const std::span<const Vec3> out = drop.stage.push_out([&](const Contact& contact, const Vec3& u) {
    return 0.2 * std::min(contact.gap / drop.input.h + contact.normal.dot(u), 0.0);
  });
  ASSERT_EQ(out.size(), 2u);
  EXPECT_LT((out[1] / LooseNodes::mass - Vec3(0, 2, 0)).norm(), 1e-6);
  EXPECT_EQ(drop.stage.impulses()[0], before);
}

}  // namespace contact_stage_test
}  // namespace pliant
