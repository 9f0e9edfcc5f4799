// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_colliders.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "pliant/scene/build.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace build_colliders_test {

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
  EXPECT_GE(collider.query(x, 1e9, Instant::end, side, touches), 1);
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

/// A scene beside a tetrahedron with corners 0, x, y, z: turned the wrong way round, with two vertices too
/// many.
class BuildMeshColliders : public ::testing::Test {
 protected:
  BuildMeshColliders() {
    std::ofstream(folder_.path() / "tetra.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nv 9 9 9\n"
                                                   "f 1 2 3\nf 5 3 4\nf 1 4 2\nf 2 4 3\n";
  }
  Result<Scene> build(const std::string& keys) const {
    return build_scene(parse_scene(R"({"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}}}],
                                       "colliders": [{"mesh": {)" +
                                       keys + "}}]}",
                                   (folder_.path() / "scene.json").string()));
  }
  TempFolder folder_;
};

TEST_F(BuildMeshColliders, a_file_beside_the_scene_is_repaired_and_placed) {
  const Result<Scene> scene = build(
      R"("file": "tetra.obj", "scale": 2, "rotate": {"axis": [0, 1, 0], "degrees": 90}, "translate": [0, 5, 0])");
  ASSERT_TRUE(bool(scene)) << scene.error().text();
  const Collider& collider = scene->simulation.colliders().at(0);
  EXPECT_NEAR(gap_at(collider, {-0.1, 5.5, -0.5}), 0.1, 1e-12);  // x = 0 is a face: z turned to x, x to -z
  EXPECT_LT(gap_at(collider, {0.2, 5.2, -0.2}), 0);              // faces outward after all
  EXPECT_NEAR(gap_at(collider, {0.5, 4, -0.5}), 1, 1e-12);
}

TEST_F(BuildMeshColliders, a_file_in_another_unit_is_converted) {
  const Result<Scene> scene = build(R"("file": "tetra.obj", "scale": 3, "unit": "cm")");
  ASSERT_TRUE(bool(scene)) << scene.error().text();
  const Collider& collider = scene->simulation.colliders().at(0);
  EXPECT_NEAR(gap_at(collider, {0, 0.05, 0}), 0.02, 1e-12);
  EXPECT_LT(gap_at(collider, {0.005, 0.005, 0.005}), 0);
}

TEST_F(BuildMeshColliders, a_thin_one_is_a_sheet) {
  const Result<Scene> scene = build(R"("file": "tetra.obj", "thin": true)");
  ASSERT_TRUE(bool(scene)) << scene.error().text();
  EXPECT_GT(gap_at(scene->simulation.colliders().at(0), {0.1, 0.1, 0.2}), 0);
}

TEST_F(BuildMeshColliders, another_mesh_is_another_scene) {
  const std::uint64_t before = build(R"("file": "tetra.obj")")->fingerprint;
  EXPECT_EQ(build(R"("file": "tetra.obj")")->fingerprint, before);
  std::ofstream(folder_.path() / "tetra.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\n"
                                                 "f 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n";
  EXPECT_NE(build(R"("file": "tetra.obj")")->fingerprint, before);
}

TEST_F(BuildMeshColliders, other_faces_on_the_same_vertices_are_another_scene) {
  const std::uint64_t before = build(R"("file": "tetra.obj")")->fingerprint;
  std::ofstream(folder_.path() / "tetra.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 0\nv 9 9 9\n"
                                                 "f 1 2 3\nf 5 3 4\nf 1 4 2\n";
  EXPECT_NE(build(R"("file": "tetra.obj")")->fingerprint, before);
}

TEST_F(BuildMeshColliders, a_file_that_is_missing_or_broken_is_named_at_its_key) {
  const auto problem = [&](const std::string& keys) {
    const Result<Scene> scene = build(keys);
    EXPECT_FALSE(bool(scene));
    return scene.error().problems.empty() ? Problem{} : scene.error().problems[0];
  };
  EXPECT_EQ(problem("").place, "colliders.0.mesh.file");
  EXPECT_EQ(problem(R"("file": "tetra.obj", "rotate": {"axis": [0, 0, 0]})").place,
            "colliders.0.mesh.rotate.axis");
  const Problem missing = problem(R"("file": "nothing.obj")");
  EXPECT_EQ(missing.place.rfind("colliders.0.mesh.file: ", 0), 0u);
  EXPECT_NE(missing.place.find("nothing.obj"), std::string::npos);
  std::ofstream(folder_.path() / "broken.obj") << "v 0 0\n";
  EXPECT_NE(problem(R"("file": "broken.obj")").place.find("broken.obj"), std::string::npos);
}

TEST(BuildColliders, contact_settings_of_a_body_are_checked_too) {
  EXPECT_EQ(problem_of("", R"(, "friction": -1)").place, "bodies.0.friction");
  EXPECT_EQ(problem_of("", R"(, "contact": {"sweeps": 0})").place, "bodies.0.contact.sweeps");
  EXPECT_EQ(problem_of("", R"(, "contact": {"friction": 1})").place, "bodies.0.contact.friction");
}

}  // namespace build_colliders_test
}  // namespace pliant
