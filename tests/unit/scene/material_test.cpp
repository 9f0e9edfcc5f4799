// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/material.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace material_test {

const Json& settings_in(const Json& scene, const std::string& method) { return scene["bodies"][0][method]; }

Json one_body(const std::string& more) {
  return Json::parse(R"({"frames": 1, "bodies": [{"shape": {"box": {"nodes": [3, 3, 3]}}, )" + more + "}]}");
}

TEST(Materials, have_positive_numbers_within_what_scenes_accept) {
  EXPECT_EQ(materials().size(), 10u);
  for (const Material& material : materials()) {
    const ParsedScene parsed = parse_scene(one_body("\"material\": \"" + material.name + "\"").dump(), "");
    EXPECT_TRUE(parsed.problems.empty()) << material.name;
    EXPECT_EQ(parsed.spec.bodies[0].density, material.density);
    EXPECT_EQ(parsed.spec.bodies[0].friction, material.friction);
    EXPECT_EQ(parsed.spec.bodies[0].damping.stiffness, material.damping);
    EXPECT_EQ(parsed.spec.bodies[0].entry().stiffness(parsed.spec.bodies[0].options()), material.stiffness);
    EXPECT_GT(material.poisson, 0);
    EXPECT_LE(material.poisson, 0.45);
  }
}

TEST(Materials, set_only_what_the_scene_does_not) {
  const Json filled = with_materials(one_body(
      R"("material": "rubber", "density": 1100, "geometric": {"poisson": 0.3}, "damping": {"mass": 2})"));
  const Json& body = filled["bodies"][0];
  EXPECT_EQ(body["density"], 1100);
  EXPECT_EQ(body["friction"], 0.8);
  EXPECT_EQ(body["damping"]["mass"], 2);
  EXPECT_EQ(body["damping"]["stiffness"], 1.6e-3);
  EXPECT_EQ(settings_in(filled, "geometric")["poisson"], 0.3);
  EXPECT_EQ(settings_in(filled, "geometric")["stiffness"], 1.5e6);
}

TEST(Materials, reach_every_method_and_none_changes_nothing) {
  for (const std::string& method : method_names()) {
    const Json filled = with_materials(one_body("\"material\": \"steel\", \"method\": \"" + method + "\""));
    const MethodEntry& entry = method_entry(method);
    EXPECT_EQ(filled["bodies"][0]["density"], 7850) << method;
    if (entry.can(entry.defaults, Ability::elastic)) {
      EXPECT_EQ(settings_in(filled, method)["stiffness"], 2.1e11) << method;
    } else {
      EXPECT_FALSE(filled["bodies"][0].contains(method)) << method;
    }
  }
  const Json plain = one_body(R"("density": 5)");
  EXPECT_EQ(with_materials(plain), plain);
}

TEST(Materials, a_set_on_the_command_line_counts_as_the_scene) {
  const std::string text = one_body(R"("material": "rubber")").dump();
  const ParsedScene parsed = parse_scene(text, "", {"bodies.0.material=cork", "bodies.0.density=200"});
  ASSERT_TRUE(parsed.problems.empty());
  EXPECT_EQ(parsed.spec.bodies[0].density, 200);
  EXPECT_EQ(parsed.spec.bodies[0].friction, 0.5);
}

TEST(Materials, one_that_is_not_known_is_refused_with_the_names) {
  const ParsedScene parsed = parse_scene(one_body(R"("material": "ruber")").dump(), "");
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].place, "bodies.0.material");
  EXPECT_NE(parsed.error().text().find("rubber"), std::string::npos);
}

TEST(Materials, a_body_that_cannot_have_the_ratio_says_so) {
  const auto notes = [](const std::string& more) {
    return material_notes(parse_scene(one_body(more).dump(), "").spec.bodies[0]);
  };
  EXPECT_TRUE(notes(R"("material": "rubber")").empty());
  const auto surface = notes(R"("material": "rubber", "geometric": {"operator": "edge"})");
  ASSERT_EQ(surface.size(), 1u);
  EXPECT_EQ(surface[0], "material rubber has Poisson's ratio 0.45; this body has 0");
  const auto metric = notes(R"("material": "rubber", "method": "metric")");
  ASSERT_EQ(metric.size(), 1u);
  EXPECT_NE(metric[0].find("0.25"), std::string::npos);
  EXPECT_TRUE(notes(R"("material": "rubber", "method": "rigid")").empty()) << "it has no strain";
  const ParsedScene parsed =
      parse_scene(one_body(R"("material": "rubber", "geometric": {"adaptive": {}})").dump(), "");
  const Result<Scene> built = build_scene(parsed, 1);
  ASSERT_TRUE(built) << built.error().text();
}

}  // namespace material_test
}  // namespace pliant
