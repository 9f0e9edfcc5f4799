// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/parse.hpp"
#include "pliant/methods/geometric/options.hpp"

#include <gtest/gtest.h>

#include "pliant/base/layout.hpp"

namespace pliant {
namespace parse_test {

/// The only problem of a scene.
Problem problem_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const ParsedScene scene = parse_scene(text, "test.json", sets);
  EXPECT_EQ(scene.problems.size(), 1u) << scene.error().text();
  return scene.problems.empty() ? Problem{} : scene.error().problems[0];
}

SceneSpec spec_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  const ParsedScene scene = parse_scene(text, "test.json", sets);
  EXPECT_TRUE(scene.problems.empty()) << scene.error().text();
  return scene.spec;
}

TEST(Parse, an_empty_object_gives_the_defaults) {
  const SceneSpec spec = spec_of("{}");
  EXPECT_DOUBLE_EQ(spec.timestep, 1.0 / 60);
  EXPECT_EQ(spec.substeps, 1);
  EXPECT_EQ(spec.frames, 300);
  EXPECT_EQ(spec.gravity, Vec3(0, -9.81, 0));
}

TEST(Parse, reads_the_scene_of_the_product_page) {
  const SceneSpec spec = spec_of(R"({
      "timestep": 0.0166667, "substeps": 2, "frames": 30, "gravity": [0, -1, 0], // a comment
      "bodies": [{
        "name": "bar", "shape": {"box": {"size": [4, 1, 1], "nodes": [41, 9, 9]}},
        "method": "geometric", "geometric": {"operator": "volumetric", "stiffness": 2e5},
        "density": 900, "damping": {"mass": 0.2, "stiffness": 0.002},
        "pins":    [{"select": {"box": [[-0.01, -1, -1], [0.01, 2, 2]]}}],
        "handles": [{"select": {"vertices": [1, 2]},
                     "motion": [{"time": 0}, {"time": 1, "translate": [0, 1, 0], "rotate": {"axis": [1, 0, 0], "degrees": 90}}],
                     "release": 2.0}],
        "initial": {"velocity": [1, 2, 3], "scramble": {"seed": 9}}
      }],
      "expect": [{"metric": "volume_ratio", "body": "bar", "at": 1.5, "min": 0.995}]
    })");
  EXPECT_EQ(spec.substeps, 2);
  const BodySpec& bar = spec.bodies.at(0);
  EXPECT_EQ(std::get<BoxShape>(bar.shape.is).nodes, (std::array<int, 3>{41, 9, 9}));
  EXPECT_EQ(bar.options_of<geometric::Options>().stiffness, 2e5);
  EXPECT_EQ(bar.density, 900);
  EXPECT_EQ(bar.damping.stiffness, 0.002);
  EXPECT_EQ(std::get<SelectBox>(bar.pins.at(0).select.is).corners[1], Vec3(0.01, 2, 2));
  EXPECT_EQ(bar.pins[0].release, not_given);
  EXPECT_EQ(std::get<SelectVertices>(bar.handles.at(0).select.is).indices, (std::vector<int>{1, 2}));
  EXPECT_EQ(bar.handles[0].motion.at(1).rotate.degrees, 90);
  EXPECT_EQ(bar.handles[0].release, 2);
  EXPECT_EQ(bar.initial.velocity, Vec3(1, 2, 3));
  EXPECT_EQ(bar.initial.scramble.value().seed, 9);
  EXPECT_EQ(spec.expect.at(0).at.number, 1.5);
  EXPECT_EQ(spec.expect[0].max, not_given);
}

TEST(Parse, broken_json_is_placed_by_line_and_column) {
  const Problem problem = problem_of("{\n  \"frames\": 3,\n  \"gravity\": [0, }\n}");
  EXPECT_EQ(problem.place, "line 3, column 18");
  EXPECT_EQ(problem.found, "broken JSON");
  EXPECT_EQ(problem_of("").place, "line 1, column 1");
}

