// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_colliders.hpp"

#include <gtest/gtest.h>

#include <array>

#include "pliant/scene/build.hpp"

namespace pliant {
namespace {

Result<Scene> build(const std::string& collider, const std::string& body_keys = "") {
  return build_scene(parse_scene(R"({"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}})" + body_keys +
                                     R"(}], "colliders": [)" + collider + "]}",
                                 "test.json"));
}

Collider collider_of(const std::string& text) {
  Result<Scene> scene = build(text);
  EXPECT_TRUE(bool(scene)) << scene.error().text();
  return scene ? scene->simulation.colliders().at(0) : Collider(PlaneCollider{}, {}, 0, 0);
}

Problem problem_of(const std::string& text, const std::string& body_keys = "") {
  const Result<Scene> scene = build(text, body_keys);
  EXPECT_FALSE(bool(scene));
  EXPECT_EQ(scene.error().problems.size(), 1u) << scene.error().text();
  return scene.error().problems.empty() ? Problem{} : scene.error().problems[0];
}

double gap_at(const Collider& collider, const Vec3& x) {
  std::array<Touch, max_touches> touches;
  Side side = 0;
  EXPECT_EQ(collider.query(x, 1e9, Instant::end, side, touches), 1);
  return touches[0].gap;
}

TEST(BuildColliders, every_kind_is_where_its_keys_say) {
  const Collider plane = collider_of(
      R"({"plane": {"point": [0, -2, 0], "normal": [0, 2, 0], "friction": 0.3, "restitution": 0.4}})");
  EXPECT_EQ(gap_at(plane, {5, 1, 5}), 3);
  EXPECT_EQ(plane.friction(), 0.3);
  EXPECT_EQ(plane.restitution(), 0.4);
  EXPECT_NEAR(gap_at(collider_of(R"({"sphere": {"center": [1, 2, 3], "radius": 0.5}})"), {1, 2, 5}), 1.5,
              1e-15);
  const Collider box = collider_of(
      R"({"box": {"center": [1, 0, 0], "size": [2, 2, 2], "rotate": {"axis": [0, 0, 1], "degrees": 45}}})");
  EXPECT_NEAR(gap_at(box, {4, 0, 0}), 3 - std::sqrt(2.0), 1e-14);
  const Collider capsule = collider_of(R"({"capsule": {"from": [0, 0, 0], "to": [0, 2, 0], "radius": 0.5}})");
  EXPECT_NEAR(gap_at(capsule, {2, 1, 0}), 1.5, 1e-15);
}

TEST(BuildColliders, friction_is_a_half_and_restitution_nothing_unless_said) {
  const Collider ground = collider_of(R"({"plane": {}})");
  EXPECT_EQ(ground.friction(), 0.5);
  EXPECT_EQ(ground.restitution(), 0);
  EXPECT_EQ(gap_at(ground, {0, 1, 0}), 1);
}

TEST(BuildColliders, keys_move_them) {
  Collider ball = collider_of(
      R"({"sphere": {"radius": 1, "ease": "linear", "motion": [{"time": 0}, {"time": 2, "translate": [0, 4, 0]}]}})");
  ball.aim(0, 1);
  EXPECT_NEAR(gap_at(ball, {0, 2, 0}), -1, 1e-15);
}

TEST(BuildColliders, a_scene_without_them_has_none) {
  const Result<Scene> scene = build("");
  ASSERT_TRUE(bool(scene));
  EXPECT_TRUE(scene->simulation.colliders().empty());
}

TEST(BuildColliders, what_is_wrong_is_placed) {
  EXPECT_EQ(problem_of(R"({"plane": {"normal": [0, 0, 0]}})").place, "colliders.0.plane.normal");
  EXPECT_EQ(problem_of(R"({"sphere": {"radius": 0}})").place, "colliders.0.sphere.radius");
  EXPECT_EQ(problem_of(R"({"sphere": {"radius": -1}})").place, "colliders.0.sphere.radius");
  EXPECT_EQ(problem_of(R"({"box": {"size": [1, 0, 1]}})").place, "colliders.0.box.size");
  EXPECT_EQ(problem_of(R"({"box": {"rotate": {"axis": [0, 0, 0], "degrees": 3}}})").place,
            "colliders.0.box.rotate.axis");
  EXPECT_EQ(problem_of(R"({"plane": {"friction": -0.1}})").place, "colliders.0.plane.friction");
  EXPECT_EQ(problem_of(R"({"plane": {"restitution": 1.1}})").place, "colliders.0.plane.restitution");
  EXPECT_EQ(problem_of(R"({"capsule": {"motion": [{"time": 1}, {"time": 1}]}})").place,
            "colliders.0.capsule.motion.1.time");
  EXPECT_EQ(problem_of(R"({"plain": {}})").hint, "did you mean \"plane\"?");
  EXPECT_EQ(problem_of(R"({"plane": {"centre": [0, 0, 0]}})").place, "colliders.0.plane.centre");
}

TEST(BuildColliders, contact_settings_of_a_body_are_checked_too) {
  EXPECT_EQ(problem_of("", R"(, "friction": -1)").place, "bodies.0.friction");
  EXPECT_EQ(problem_of("", R"(, "contact": {"sweeps": 0})").place, "bodies.0.contact.sweeps");
  EXPECT_EQ(problem_of("", R"(, "contact": {"friction": 1})").place, "bodies.0.contact.friction");
}

}  // namespace
}  // namespace pliant
