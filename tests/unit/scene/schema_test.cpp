// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/schema.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace schema_test {

using Json = nlohmann::json;

TEST(Schema, is_json_and_every_reference_leads_to_a_definition) {
  const Json schema = Json::parse(scene_schema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  int references = 0;
  const std::function<void(const Json&)> walk = [&](const Json& at) {
    if (at.is_object() && at.contains("$ref")) {
      const std::string name = at["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
      EXPECT_TRUE(schema["$defs"].contains(name)) << name;
      ++references;
    }
    if (at.is_structured())
      for (const Json& below : at) walk(below);
  };
  walk(schema);
  EXPECT_GT(references, 15);
}

TEST(Schema, carries_unit_range_default_and_help) {
  const Json schema = Json::parse(scene_schema());
  const Json density = schema["$defs"]["body"]["properties"]["density"];
  EXPECT_EQ(density["type"], "number");
  EXPECT_EQ(density["exclusiveMinimum"], 0);
  EXPECT_EQ(density["default"], 1000);
  EXPECT_EQ(density["x-unit"], "kg/m^3");
  EXPECT_EQ(density["x-scale"], "logarithmic");
  EXPECT_FALSE(density["description"].get<std::string>().empty());
  EXPECT_EQ(schema["$defs"]["shape"]["anyOf"][0]["maxProperties"], 1);
  EXPECT_EQ(schema["$defs"]["shape"]["anyOf"][1]["$ref"], "#/$defs/mesh");
  EXPECT_FALSE(schema["$defs"]["pin"]["properties"]["release"].contains("default"));
  EXPECT_EQ(schema["additionalProperties"], false);
}

TEST(Schema, every_value_has_help) {
  const Json schema = Json::parse(scene_schema());
  for (const auto& [title, definition] : schema["$defs"].items()) {
    const Json& object = definition.contains("anyOf") ? definition["anyOf"][0] : definition;
    for (const auto& [key, value] : object["properties"].items())
      EXPECT_FALSE(value["description"].get<std::string>().empty()) << title << "." << key;
  }
}

TEST(SceneFormatPage, begins_with_a_scene_that_works) {
  const std::string page = scene_markdown(), fence = "```json\n";
  const auto begin = page.find(fence) + fence.size(), end = page.find("```", begin);
  ASSERT_LT(end, page.find("## scene"));
  const auto scene = build_scene(parse_scene(page.substr(begin, end - begin), "example"), 1);
  EXPECT_TRUE(scene) << scene.error().text();
}

TEST(SceneFormatPage, is_up_to_date) {
  std::ifstream in(source_folder() + "/docs/scene-format.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(page == scene_markdown())
      << "docs/scene-format.md is old: pliant schema --markdown > docs/scene-format.md";
}

}  // namespace schema_test
}  // namespace pliant