TEST(Parse, numbers_too_large_for_a_double_are_no_numbers) {
  EXPECT_EQ(problem_of(R"({"timestep": 1e999})").found, "broken JSON");
}

TEST(Parse, an_unknown_key_is_placed_and_the_nearest_name_suggested) {
  const Problem problem = problem_of(R"({"bodies": [{"densty": 3}]})");
  EXPECT_EQ(problem.place, "bodies.0.densty");
  EXPECT_EQ(problem.found, "unknown key \"densty\"");
  EXPECT_EQ(problem.hint, "did you mean \"density\"?");
}

TEST(Parse, a_key_that_belongs_elsewhere_is_told_where) {
  EXPECT_NE(problem_of(R"({"bodies": [{"skeleton": {}}]})").hint.find("meshless.skeleton"),
            std::string::npos);
}

TEST(Parse, the_keys_of_a_mesh_stand_beside_its_file) {
  const ParsedScene scene = parse_scene(
      R"({"bodies": [{"shape": {"mesh": "a.obj", "scale": 2, "unit": "cm", "up": "z", "nodes": 900, "solid": true}}]})",
      "scene.json");
  ASSERT_TRUE(scene.problems.empty()) << scene.error().text();
  const auto& mesh = std::get<MeshSpec>(scene.spec.bodies[0].shape.is);
  EXPECT_EQ(mesh.mesh, "a.obj");
  EXPECT_EQ(mesh.scale, 2);
  EXPECT_EQ(mesh.unit, LengthUnit::cm);
  EXPECT_EQ(mesh.up, UpAxis::z);
  EXPECT_EQ(mesh.nodes, 900);
  EXPECT_EQ(mesh.solid, std::optional<bool>(true));
  EXPECT_EQ(problem_of(R"({"bodies": [{"shape": {"mesh": "a.obj", "scal": 2}}]})").hint,
            "did you mean \"scale\"?");
  EXPECT_EQ(problem_of(R"({"bodies": [{"shape": {"mesh": "a.obj", "solid": "yes"}}]})").expected,
            "true or false");
}

TEST(Parse, a_wrong_type_says_what_was_found_and_what_fits) {
  const Problem problem = problem_of(R"({"frames": "many"})");
  EXPECT_EQ(problem.place, "frames");
  EXPECT_EQ(problem.found, "\"many\"");
  EXPECT_EQ(problem.expected, "a whole number >= 0 and <= 1e+08");
  EXPECT_EQ(problem_of(R"({"frames": 2.5})").found, "2.5");
  EXPECT_EQ(problem_of(R"({"gravity": [0, 1]})").found, "[0,1]");
  EXPECT_EQ(problem_of(R"({"bodies": {}})").expected, "a list [...]");
  EXPECT_EQ(problem_of(R"({"bodies": [3]})").place, "bodies.0");
  EXPECT_EQ(problem_of("[]").found, "[]");
}

TEST(Parse, a_number_out_of_range_says_range_and_unit) {
  const Problem problem = problem_of(R"({"bodies": [{}, {"density": -5}]})");
  EXPECT_EQ(problem.place, "bodies.1.density");
  EXPECT_EQ(problem.found, "-5");
  EXPECT_EQ(problem.expected, "a number > 0 and <= 1e+06 kg/m^3");
}

TEST(Parse, an_unknown_method_lists_the_available_ones) {
  const Problem problem = problem_of(R"({"bodies": [{"method": "spring"}]})");
  EXPECT_EQ(problem.place, "bodies.0.method");
  EXPECT_NE(problem.expected.find("\"geometric\""), std::string::npos);
}

TEST(Parse, a_choice_takes_exactly_one_alternative) {
  EXPECT_EQ(problem_of(R"({"bodies": [{"shape": {}}]})").found, "0 keys");
  EXPECT_EQ(problem_of(R"({"bodies": [{"shape": {"box": {}, "torus": {}}}]})").found, "2 keys");
}

