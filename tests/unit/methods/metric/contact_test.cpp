// SPDX-License-Identifier: Apache-2.0
// Boxes of nodes that meet planes: what a step must leave behind.
#include "pliant/contact/collider.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/metric/build.hpp"
#include "pliant/physics/metrics.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace contact_test {

Collider floor_of(double friction, double restitution, const Motion& motion = {}) {
  return Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, motion, friction, restitution);
}

class MetricContactStep : public testing::Test {
 protected:
  MetricContactStep() { input.pool = &pool; }

  void raise(Body& body, double height, const Vec3& speed) {
    Points x = body.model().rest;
    for (Vec3& p : x) p.y() += height;
    body.place(x, Points(x.size(), speed));
  }
  StepReport step(Body& body, Collider& collider) {
    collider.aim(time, time + input.h);
    time += input.h;
    input.colliders = {&collider, 1};
    const StepReport report = body.advance(input);
    EXPECT_TRUE(report.ok()) << report.trouble;
    return report;
  }
  static Vec3 mean(const Points& of) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : of) sum += p;
    return sum / double(of.size());
  }

  Pool pool{1};
  StepInput input;
  double time = 0;
};

TEST_F(MetricContactStep, a_box_leaves_by_the_share_of_its_approach_that_restitution_says) {
  for (const double restitution : {0.6, 0.9}) {  // by itself it returns 0.52
    const auto body = lattice_body({3, 3, 3}, with_strength());
    input.h = 0.01;
    raise(*body, 0.01, {0, -4, 0});
    Collider ground = floor_of(0, restitution);
    double fastest = 0;
    for (int k = 0; k < 60; ++k) {
      step(*body, ground);
      fastest = std::max(fastest, mean(body->nodes().v).y());
    }
    EXPECT_NEAR(fastest, 4 * restitution, 0.05);
  }
}

TEST_F(MetricContactStep, friction_slows_a_sliding_box_by_its_share_of_the_weight) {
  for (const double friction : {0.2, 0.4}) {
    const auto body = lattice_body({4, 3, 4}, with_strength(1000));
    input.h = 0.01;
    input.gravity = {0, -9.81, 0};
    raise(*body, 0, {0, 0, 0});
    Collider ground = floor_of(friction, 0);
    for (int k = 0; k < 100; ++k) step(*body, ground);
    Points v = body->nodes().v, x = body->nodes().x;
    for (Vec3& p : v) p.x() += 4;
    body->place(x, v);
    for (int k = 0; k < 50; ++k) step(*body, ground);
    EXPECT_NEAR(mean(body->nodes().v).x(), 4 - friction * 9.81 * 0.5, 0.1) << friction;
  }
}

TEST_F(MetricContactStep, nodes_that_are_held_stay_where_they_are_held_inside_a_collider) {
  const auto body = lattice_body({3, 3, 3}, with_strength());
  input.h = 0.01;
  input.gravity = {0, -9.81, 0};
  raise(*body, -0.2, {0, 0, 0});
  const std::vector<Index> held{0};
  const Points targets{body->nodes().x[0]};
  input.held = held, input.targets = targets;
  Collider ground = floor_of(0.5, 0);
  for (int k = 0; k < 20; ++k) step(*body, ground);
  EXPECT_EQ(body->nodes().x[0], targets[0]);
  for (Index i = 1; i < body->model().nodes(); ++i) EXPECT_GT(body->nodes().x[i].y(), -0.05) << i;
}

