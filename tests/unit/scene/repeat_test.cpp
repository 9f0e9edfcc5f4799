// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/repeat.hpp"

#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"

namespace pliant {
namespace repeat_test {

constexpr const char* row = R"({
  "bodies": [
    {"name": "wall", "shape": {"box": {"nodes": [3, 3, 3]}}},
    {"name": "brick", "shape": {"box": {"size": [1, 1, 1], "nodes": [3, 3, 3], "corner": [2, 0, 0]}},
     "initial": {"velocity": [1, 0, 0]},
     "repeat": {"count": 3, "rotate": {"axis": [0, 1, 0], "degrees": 90}, "translate": [0, 5, 0]}}
  ]})";

ParsedScene parsed(const std::string& text, const std::vector<std::string>& sets = {}) {
  return parse_scene(text, "row.json", sets);
}

TEST(Repeat, a_row_becomes_bodies_with_numbers) {
  const ParsedScene scene = parsed(row);
  ASSERT_TRUE(scene.problems.empty()) << scene.error().text();
  std::vector<std::string> names;
  for (const BodySpec& body : scene.spec.bodies) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"wall", "brick-1", "brick-2", "brick-3"}));
}

TEST(Repeat, each_body_is_the_one_before_turned_about_the_origin_and_shifted) {
  const Result<Scene> scene = build_scene(parsed(row));
  ASSERT_TRUE(bool(scene)) << scene.error().text();
  const auto& bodies = scene->simulation.bodies();
  const auto turned = [](const Vec3& x) { return Vec3(x.z(), x.y(), -x.x()); };  // 90 degrees about y
  for (int k = 1; k < 3; ++k) {
    const NodeState &before = bodies[std::size_t(k)].method().nodes(),
                    &here = bodies[std::size_t(k + 1)].method().nodes();
    ASSERT_EQ(here.x.size(), before.x.size());
    for (std::size_t i = 0; i < here.x.size(); ++i) {
      EXPECT_LT((here.x[i] - (turned(before.x[i]) + Vec3(0, 5, 0))).norm(), 1e-14);
      EXPECT_LT((here.v[i] - turned(before.v[i])).norm(), 1e-15);
    }
  }
  EXPECT_LT((bodies[2].method().nodes().v[0] - Vec3(0, 0, -1)).norm(), 1e-15);
}

TEST(Repeat, pins_hold_nodes_where_the_row_has_them) {
  Result<Scene> scene = build_scene(parsed(row, {"bodies.brick.pins=[{}]", "bodies.brick.initial={}"}));
  ASSERT_TRUE(bool(scene)) << scene.error().text();
  const Points begin = scene->simulation.bodies()[3].method().nodes().x;
  ASSERT_FALSE(scene->simulation.step());
  const Points& end = scene->simulation.bodies()[3].method().nodes().x;
  for (std::size_t i = 0; i < end.size(); ++i) EXPECT_LT((end[i] - begin[i]).norm(), 1e-12);
}

TEST(Repeat, set_reaches_the_whole_row) {
  const ParsedScene scene = parsed(row, {"bodies.brick.repeat.count=5", "bodies.brick.density=70"});
  ASSERT_TRUE(scene.problems.empty()) << scene.error().text();
  ASSERT_EQ(scene.spec.bodies.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(scene.spec.bodies[i].density, 70);
}

TEST(Repeat, what_a_row_gets_wrong_is_told_once_at_its_entry) {
  const ParsedScene scene = parsed(row, {"bodies.brick.repeat.count=4", "bodies.brick.density=-1"});
  const Error error =
      scene.error({{"bodies.4.shape", "found", "expected", ""}, {"bodies.1.pins", "found", "expected", ""}});
  ASSERT_EQ(error.problems.size(), 2u) << error.text();
  EXPECT_EQ(error.problems[0].place, "--set bodies.brick.density=-1 (bodies.1.density)");
  EXPECT_EQ(error.problems[1].place, "bodies.1.pins");
}

TEST(Repeat, counts_out_of_range_are_problems) {
  for (const char* count : {"0", "-3", "1001", "2.5", "\"many\""}) {
    const ParsedScene scene = parsed(row, {std::string("bodies.brick.repeat.count=") + count});
    ASSERT_EQ(scene.problems.size(), 1u) << count;
    EXPECT_NE(scene.problems[0].place.find("bodies.1.repeat.count"), std::string::npos) << count;
  }
}

TEST(Repeat, a_row_written_out_reads_back_as_the_same_bodies) {
  const ParsedScene once = parsed(row), again = parsed(once.text);
  ASSERT_TRUE(again.problems.empty()) << again.error().text();
  const Result<Scene> a = build_scene(once), b = build_scene(again);
  ASSERT_TRUE(a && b);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(a->simulation.bodies()[i].method().nodes().x, b->simulation.bodies()[i].method().nodes().x);
}

}  // namespace repeat_test
}  // namespace pliant
