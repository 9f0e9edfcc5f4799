// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/physics/metrics.hpp"
#include "pliant/scene/validate.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace build_test {

Result<Scene> build(const std::string& text) { return build_scene(parse_scene(text, "test.json")); }

std::vector<Problem> problems_of(const std::string& text) {
  const Result<Scene> scene = build(text);
  EXPECT_FALSE(bool(scene));
  return scene.error().problems;
}

/// The only problem of a scene with one body of 3 x 3 x 3 nodes and these further keys.
Problem body_problem(const std::string& keys, const std::string& scene_keys = "") {
  const auto problems = problems_of(R"({"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}}, )" + keys + "}]" +
                                    scene_keys + "}");
  EXPECT_EQ(problems.size(), 1u);
  return problems.empty() ? Problem{} : problems[0];
}

const NodeState& nodes_of(const Scene& scene) { return scene.simulation.bodies()[0].method().nodes(); }

TEST(Build, a_pin_that_selects_nothing_is_placed_and_the_body_described) {
  const Problem problem = body_problem(R"("pins": [{"select": {"box": [[5, 5, 5], [6, 6, 6]]}}])");
  EXPECT_EQ(problem.place, "bodies.0.pins.0.select");
  EXPECT_NE(problem.hint.find("from [0, 0, 0] to [1, 1, 1]"), std::string::npos);
}

TEST(Build, the_set_up_of_a_body_counts_its_shape_too_and_its_stages_are_told) {
  std::vector<std::string> stages;
  BuildOptions options;
  options.progress = [&](const std::string& stage, double) {
    stages.push_back(stage);
    return true;
  };
  const std::string text = R"({"bodies": [{"name": "drops", "shape": {"blobs": {"nodes": 300, "parts": [
      {"from": [0, 0, 0], "to": [0.5, 0, 0], "radius": 0.4}]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "test.json"), options);
  ASSERT_TRUE(scene) << scene.error().text();
  EXPECT_GT(scene->setup_ms(0), scene->simulation.bodies()[0].method().describe().setup_ms);
  for (const std::string stage :
       {"shape of drops: repair", "shape of drops: nodes inside", "method geometric of drops"})
    EXPECT_NE(std::find(stages.begin(), stages.end(), stage), stages.end()) << stage;
}

TEST(Build, vertices_beyond_the_surface_are_a_problem) {
  EXPECT_EQ(body_problem(R"("pins": [{"select": {"vertices": [0, 26]}}])").place,
            "bodies.0.pins.0.select.vertices.1");
}

TEST(Build, a_node_cannot_be_held_twice) {
  const Problem problem = body_problem(
      R"("pins": [{"select": {"halfspace": {"normal": [0, -1, 0]}}}], "handles": [{"select": {"all": true}}])");
  EXPECT_EQ(problem.place, "bodies.0.handles.0.select");
  EXPECT_NE(problem.found.find("pins.0"), std::string::npos);
}

TEST(Build, keys_of_a_motion_must_ascend) {
  EXPECT_EQ(body_problem(R"("handles": [{"motion": [{"time": 1}, {"time": 1}]}])").place,
            "bodies.0.handles.0.motion.1.time");
}

TEST(Build, names_must_be_usable_and_differ) {
  EXPECT_EQ(body_problem(R"("name": "a/b")").place, "bodies.0.name");
  EXPECT_EQ(body_problem(R"("name": "..")").place, "bodies.0.name");
  const auto twice = problems_of(R"({"bodies": [{}, {}]})");
  ASSERT_EQ(twice.size(), 1u);
  EXPECT_EQ(twice[0].place, "bodies.1.name");
}

TEST(Build, a_scene_needs_a_body) { EXPECT_EQ(problems_of("{}").at(0).place, "bodies"); }

TEST(Build, expectations_name_known_metrics_and_bodies_and_have_a_limit) {
  const std::string body = R"("name": "b")";
  EXPECT_EQ(body_problem(body, R"(, "expect": [{"metric": "volume", "min": 1}])").place, "expect.0.metric");
  EXPECT_EQ(body_problem(body, R"(, "expect": [{"body": "c", "min": 1}])").place, "expect.0.body");
  EXPECT_EQ(body_problem(body, R"(, "expect": [{"min": 2, "max": 1}])").place, "expect.0.min");
  EXPECT_EQ(body_problem(body, R"(, "expect": [{}])").place, "expect.0");
  EXPECT_EQ(body_problem(body, R"(, "probes": [{"select": {"sphere": {"center": [9, 9, 9]}}}])").place,
            "probes.0.select");
}

TEST(Build, problems_of_values_and_of_shapes_come_together) {
  const auto problems = problems_of(R"({"frames": -1, "bodies": [{"density": -1, "name": "",
      "shape": {"box": {"nodes": [3, 3, 3]}}, "pins": [{"select": {"all": false}}]}]})");
  EXPECT_EQ(problems.size(), 4u);
}

TEST(Build, shapes_that_cannot_be_are_refused) {
  EXPECT_EQ(problems_of(R"({"bodies": [{"shape": {"torus": {"ring_radius": 0.2}}}]})").at(0).place,
            "bodies.0.shape.torus.tube_radius");
  EXPECT_EQ(problems_of(R"({"bodies": [{"shape": {"box": {"nodes": [2000, 2000, 2000]}}}]})").at(0).place,
            "bodies.0.shape.box.nodes");
  EXPECT_EQ(problems_of(R"({"bodies": [{"shape": {"cylinder": {"nodes": [3, 5]}}}]})").at(0).place,
            "bodies.0.shape.cylinder.nodes");
}