/// A lift under a box: it takes the box along, and under a steady lift the force is the weight.
TEST_F(MetricContactStep, a_rising_floor_carries_the_box_at_its_own_speed) {
  const auto body = lattice_body({3, 3, 3}, with_strength(100), {.mass = 0, .stiffness = 0.05});
  input.h = 0.01;
  input.gravity = {0, -9.81, 0};
  raise(*body, 0, {0, 0, 0});
  Motion lift;
  lift.keys = {{.time = 0, .translate = {0, 0, 0}, .rotate = {}},
               {.time = 10, .translate = {0, 20, 0}, .rotate = {}}};
  lift.ease = Ease::linear;
  Collider ground = floor_of(0.5, 0, lift);
  StepReport report;
  for (int k = 0; k < 300; ++k) report = step(*body, ground);
  EXPECT_NEAR(mean(body->nodes().v).y(), 2, 0.01);
  EXPECT_NEAR(report.contact_impulse.y(), 27 * 9.81 * input.h, 0.02 * 27 * 9.81 * input.h);
  double low = 1e9;
  for (const Vec3& p : body->nodes().x) low = std::min(low, p.y());
  EXPECT_NEAR(low, 6, 0.02);
}

TEST_F(MetricContactStep, a_box_may_close_the_gap_to_a_sinking_floor_and_no_more) {
  const auto body = lattice_body({3, 3, 3}, with_strength());
  input.h = 0.01;
  raise(*body, 0.01, {0, -4, 0});
  Motion sink;
  sink.keys = {{.time = 0, .translate = {0, 0, 0}, .rotate = {}},
               {.time = 10, .translate = {0, -20, 0}, .rotate = {}}};
  sink.ease = Ease::linear;
  Collider ground = floor_of(0, 0, sink);
  step(*body, ground);
  for (Index i = 0; i < body->model().nodes(); ++i)
    if (body->model().rest[i].y() == 0) {
      EXPECT_NEAR(body->nodes().x[i].y(), -0.02, 5e-4) << i;
      EXPECT_NEAR(body->nodes().v[i].y(), -3, 0.05) << i;
    }
}

/// Forces that were recalled act until it is known that their contact is gone: then they must be taken back.
TEST_F(MetricContactStep, a_box_whose_floor_drops_away_falls_freely_at_once) {
  const auto body = lattice_body({3, 3, 3}, with_strength(100), {.mass = 0, .stiffness = 0.05});
  input.h = 0.01;
  input.gravity = {0, -9.81, 0};
  raise(*body, 0, {0, 0, 0});
  Collider ground = floor_of(0.5, 0);
  for (int k = 0; k < 300; ++k) step(*body, ground);
  const double before = mean(body->nodes().v).y();
  Collider far = Collider(PlaneCollider{{0, -100, 0}, {0, 1, 0}}, {}, 0.5, 0);
  const StepReport report = step(*body, far);
  EXPECT_EQ(report.contacts, 0);
  EXPECT_NEAR(mean(body->nodes().v).y() - before, -9.81 * input.h, 1e-6);
}

// Solves of a sheet at rest that ended before they began made contact take it for rigid: the elastic energy grew a
// hundredfold each step, to a million times that of the fall.
TEST_F(MetricContactStep, a_sheet_that_fell_flat_lies_still) {
  struct Sheet {
    SheetShape shape;
    double stiffness, h;
  };
  for (const Sheet& sheet :
       {Sheet{{.size = {1, 1}, .nodes = {9, 9}, .thickness = 1e-3}, 3e7, 0.04},
        Sheet{{.size = {0.0135, 0.0047}, .nodes = {2, 8}, .thickness = 6e-5}, 1e5, 1.0 / 60}}) {
    auto built = build(make_shape(sheet.shape), 1000, {}, Options{.stiffness = sheet.stiffness});
    ASSERT_TRUE(built) << built.error().text();
    Body& body = dynamic_cast<Body&>(**built);
    const double height = sheet.shape.size[0] / 3;
    input.h = sheet.h;
    input.gravity = {0, -9.81, 0};
    time = 0;
    raise(body, height, {0, 0, 0});
    Collider ground = floor_of(0.5, 0);
    const double fall = total_mass(body.nodes()) * 9.81 * height;
    for (int k = 0; k < 120; ++k) {
      step(body, ground);
      ASSERT_LT(body.elastic_energy(), 1e-3 * fall) << "step " << k;
    }
    EXPECT_LT(max_speed(body.nodes()), 1e-5);  // the tolerance of contact
  }
}

}  // namespace contact_test
}  // namespace pliant::metric
