// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/models.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace inspect_test {

const char* const box_obj =
    "v 0 0 0\nv 200 0 0\nv 0 100 0\nv 200 100 0\nv 0 0 50\nv 200 0 50\nv 0 100 50\nv 200 100 50\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\n";
const char* const lid = "f 2 4 8 6\n";

std::string inspect_command(const std::filesystem::path& mesh, const std::string& options = "") {
  return "inspect '" + mesh.string() + "' " + options;
}

nlohmann::json inspected(const std::filesystem::path& mesh, const std::string& options = "") {
  const auto result = run_pliant(inspect_command(mesh, options + " --json"));
  EXPECT_EQ(result.exit, 0) << result.output;
  return nlohmann::json::parse(result.output, nullptr, false);
}

TEST(Inspect, tells_a_closed_box_in_metres_as_text_and_as_json) {
  const TempFolder folder;
  const auto box = write_text(folder / "box.obj", std::string(box_obj) + lid);
  const auto text = run_pliant(inspect_command(box, "--unit mm --up z"));
  EXPECT_EQ(text.exit, 0);
  for (const char* line :
       {"0.2 x 0.05 x 0.1 m", "8 (8 in the file)", "12 (from 6 faces)", "closed        yes", "0.001 m^3",
        "repaired      nothing", "kind          solid (defect 0.0", "geometric: yes, as a solid",
        "\"solid\": false"})
    EXPECT_TRUE(text.says(line)) << line << "\n" << text.output;
  EXPECT_FALSE(text.says("warning")) << text.output;

  const auto json = inspected(box, "--unit cm");
  EXPECT_EQ(json["closed"], true);
  EXPECT_NEAR(json["size"][0].get<double>(), 2, 1e-12);
  EXPECT_NEAR(json["volume"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(json["area"].get<double>(), 2 * (2 * 1 + 1 * 0.5 + 0.5 * 2), 1e-9);
  EXPECT_EQ(json["kind"], "solid");
  EXPECT_EQ(json["components"], 1);
  EXPECT_EQ(json["border_edges"], 0);
  EXPECT_EQ(json["self_intersections"], 0);
  EXPECT_EQ(json["repaired"]["text"], "nothing");
  EXPECT_EQ(json["methods"]["geometric"]["usable"], true);
  EXPECT_TRUE(json["warnings"].empty());
}

TEST(Inspect, tells_holes_parts_and_repairs) {
  const TempFolder folder;
  // Two open boxes, the second pushed through the first and inside-out.
  std::string text = box_obj;
  std::string second =
      "v 50 30 -40\nv 260 30 -40\nv 50 60 -40\nv 260 60 -40\nv 50 30 20\nv 260 30 20\nv 50 60 20\nv 260 60 "
      "20\n"
      "f 10 12 11 9\nf 15 16 14 13\nf 13 14 10 9\nf 12 16 15 11\nf 11 15 13 9\nf 10 14 16 12\nf 9 9 10\n";
  const auto mesh = write_text(folder / "two.obj", text + second);
  const auto json = inspected(mesh, "--unit mm");
  EXPECT_EQ(json["components"], 2);
  EXPECT_EQ(json["border_edges"], 4);
  EXPECT_EQ(json["border_loops"], 1);
  EXPECT_EQ(json["closed"], false);
  EXPECT_EQ(json["kind"], "solid");
  EXPECT_GT(json["self_intersections"].get<int>(), 0);
  EXPECT_EQ(json["repaired"]["parts_turned"], 1);
  EXPECT_EQ(json["repaired"]["degenerate_faces"], 1);
  EXPECT_EQ(json["volume_counted"], true);
  // 0.001 + 0.000378 - the overlap of 0.15 x 0.03 x 0.02.
  EXPECT_NEAR(json["volume"].get<double>(), 1.288e-3, 0.05e-3);
  const auto said = run_pliant(inspect_command(mesh));
  EXPECT_TRUE(said.says("2 separate parts")) << said.output;
  EXPECT_TRUE(said.says("4 edges in 1 loop")) << said.output;
  EXPECT_TRUE(said.says("pass through each other")) << said.output;
}

TEST(Inspect, tells_a_sheet_from_a_solid) {
  const TempFolder folder;
  const auto sheet = write_text(folder / "sheet.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 0 1\n0 0 1\n4 0 3 2 1\n");
  const auto json = inspected(sheet);
  EXPECT_EQ(json["kind"], "shell");
  EXPECT_TRUE(json["volume"].is_null());
  EXPECT_NEAR(json["defect"].get<double>(), 0.5, 0.01);
  const auto text = run_pliant(inspect_command(sheet));
  EXPECT_TRUE(text.says("yes, as a shell")) << text.output;
  EXPECT_TRUE(text.says("\"solid\": true in the shape makes it a solid")) << text.output;
}

TEST(Inspect, refuses_what_is_no_surface_and_names_the_file) {
  const TempFolder folder;
  const auto cloud = write_text(folder / "cloud.off", "OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n");
  auto result = run_pliant(inspect_command(cloud));
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says(
      "cloud.off: no faces (3 points). A soft body needs a surface, or points with normals (PLY: nx"))
      << result.output;
  const auto line = write_text(folder / "line.obj", "v 0 0 0\nv 0 0 1\nv 0 0 3\nf 1 2 3\n");
  result = run_pliant(inspect_command(line));
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("line.obj: all 1 faces are degenerate (zero extent in x and y).")) << result.output;
  EXPECT_TRUE(refused(run_pliant(inspect_command(folder / "none.obj")), "none.obj: found No such file"));
  EXPECT_TRUE(refused(run_pliant(inspect_command(folder / "")), "expected .obj, .ply, .stl, .off or .glb"));
  EXPECT_TRUE(refused(run_pliant(inspect_command(line, "--unit parsec")), "parsec not in {m,cm,mm,in,ft}"));
  EXPECT_TRUE(refused(run_pliant(inspect_command(line, "--up x")), "x not in {y,z}"));
}

TEST(Inspect, takes_a_large_model_as_it_comes) {
  if (!have_models()) GTEST_SKIP() << models_missing;
  const auto json = inspected(model_folder() / "bunny00.off");
  EXPECT_EQ(json["triangles"], 75408);
  EXPECT_EQ(json["closed"], true);
  EXPECT_EQ(json["kind"], "solid");
}

}  // namespace inspect_test
}  // namespace pliant