TEST(Parse, a_key_twice_in_one_object_is_an_error_but_not_in_two) {
  EXPECT_EQ(problem_of(R"({"frames": 3, "frames": 4})").found, "this key twice in one object");
  spec_of(R"({"bodies": [{"name": "a"}, {"name": "b"}]})");
}

TEST(Parse, all_problems_come_together) {
  const ParsedScene scene = parse_scene(R"({"frmes": 1, "timestep": 0, "bodies": [{"density": "x"}]})", "f");
  EXPECT_EQ(scene.problems.size(), 3u);
}

TEST(Set, reaches_values_by_index_and_by_name) {
  const std::string text = R"({"bodies": [{"name": "a"}, {"name": "b"}]})";
  const SceneSpec spec =
      spec_of(text, {"timestep=0.01", "bodies.0.density=500", "bodies.b.geometric.stiffness=1e6",
                     "bodies.b.geometric.integrator=euler", "gravity=[0, 0, 1]"});
  EXPECT_EQ(spec.timestep, 0.01);
  EXPECT_EQ(spec.bodies[0].density, 500);
  EXPECT_EQ(spec.bodies[1].options_of<geometric::Options>().stiffness, 1e6);
  EXPECT_EQ(spec.bodies[1].options_of<geometric::Options>().integrator, geometric::Integrator::euler);
  EXPECT_EQ(spec.gravity, Vec3(0, 0, 1));
}

TEST(Set, errors_name_the_argument) {
  const std::string text = R"({"bodies": [{"name": "bar"}]})";
  EXPECT_EQ(problem_of(text, {"bodies.bar.density=-5"}).place,
            "--set bodies.bar.density=-5 (bodies.0.density)");
  EXPECT_EQ(problem_of(text, {"bodies.bar.densty=5"}).hint, "did you mean \"density\"?");
  const Problem no_body = problem_of(text, {"bodies.bra.density=5"});
  EXPECT_EQ(no_body.place, "--set bodies.bra.density=5");
  EXPECT_EQ(no_body.hint, "did you mean \"bar\"?");
  EXPECT_EQ(problem_of(text, {"bodies.1.density=5"}).place, "--set bodies.1.density=5");
  EXPECT_EQ(problem_of(text, {"timestep"}).found, "--set timestep");
  EXPECT_EQ(problem_of(R"({"timestep": 0.1})", {"timestep.x=1"}).place, "--set timestep.x=1");
}

TEST(Fingerprint, follows_what_decides_the_motion_only) {
  const auto fingerprint = [](const std::string& text, const std::vector<std::string>& sets = {}) {
    return parse_scene(text, "f", sets).fingerprint;
  };
  const std::string text = R"({"timestep": 0.01, "frames": 3})";
  EXPECT_EQ(fingerprint(text),
            fingerprint(R"({"frames": 9, "description": "x", /* words */ "timestep": 0.01})"));
  EXPECT_NE(fingerprint(text), fingerprint(text, {"timestep=0.02"}));
}

TEST(NearestName, suggests_near_names_and_nothing_far) {
  EXPECT_EQ(nearest_name("boxx", {"sphere", "box", "torus"}), "box");
  EXPECT_EQ(nearest_name("elephant", {"sphere", "box", "torus"}), "");
}

TEST(Parse, thousands_of_levels_are_refused_and_do_not_end_the_stack) {
  const int levels = 300000;
  const std::string deep = std::string(levels, '[') + std::string(levels, ']');
  EXPECT_EQ(problem_of("{\"frames\": " + deep + "}").expected, "at most 100 levels");
  EXPECT_EQ(problem_of("{}", {"frames=" + deep}).expected, "a whole number >= 0 and <= 1e+08");
}

TEST(Parse, a_number_beyond_double_is_named_with_its_line) {
  EXPECT_EQ(problem_of("{\n\"timestep\": 1e999}").place, "line 2, column 13");
}

}  // namespace parse_test
}  // namespace pliant
