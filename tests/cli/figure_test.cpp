// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace figure_command_test {

namespace fs = std::filesystem;

/// A small block that falls on its clamp; ten frames.
constexpr const char* scene = R"({
  "frames": 10,
  "bodies": [{"name": "block", "method": "metric", "shape": {"box": {"size": [1, 1, 1], "nodes": [3, 3, 3]}},
    "pins": [{"select": {"halfspace": {"point": [0, 0.01, 0], "normal": [0, -1, 0]}}}],
    "handles": [{"select": {"halfspace": {"point": [0, 0.99, 0], "normal": [0, 1, 0]}},
      "motion": [{"time": 0}, {"time": 0.1, "translate": [0.4, 0, 0]}]}]}]
})";

class FigureCommand : public testing::Test {
 protected:
  FigureCommand() { write_text(folder.path() / "block.json", scene); }
  CommandResult figure(const std::string& text, const std::string& output) {
    write_text(folder.path() / "figure.json", text);
    return run_pliant("figure " + path("figure.json") + " -o " + path(output));
  }
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  TempFolder folder;
};

/// Width and height of a PNG.
std::pair<int, int> png_size(const std::string& file) {
  const std::string bytes = read_text(file);
  const auto number = [&](std::size_t at) {
    int n = 0;
    for (std::size_t i = 0; i < 4; ++i) n = n << 8 | int(static_cast<unsigned char>(bytes.at(at + i)));
    return n;
  };
  return {number(16), number(20)};
}

TEST_F(FigureCommand, draws_panels_of_a_scene_that_runs_once) {
  const auto result = figure(R"({"width": 240, "quality": "draft", "panels": [
      {"scene": "block.json", "time": 0.05, "label": "volume {volume_ratio}", "show": ["pins", "arrows", "inverted"],
       "ghosts": [{}, {"time": 0.02}]},
      {"scene": "block.json", "time": 0.1, "color": "speed"}]})",
                             "out.png");
  ASSERT_EQ(result.exit, 0) << result.output;
  EXPECT_EQ(png_size(path("out.png")).first, 240);
  // Frame 6 of 10 is the last that is needed, and both panels share the run.
  EXPECT_TRUE(result.says("7 of 7 frames simulated")) << result.output;
  EXPECT_TRUE(result.says("2 panels")) << result.output;
}

TEST_F(FigureCommand, draws_run_folders_and_meshes) {
  ASSERT_EQ(
      run_pliant("run " + path("block.json") + " --quiet --format pc2 --frames 3 -o " + path("run")).exit, 0);
  write_text(folder.path() / "tetra.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const auto result = figure(R"({"width": 200, "quality": "draft", "fit": "panel", "panels": [
      {"run": "run", "time": 0.02, "label": "a run"},
      {"mesh": "tetra.obj", "up": "z", "cage": "tetra.obj", "show": ["cage"]}]})",
                             "out.png");
  EXPECT_EQ(result.exit, 0) << result.output;
}

TEST_F(FigureCommand, the_picture_does_not_depend_on_the_threads) {
  const std::string text =
      R"({"width": 120, "quality": "draft", "panels": [{"scene": "block.json", "time": 0.03}]})";
  write_text(folder.path() / "figure.json", text);
  for (const char* threads : {"1", "2"})
    ASSERT_EQ(run_pliant("figure " + path("figure.json") + " --quiet --threads " + threads + " -o " +
                         path(std::string(threads) + ".png"))
                  .exit,
              0);
  EXPECT_EQ(read_text(path("1.png")), read_text(path("2.png")));
}