TEST(Build, initial_moves_turns_and_throws_the_body) {
  const auto scene = build(R"({"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}}, "initial": {
      "translate": [10, 0, 0], "rotate": {"axis": [0, 0, 1], "degrees": 90},
      "velocity": [0, 2, 0], "spin": [0, 0, 3]}}]})");
  ASSERT_TRUE(scene) << scene.error().text();
  const NodeState& nodes = nodes_of(*scene);
  EXPECT_NEAR((centre_of_mass(nodes) - Vec3(10.5, 0.5, 0.5)).norm(), 0, 1e-12);
  EXPECT_NEAR((nodes.x[0] - Vec3(11, 0, 0)).norm(), 0, 1e-12);  // node 0 was at the origin
  EXPECT_NEAR((nodes.v[0] - Vec3(1.5, 3.5, 0)).norm(), 0, 1e-12);
}

TEST(Build, scramble_moves_free_nodes_within_the_box_and_repeats_with_the_seed) {
  const auto text = [](int seed) {
    return R"({"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}}, "initial": {"scramble": {"seed": )" +
           std::to_string(seed) + R"(}}, "pins": [{"select": {"box": [[0, 0, 0], [0, 1, 1]]}}]}]})";
  };
  const auto one = build(text(1)), again = build(text(1)), two = build(text(2));
  ASSERT_TRUE(one && again && two);
  const Points &x = nodes_of(*one).x, rest = make_shape(BoxShape{Vec3(1, 1, 1), {3, 3, 3}}).graph.positions;
  EXPECT_EQ(x, nodes_of(*again).x);
  EXPECT_NE(x, nodes_of(*two).x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (rest[i].x() == 0)
      EXPECT_EQ(x[i], rest[i]);
    else
      EXPECT_NE(x[i], rest[i]);
    EXPECT_TRUE((x[i].array() >= 0).all() && (x[i].array() <= 1).all());
  }
}

TEST(Build, a_step_of_the_simulation_allocates_nothing_after_warm_up) {
  auto scene = build(R"({"bodies": [{"shape": {"box": {"nodes": [4, 4, 8]}},
      "pins": [{"select": {"box": [[0, 0, 0], [1, 1, 0]]}}],
      "handles": [{"select": {"box": [[0, 0, 1], [1, 1, 1]]},
                   "motion": [{"time": 0}, {"time": 1, "rotate": {"degrees": 30}}]}]}]})");
  ASSERT_TRUE(scene) << scene.error().text();
  for (int i = 0; i < 3; ++i) ASSERT_FALSE(scene->simulation.step());
  const std::size_t before = allocations();
  for (int i = 0; i < 20; ++i) ASSERT_FALSE(scene->simulation.step());
  EXPECT_EQ(allocations(), before);
}

TEST(Build, a_handle_is_scaled_whether_it_moves_or_not) {
  for (const char* motion : {"", R"(, "motion": [{"time": 0}])"}) {
    auto scene = build(R"({"bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}},
        "handles": [{"select": {"all": true}, "scale": [1, 2, 0.5])" +
                       std::string(motion) + "}]}]}");
    ASSERT_TRUE(scene) << scene.error().text();
    ASSERT_FALSE(scene->simulation.step());
    const Points& x = nodes_of(*scene).x;
    EXPECT_LT((x.back() - x.front() - Vec3(1, 2, 0.5)).norm(), 1e-12) << motion;
  }
}

TEST(Build, every_shape_becomes_a_body) {
  for (const char* shape : {"box", "sphere", "ellipsoid", "cylinder", "torus", "sheet"}) {
    const auto scene = build(std::string(R"({"bodies": [{"shape": {")") + shape + R"(": {}}}]})");
    ASSERT_TRUE(scene) << scene.error().text();
    EXPECT_EQ(scene->simulation.bodies()[0].volume_ratio().has_value(), std::string(shape) != "sheet");
  }
}

TEST(Build, says_when_a_body_is_too_stiff_for_contact_at_its_time_step) {
  const auto notes = [](const std::string& keys) {
    const Result<Scene> scene =
        build(R"({"bodies": [{"shape": {"box": {"size": [0.001, 0.001, 0.001], "nodes": [8, 8, 8]}},)"
              R"("geometric": {"stiffness": 1e6}}])" +
              keys + "}");
    EXPECT_TRUE(scene) << scene.error().text();
    return scene ? scene->notes : std::vector<std::string>{};
  };
  const std::string plane = R"(, "colliders": [{"plane": {}}])";
  ASSERT_EQ(notes(plane).size(), 1u);
  EXPECT_NE(notes(plane)[0].find("body: too stiff for its size and time step"), std::string::npos);
  EXPECT_TRUE(notes("").empty()) << "nothing to touch";
  const std::size_t at = notes(plane)[0].find("At least ") + 9;
  EXPECT_TRUE(notes(plane + R"(, "substeps": )" + notes(plane)[0].substr(at, 2)).empty())
      << "what it advises helps";
}

TEST(Build, flesh_meets_colliders_however_it_is_warped) {
  for (const char* warping : {"cell", "node", "row", "none"})
    EXPECT_TRUE(build_scene(
        parse_scene(R"({"bodies": [{"shape": {"box": {}}, "method": "meshless", "meshless": {"warping": ")" +
                        std::string(warping) + R"("}}], "colliders": [{"plane": {}}]})",
                    "test.json", {})))
        << warping;
}

}  // namespace build_test
}  // namespace pliant
