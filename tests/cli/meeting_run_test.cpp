// SPDX-License-Identifier: Apache-2.0
// Runs of bodies that meet: contacts between them, steps that were shortened, starts that overlap, bonds.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace meeting_run_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class MeetingRun : public ::testing::Test {
 protected:
  TempFolder folder;
  CommandResult run(const Json& scene, const std::string& more = "") const {
    write_text(folder / "scene.json", scene.dump());
    return run_pliant("run '" + (folder / "scene.json").string() + "' -o '" + (folder / "out").string() +
                      "' --format none " + more);
  }
  Json summary() const { return Json::parse(read_text(folder / "out/summary.json")); }
};

Json box(const std::string& name, const std::array<double, 3>& at, const Json& more = Json::object()) {
  Json body{{"name", name},
            {"shape", {{"box", {{"size", {0.1, 0.1, 0.1}}, {"nodes", {3, 3, 3}}}}}},
            {"geometric", {{"stiffness", 1e6}}},
            {"contact", {{"bodies", true}}},
            {"initial", {{"translate", at}}}};
  body.update(more, true);
  return body;
}

/// A body that nothing moves, and one that is driven through it.
Json blocked() {
  const Json all{{"all", true}};
  const Json wall = box("wall", {0, 0, 0}, {{"pins", {{{"select", all}}}}});
  const Json ram = box(
      "ram", {0.15, 0.013, 0.007},
      {{"handles",
        {{{"select", all}, {"motion", {{{"time", 0}}, {{"time", 0.1}, {"translate", {-0.15, 0, 0}}}}}}}}});
  return {{"gravity", {0, 0, 0}}, {"frames", 8}, {"bodies", {wall, ram}}};
}

TEST_F(MeetingRun, tells_who_was_stopped_where_and_ends_well_unless_it_is_strict) {
  const CommandResult plain = run(blocked());
  EXPECT_EQ(plain.exit, 0) << plain.output;
  EXPECT_TRUE(plain.says("stopped on its way")) << plain.output;
  const Json stops = summary()["shortened"];
  ASSERT_EQ(stops.size(), 1u);
  EXPECT_EQ(stops[0]["bodies"], Json({"wall", "ram"}));
  EXPECT_GT(stops[0]["step"].get<int>(), 1);
  EXPECT_GT(stops[0]["missing"].get<double>(), 0);
  EXPECT_NEAR(stops[0]["place"][0].get<double>(), 0.1, 0.01);  // the side of the wall
  const CommandResult strict = run(blocked(), "--strict");
  EXPECT_EQ(strict.exit, 1);
  EXPECT_TRUE(strict.says("--strict")) << strict.output;
  EXPECT_TRUE(strict.says("stopped wall and ram in step")) << strict.output;
}

TEST_F(MeetingRun, that_is_never_stopped_is_strict) {
  Json scene = blocked();
  scene["frames"] = 2;
  EXPECT_EQ(run(scene, "--strict").exit, 0);
  EXPECT_TRUE(summary()["shortened"].empty());
}

Json overlapping(const std::string& start) {
  return {{"gravity", {0, 0, 0}},
          {"frames", 2},
          {"bodies",
           {box("left", {0, 0, 0}), box("right", {0.08, 0.013, 0.007}, {{"contact", {{"start", start}}}})}}};
}

TEST_F(MeetingRun, tells_overlaps_by_name_and_number) {
  const CommandResult result = run(overlapping("allow"));
  EXPECT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("left and right overlap around [0.0")) << result.output;
  EXPECT_TRUE(result.says("led apart")) << result.output;
  const Json overlaps = summary()["overlaps"];
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0]["bodies"], Json({"left", "right"}));
  EXPECT_NEAR(overlaps[0]["depth"].get<double>(), 0.02, 0.002);
  EXPECT_FALSE(overlaps[0]["parted"].get<bool>());
  const CommandResult told = run_pliant("inspect '" + (folder / "scene.json").string() + "'");
  EXPECT_EQ(told.exit, 0);
  EXPECT_TRUE(told.says("left and right overlap")) << told.output;
  const CommandResult json = run_pliant("inspect '" + (folder / "scene.json").string() + "' --json");
  EXPECT_EQ(Json::parse(json.output)["overlaps"].size(), 1u);
}

TEST_F(MeetingRun, refuses_overlaps_where_it_is_asked_to) {
  const CommandResult result = run(overlapping("refuse"));
  EXPECT_EQ(result.exit, 2) << result.output;
  EXPECT_TRUE(result.says("bodies.1.contact.start")) << result.output;
  EXPECT_TRUE(result.says("left and right overlap")) << result.output;
}

TEST_F(MeetingRun, lists_contacts_of_bodies_once) {
  const Json scene{{"frames", 30},
                   {"bodies", {box("low", {0, 0, 0}), box("high", {0.004, 0.101, 0})}},
                   {"colliders", {{{"plane", {{"friction", 0.5}}}}}}};
  ASSERT_EQ(run(scene, "--contacts").exit, 0);
  const std::string csv = read_text(folder / "out/contacts.csv");
  EXPECT_NE(csv.find(",low,colliders.0,"), std::string::npos);
  EXPECT_NE(csv.find(",low,high,"), std::string::npos);
  EXPECT_EQ(csv.find(",high,low,"), std::string::npos);
  EXPECT_GT(summary()["bodies"][1]["largest_normal_force"]["newtons"].get<double>(), 9.81 / 9);
}

TEST_F(MeetingRun, says_when_a_bond_breaks_and_refuses_one_that_ties_nothing) {
  Json scene{
      {"frames", 12},
      {"bodies",
       {box("high", {0, 0.2, 0}, {{"pins", {{{"select", {{"all", true}}}}}}}), box("low", {0, 0.098, 0})}},
      {"bonds", {{{"body", "low"}, {"to", "high"}, {"strength", 5}}}}};
  const CommandResult broken = run(scene);
  ASSERT_EQ(broken.exit, 0) << broken.output;
  EXPECT_TRUE(broken.says("bond low - high: 9 of 9 points broke")) << broken.output;
  EXPECT_EQ(summary()["bonds"][0]["broken"], 9);
  scene["bonds"][0].erase("strength");
  EXPECT_TRUE(run(scene).says("bond low - high: all 9 points hold"));
  scene["bonds"][0]["within"] = 1e-3;
  const CommandResult nothing = run(scene);
  EXPECT_EQ(nothing.exit, 2);
  EXPECT_TRUE(nothing.says("no point of low")) << nothing.output;
  scene["bonds"][0]["to"] = "colliders.0";
  EXPECT_TRUE(run(scene).says("bonds.0.to"));
}

TEST_F(MeetingRun, sleeps_where_the_scene_says_so) {
  Json scene{{"frames", 150},
             {"bodies",
              {box("low", {0, 0.0005, 0}, {{"damping", {{"mass", 4}, {"stiffness", 0.02}}}}),
               box("high", {0.004, 0.101, 0}, {{"damping", {{"mass", 4}, {"stiffness", 0.02}}}})}},
             {"colliders", {{{"plane", {{"friction", 0.5}}}}}},
             {"sleeping", "always"}};
  ASSERT_EQ(run(scene).exit, 0);
  EXPECT_EQ(summary()["bodies"][0]["step_ms"]["min"], 0);
  scene["sleeping"] = "in_view";
  ASSERT_EQ(run(scene).exit, 0);
  EXPECT_GT(summary()["bodies"][0]["step_ms"]["min"].get<double>(), 0);
}

}  // namespace meeting_run_test
}  // namespace pliant