TEST_F(FigureCommand, all_problems_of_a_bad_file_are_told_and_nothing_is_written) {
  const auto result = figure(R"({"widht": 240, "panels": [
      {"scene": "block.json", "time": 100},
      {"scene": "no-such-scene"},
      {"scene": "block.json", "set": ["bodies.block.densty=1"]},
      {"scene": "block.json", "label": "volume {volume}"},
      {"run": "no-run"}, {"mesh": "no.obj"}, {}]})",
                             "out.png");
  EXPECT_EQ(result.exit, 2);
  for (const char* words :
       {"figure.json: widht: found unknown key", "did you mean \"width\"?",
        "panels.0.time: found 100, expected 0 .. 0.16", "panels.1.scene: no-such-scene",
        "panels.2.scene:", "did you mean \"density\"?", "panels.3.label: found {volume}", "volume_ratio",
        "panels.4.run", "panels.5.mesh", "panels.6: found none of scene, run and mesh"})
    EXPECT_TRUE(result.says(words)) << words << "\n" << result.output;
  EXPECT_FALSE(fs::exists(path("out.png")));
}

TEST_F(FigureCommand, what_only_the_bodies_can_tell_is_wrong_input_too) {
  const auto cage =
      figure(R"({"panels": [{"scene": "block.json", "time": 0, "show": ["cage"]}]})", "out.png");
  EXPECT_EQ(cage.exit, 2);
  EXPECT_TRUE(cage.says("panels.0.show: found \"cage\"")) << cage.output;
  const auto mode = figure(R"({"panels": [{"scene": "block.json", "mode": 1, "amplitude": 1}]})", "out.png");
  EXPECT_EQ(mode.exit, 2);
  EXPECT_TRUE(mode.says("panels.0.mode")) << mode.output;
  EXPECT_FALSE(fs::exists(path("out.png")));
}

TEST_F(FigureCommand, refuses_names_it_cannot_write_and_broken_json) {
  EXPECT_TRUE(figure("{\"panels\": [", "out.png").says("line 1"));
  const auto name = figure(R"({"panels": [{"scene": "block.json"}]})", "out.jpg");
  EXPECT_EQ(name.exit, 2);
  EXPECT_TRUE(name.says(".png, .webp or .gif")) << name.output;
  EXPECT_TRUE(refused(run_pliant("figure no.json -o " + path("out.png")), "no.json: found No such file"));
  const auto still =
      figure(R"({"panels": [{"scene": "block.json"}], "animation": {"from": 1, "to": 2}})", "out.webp");
  EXPECT_EQ(still.exit, 2);
  EXPECT_TRUE(still.says("animation: found from 1 to 2 s")) << still.output;
}

TEST_F(FigureCommand, a_looping_animation_is_below_its_size) {
  if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ffmpeg is not on the PATH";
  const std::string text = R"({"width": 96, "quality": "draft", "panels": [{"scene": "block.json"}],
    "animation": {"to": 0.1, "fps": 20, "kilobytes": 100}})";
  for (const char* name : {"out.webp", "out.gif"}) {
    const auto result = figure(text, name);
    ASSERT_EQ(result.exit, 0) << result.output;
    EXPECT_TRUE(result.says("3 pictures")) << result.output;
    EXPECT_LT(fs::file_size(path(name)), 100000u);
  }
  EXPECT_NE(read_text(path("out.webp")).find("ANIM"), std::string::npos);
  EXPECT_NE(read_text(path("out.gif")).find("NETSCAPE2.0"), std::string::npos);
}

TEST(FigureSchema, is_json_and_the_docs_have_its_tables) {
  const auto schema = run_pliant("schema --figure");
  ASSERT_EQ(schema.exit, 0);
  const auto json = nlohmann::json::parse(schema.output);
  EXPECT_TRUE(json["$defs"]["panel"]["properties"].contains("ghosts"));
  const std::string page = read_text(fs::path(source_folder()) / "docs/figures.md");
  const auto tables = run_pliant("schema --figure --markdown");
  EXPECT_NE(page.find(tables.output), std::string::npos)
      << "put the tables of `pliant schema --figure --markdown` at the end of docs/figures.md";
}

/// Every shipped figure names scenes, times and metrics that exist. Its pictures are made by `make figures`.
TEST(ShippedFigures, are_json_with_known_keys) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(source_folder()) / "figures")) {
    if (entry.path().extension() != ".json") continue;
    ++count;
    const auto result = run_pliant("figure " + entry.path().string() + " --check");
    EXPECT_EQ(result.exit, 0) << result.output;
  }
  EXPECT_GE(count, 20);
}

}  // namespace figure_command_test
}  // namespace pliant
