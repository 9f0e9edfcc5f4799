// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace run_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A small bar that is turned and let go, with one expectation that holds and room for another.
std::string scene_text(const std::string& more_expectations = "") {
  return R"({"frames": 12, "bodies": [{"name": "bar",
      "shape": {"box": {"size": [0.2, 0.2, 0.6], "nodes": [4, 4, 10]}}, "geometric": {"stiffness": 1e5},
      "pins": [{"select": {"halfspace": {"normal": [0, 0, -1]}}}],
      "handles": [{"select": {"halfspace": {"point": [0, 0, 0.6], "normal": [0, 0, 1]}},
                   "motion": [{"time": 0}, {"time": 0.1, "rotate": {"axis": [0, 0, 1], "degrees": 60}}],
                   "release": 0.12}]}],
      "probes": [{"name": "tip", "select": {"halfspace": {"point": [0, 0, 0.6], "normal": [0, 0, 1]}}}],
      "expect": [{"metric": "volume_ratio", "at": "always", "min": 0.5, "max": 1.5})" +
         more_expectations + "]}";
}

class Run : public ::testing::Test {
 protected:
  TempFolder folder;
  std::string scene = write_text(folder / "small.json", scene_text()).string();
  std::string out(const std::string& name) const { return (folder / name).string(); }
  CommandResult run(const std::string& to, const std::string& more) const {
    return run_pliant("run '" + scene + "' -o '" + out(to) + "' --quiet " + more);
  }
  Json summary(const std::string& of) const { return Json::parse(read_text(folder / of / "summary.json")); }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// metrics.csv without the column of measured times.
std::vector<std::string> timeless(const std::string& csv) {
  std::vector<std::string> lines = lines_of(csv);
  for (std::string& line : lines) {
    std::size_t begin = 0;
    for (int comma = 0; comma < 3; ++comma) begin = line.find(',', begin) + 1;
    line.erase(begin, line.find(',', begin) - begin);
  }
  return lines;
}

TEST_F(Run, leaves_metrics_summary_and_frames_and_says_where) {
  const auto result = run_pliant("run '" + scene + "' -o '" + out("a") + "' --format obj,pc2");
  ASSERT_EQ(result.exit, 0) << result.output;
  for (const char* file : {"a/metrics.csv", "a/summary.json", "a/frames"})
    EXPECT_TRUE(result.says(out(file))) << result.output;
  EXPECT_TRUE(result.says("met      volume_ratio of bar, always")) << result.output;
  EXPECT_EQ(lines_of(read_text(folder / "a/metrics.csv")).size(), 1u + 13u);
  EXPECT_TRUE(fs::exists(folder / "a/frames/bar_0012.obj"));
  EXPECT_TRUE(fs::exists(folder / "a/frames/bar.pc2"));
  EXPECT_FALSE(fs::exists(folder / "a/checkpoint"));
  const Json all = summary("a"), bar = all["bodies"][0];
  EXPECT_EQ(all["scene"], "small");
  EXPECT_EQ(all["status"], "done");
  EXPECT_EQ(bar["method"], "geometric");
  EXPECT_EQ(bar["nodes"], 160);
  EXPECT_EQ(bar["steps"], 12);
  for (const char* key :
       {"degrees_of_freedom", "setup_ms", "peak_memory_bytes", "final_volume_ratio", "frame_hash"})
    EXPECT_TRUE(bar.contains(key)) << key;
  for (const char* key : {"min", "median", "p95"}) EXPECT_TRUE(bar["step_ms"].contains(key)) << key;
}

TEST_F(Run, none_writes_no_frames_and_frames_sets_their_number) {
  ASSERT_EQ(run("a", "--format none --frames 3").exit, 0);
  EXPECT_EQ(summary("a")["bodies"][0]["steps"], 3);
  EXPECT_FALSE(fs::exists(folder / "a/frames"));
}

TEST_F(Run, removes_frames_of_an_earlier_longer_run) {
  ASSERT_EQ(run("a", "--format obj").exit, 0);
  ASSERT_EQ(run("a", "--format obj --frames 2").exit, 0);
  EXPECT_TRUE(fs::exists(folder / "a/frames/bar_0002.obj"));
  EXPECT_FALSE(fs::exists(folder / "a/frames/bar_0003.obj"));
}

TEST_F(Run, removes_frames_of_an_earlier_run_that_was_killed) {
  run_pliant("run '" + scene + "' -o '" + out("a") + "' --frames 100000000 --format obj --quiet",
             "timeout --signal=KILL 1");
  ASSERT_TRUE(fs::exists(folder / "a/frames/bar_0003.obj"));
  EXPECT_EQ(summary("a")["status"], "running");
  ASSERT_EQ(run("a", "--format obj --frames 2").exit, 0);
  EXPECT_EQ(summary("a")["status"], "done");
  EXPECT_TRUE(fs::exists(folder / "a/frames/bar_0002.obj"));
  EXPECT_FALSE(fs::exists(folder / "a/frames/bar_0003.obj"));
}

TEST_F(Run, leaves_its_colliders_with_their_places_until_a_run_without_them) {
  const std::string fall = write_text(folder / "fall.json", R"({"frames": 3, "bodies": [{"name": "cube",
      "shape": {"box": {"nodes": [3, 3, 3], "corner": [0, 0.1, 0]}}}],
      "colliders": [{"plane": {"point": [0, 0, 0]}},
                    {"sphere": {"center": [5, 0, 0], "ease": "linear",
                                "motion": [{"time": 0}, {"time": 1, "translate": [0, 6, 0]}]}}]})")
                               .string();
  ASSERT_EQ(run_pliant("run '" + fall + "' -o '" + out("a") + "' --quiet --frames 6").exit, 0);
  const Json list = Json::parse(read_text(folder / "a/colliders/colliders.json"))["colliders"];
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["kind"], "plane");
  EXPECT_EQ(list[0]["normal"], Json({0.0, 1.0, 0.0}));
  EXPECT_EQ(list[0]["places"].size(), 1u);
  EXPECT_EQ(list[1]["file"], "sphere_1.obj");
  ASSERT_EQ(list[1]["places"].size(), 7u);
  EXPECT_NEAR(list[1]["places"][5][10].get<double>(), 0.5, 1e-12);
  EXPECT_TRUE(fs::exists(folder / "a/colliders/sphere_1.obj"));
  const std::string picture = out("a.png");
  const auto rendered =
      run_pliant("render '" + out("a") + "' -o '" + picture + "' --size 64x48 --quality draft");
  EXPECT_EQ(rendered.exit, 0) << rendered.output;
  ASSERT_EQ(run("a", "").exit, 0);
  EXPECT_FALSE(fs::exists(folder / "a/colliders"));
}

TEST_F(Run, one_and_two_threads_give_the_same_frames) {
  ASSERT_EQ(run("a", "--threads 1").exit, 0);
  ASSERT_EQ(run("b", "--threads 2").exit, 0);
  EXPECT_EQ(summary("a")["bodies"][0]["frame_hash"], summary("b")["bodies"][0]["frame_hash"]);
  EXPECT_EQ(timeless(read_text(folder / "a/metrics.csv")), timeless(read_text(folder / "b/metrics.csv")));
}

TEST_F(Run, threads_that_cannot_be_started_are_a_failure_with_a_message) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs more address space than the limit";
#endif
  const auto result = run_pliant("run '" + scene + "' --quiet --threads 1024 -o '" + out("a") + "'",
                                 "ulimit -v 3000000;");  // kB; a stack takes 8 MB
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(result.says("cannot start 1024 threads")) << result.output;
}

TEST_F(Run, resumed_equals_uninterrupted_bit_for_bit) {
  ASSERT_EQ(run("whole", "--format obj,pc2,mdd").exit, 0);
  ASSERT_EQ(run("parts", "--format obj,pc2,mdd --checkpoint 4 --frames 6").exit, 0);  // before the release
  const auto resumed = run("parts", "--format obj,pc2,mdd --resume");
  ASSERT_EQ(resumed.exit, 0) << resumed.output;
  EXPECT_EQ(summary("whole")["bodies"][0]["frame_hash"], summary("parts")["bodies"][0]["frame_hash"]);
  EXPECT_EQ(timeless(read_text(folder / "whole/metrics.csv")),
            timeless(read_text(folder / "parts/metrics.csv")));
  for (const char* file : {"frames/bar_0002.obj", "frames/bar_0012.obj", "frames/bar.pc2", "frames/bar.mdd"})
    EXPECT_TRUE(read_text(folder / "whole" / file) == read_text(folder / "parts" / file)) << file;
  EXPECT_EQ(summary("parts")["bodies"][0]["steps"], 12);
}

TEST_F(Run, a_resumed_run_can_be_resumed_again) {
  ASSERT_EQ(run("a", "--checkpoint 4 --frames 6").exit, 0);
  ASSERT_EQ(run("a", "--resume --frames 9").exit, 0);  // without checkpoints of its own
  const auto again = run("a", "--resume");
  EXPECT_EQ(again.exit, 0) << again.output;
  ASSERT_EQ(run("whole", "").exit, 0);
  EXPECT_TRUE(read_text(folder / "a/frames/bar.pc2") == read_text(folder / "whole/frames/bar.pc2"));
}

TEST_F(Run, resume_beyond_the_last_frame_is_refused_and_touches_nothing) {
  ASSERT_EQ(run("a", "--checkpoint 4").exit, 0);
  const std::string before = read_text(folder / "a/summary.json");
  const auto result = run("a", "--resume --frames 3");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("after frame 12")) << result.output;
  EXPECT_EQ(read_text(folder / "a/summary.json"), before);
}

TEST_F(Run, a_scene_may_come_through_a_pipe) {
  EXPECT_EQ(run_pliant("run /dev/stdin --quiet --format none --frames 1 -o '" + out("a") + "'",
                       "cat '" + scene + "' |")
                .exit,
            0);
  EXPECT_EQ(summary("a")["scene"], "stdin");
}

TEST_F(Run, resume_needs_a_sound_checkpoint_of_the_same_scene) {
  EXPECT_EQ(run("none", "--resume").exit, 2);
  EXPECT_FALSE(fs::exists(folder / "none"));
  ASSERT_EQ(run("a", "--checkpoint 5").exit, 0);
  const auto other = run("a", "--resume --set bodies.bar.density=900");
  EXPECT_EQ(other.exit, 2);
  EXPECT_TRUE(other.says("another scene")) << other.output;
  std::string bytes = read_text(folder / "a/checkpoint");
  bytes[bytes.size() / 2] ^= 1;
  write_text(folder / "a/checkpoint", bytes);
  const auto damaged = run("a", "--resume");
  EXPECT_EQ(damaged.exit, 2);
  EXPECT_TRUE(damaged.says("checksum")) << damaged.output;
}

TEST_F(Run, check_decides_the_exit_code_by_the_expectations) {
  EXPECT_EQ(run("a", "--check").exit, 0);
  write_text(scene, scene_text(R"(, {"metric": "tip_dz", "at": "end", "min": 5})"));
  const auto told = run("a", "");
  EXPECT_EQ(told.exit, 0);
  EXPECT_TRUE(told.says("NOT met  tip_dz of bar, end")) << told.output;
  const auto checked = run("a", "--check");
  EXPECT_EQ(checked.exit, 1);
  EXPECT_TRUE(checked.says("1 of 2 expectations not met")) << checked.output;
  EXPECT_EQ(summary("a")["expectations"][1]["met"], false);
}

TEST_F(Run, check_asks_for_the_warnings_that_a_scene_announces_and_for_no_others) {
  const auto with = [&](const std::string& warnings) {
    write_text(scene, R"({"frames": 3, "expect_warnings": )" + warnings + R"(, "colliders": [{"plane": {}}],
        "bodies": [{"name": "cube", "shape": {"box": {"nodes": [3, 3, 3], "corner": [0, -0.5, 0]}}}]})");
    return run("a", "--check");
  };
  const auto unexpected = with("[]");
  EXPECT_EQ(unexpected.exit, 1);
  EXPECT_TRUE(unexpected.says("1 of 1 warnings are not among the scene's expect_warnings"))
      << unexpected.output;
  EXPECT_EQ(run("a", "").exit, 0) << "a warning is no failure";
  EXPECT_EQ(with(R"(["inside a collider"])").exit, 0);
  const auto missing = with(R"(["inside a collider", "stood still"])");
  EXPECT_EQ(missing.exit, 1);
  EXPECT_TRUE(missing.says("NOT met  warnings with \"stood still\": 0 (expected >= 1)")) << missing.output;
}

TEST_F(Run, an_interrupt_stops_cleanly_with_valid_files) {
  for (const std::string signal : {"INT", "TERM", "HUP"}) {
    const auto result =
        run_pliant("run '" + scene + "' -o '" + out(signal) + "' --frames 100000000 --format pc2",
                   "timeout --foreground --signal=" + signal + " 2");
    EXPECT_TRUE(result.says("stopped after frame")) << signal << ": " << result.output;
    EXPECT_EQ(summary(signal)["status"], "interrupted");
    const std::string csv = read_text(folder / (signal + "/metrics.csv"));
    EXPECT_EQ(csv.back(), '\n');
    EXPECT_EQ(lines_of(csv).size(), summary(signal)["frames"].get<std::size_t>() + 2);
    EXPECT_TRUE(fs::exists(folder / (signal + "/frames/bar.pc2")));
  }
}

TEST_F(Run, ends_with_exit_130_when_it_is_interrupted) {
  for (const int signal : {SIGINT, SIGTERM}) {
    ChildProcess child({build_folder() + "/pliant", "run", scene, "-o", out("a"), "--frames", "100000000",
                        "--format", "none", "--threads", "1"});
    for (int k = 0; k < 600 && !fs::exists(folder / "a/summary.json"); ++k) child.line(50);
    child.signal(signal);
    EXPECT_EQ(child.wait(20000), 130);
    EXPECT_EQ(summary("a")["status"], "interrupted");
    fs::remove_all(folder / "a");
  }
}

TEST_F(Run, a_failed_simulation_names_body_step_and_cause_and_keeps_the_frames_so_far) {
  // so light that single precision sees no mass at all, which the solver refuses
  write_text(scene, R"({"bodies": [{"name": "ghost", "density": 1e-300,
      "geometric": {"linear_solver": "multigrid"}, "shape": {"box": {"nodes": [3, 3, 3]}}}]})");
  const auto result = run("a", "--format ply");
  EXPECT_EQ(result.exit, 1);
  EXPECT_EQ(summary("a")["status"], "failed");
  const int last = summary("a")["frames"];
  EXPECT_TRUE(result.says("body ghost, step " + std::to_string(last + 1) + " (t = ")) << result.output;
  EXPECT_EQ(lines_of(read_text(folder / "a/metrics.csv")).size(), std::size_t(last) + 2);
  const auto frame = [&](int index) {
    const std::string number = std::to_string(index);
    return folder / ("a/frames/ghost_" + std::string(4 - number.size(), '0') + number + ".ply");
  };
  EXPECT_TRUE(fs::exists(frame(last)));
  EXPECT_FALSE(fs::exists(frame(last + 1)));
}

TEST_F(Run, a_body_between_colliders_that_leave_no_room_ends_in_a_message) {
  write_text(scene, R"({"frames": 60, "bodies": [{"name": "dough", "method": "metric",
      "shape": {"box": {"size": [0.2, 0.2, 0.2], "nodes": [3, 3, 3], "corner": [0, 0.01, 0]}}}],
      "colliders": [{"plane": {}}, {"plane": {"point": [0, 0.22, 0], "normal": [0, -1, 0],
        "motion": [{"time": 0}, {"time": 0.4, "translate": [0, -0.32, 0]}]}}]})");
  const auto result = run("a", "--format none");
  EXPECT_EQ(result.exit, 1);
  EXPECT_TRUE(result.says("body dough, step ")) << result.output;
  EXPECT_TRUE(result.says("no room")) << result.output;
  EXPECT_EQ(summary("a")["status"], "failed");
}

// ---- seven kinds of bad scene ----------------------------------------------------------------------------

class BadScene : public Run {
 protected:
  /// Exit 2, every text is said, nothing is written.
  void refused(const std::string& text, const std::vector<std::string>& said, const std::string& more = "") {
    if (!text.empty()) write_text(scene, text);
    const auto result = run("a", more);
    EXPECT_EQ(result.exit, 2);
    for (const std::string& words : said) EXPECT_TRUE(result.says(words)) << words << "\n" << result.output;
    EXPECT_FALSE(fs::exists(folder / "a"));
  }
  static std::string body(const std::string& keys) { return R"({"bodies": [{)" + keys + "}]}"; }
};

TEST_F(BadScene, missing_file) {
  scene = out("missing.json");
  refused("", {scene, "no such file"});
}
TEST_F(BadScene, misspelt_shipped_scene) {
  scene = "geometric/bar-twits";
  refused("", {"geometric/bar-twits", "did you mean \"geometric/bar-twist\"?"});
}
TEST_F(BadScene, broken_json) { refused("{\n\"frames\": 3,,\n}", {scene, "line 2, column 13"}); }
TEST_F(BadScene, unknown_key) {
  refused(body(R"("densty": 3)"), {scene, "bodies.0.densty", "did you mean \"density\"?"});
}
TEST_F(BadScene, wrong_type) {
  refused(R"({"frames": "many"})", {scene, "frames", "found \"many\", expected a whole number"});
}
TEST_F(BadScene, negative_density) {
  refused(body(R"("density": -1)"), {scene, "bodies.0.density", "found -1, expected a number > 0", "kg/m^3"});
}
TEST_F(BadScene, pin_that_selects_nothing) {
  refused(body(R"("pins": [{"select": {"sphere": {"center": [9, 9, 9]}}}])"),
          {scene, "bodies.0.pins.0.select", "without nodes", "[0, 0, 0] to [1, 1, 1]"});
}
TEST_F(BadScene, unknown_method) {
  refused(body(R"("method": "magic")"), {scene, "bodies.0.method", "found \"magic\"", "\"geometric\""});
}
TEST_F(BadScene, bad_set_names_the_argument) {
  refused("", {"--set bodies.bar.density=-3"}, "--set bodies.bar.density=-3");
}
TEST_F(BadScene, unknown_format) {
  refused("", {"--format", "found \"objj\"", "did you mean \"obj\"?"}, "--format objj");
}
TEST_F(BadScene, unknown_option_of_the_command) {
  refused("", {"--frmaes", "did you mean \"--frames\"?"}, "--frmaes 3");
}
TEST_F(BadScene, shipped_scene_without_its_folder) {
  scene = "bar-twist";
  refused("", {"did you mean \"geometric/bar-twist\"?"});
}
TEST_F(BadScene, names_whose_files_would_be_mistaken_for_each_other) {
  refused(R"({"bodies": [{"name": "bar"}, {"name": "bar_0001"}]})", {"bodies.1.name", "beside \"bar\""});
}
TEST_F(BadScene, a_shape_too_small_or_too_far_away_for_its_nodes) {
  refused(body(R"("shape": {"sphere": {"radius": 1e-120}})"), {"bodies.0.shape.sphere.radius", ">= 1e-09"});
  refused(body(R"("shape": {"box": {"size": [1e-9, 1, 1], "nodes": [41, 3, 3], "corner": [1e6, 0, 0]}})"),
          {"bodies.0.shape.box", "apart", "towards the origin"});
}
TEST_F(BadScene, a_zero_byte_in_a_name_does_not_cut_the_message) {
  refused(body(R"("name": "b\u0000ar", "density": -5)"), {scene, "b?ar", "bodies.0.density", "found -5"});
}
TEST_F(BadScene, no_rows_at_all) {
  refused(body(R"("geometric": {"edge": 0})"), {scene, "bodies.0.geometric.edge", "above 0"});
}

/// A box that falls 2 cm onto a plane.
std::string falling_box(const std::string& more = "") {
  return R"({"frames": 12, "bodies": [{"name": "box", "geometric": {"stiffness": 1e6},
      "shape": {"box": {"size": [0.2, 0.2, 0.2], "nodes": [3, 3, 3], "corner": [0, 0.02, 0]}}}],
      "colliders": [{"plane": {}}])" +
         more + "}";
}

TEST_F(Run, contacts_are_written_with_every_frame_and_as_points_for_paraview) {
  write_text(folder / "small.json", falling_box());
  ASSERT_EQ(run("c", "--contacts --format vtu").exit, 0);
  const std::vector<std::string> lines = lines_of(read_text(folder / "c/contacts.csv"));
  ASSERT_GT(lines.size(), 1u + 3 * 9u);
  EXPECT_EQ(
      lines[0],
      "frame,time,body,other,point,feature,x,y,z,normal_x,normal_y,normal_z,gap,normal_force,friction_x,"
      "friction_y,friction_z");
  EXPECT_NE(lines[1].find(",box,colliders.0,"), std::string::npos) << lines[1];
  EXPECT_EQ(std::count(lines[1].begin(), lines[1].end(), ','),
            std::count(lines[0].begin(), lines[0].end(), ','));
  EXPECT_EQ(lines.back().rfind("12,", 0), 0u) << lines.back();
  EXPECT_FALSE(fs::exists(folder / "c/contacts.csv.part"));
  const std::string points = read_text(folder / "c/frames/contacts_0012.vtu");
  EXPECT_NE(points.find("NumberOfPoints=\"9\""), std::string::npos);
  EXPECT_NE(points.find("Vectors=\"force\""), std::string::npos);
  EXPECT_NE(read_text(folder / "c/frames/contacts.pvd").find("contacts_0012.vtu"), std::string::npos);
  const Json largest = summary("c")["bodies"][0]["largest_normal_force"];
  EXPECT_GT(largest["newtons"].get<double>(), 8 * 9.81 / 9) << "of nine points";
  EXPECT_GT(largest["time"].get<double>(), 0.05) << "it falls first";
  ASSERT_EQ(run("c", "--format none").exit, 0);
  EXPECT_FALSE(fs::exists(folder / "c/contacts.csv")) << "a new run removes those of the last";
  EXPECT_FALSE(fs::exists(folder / "c/frames/contacts_0012.vtu"));
}

TEST_F(Run, a_resumed_run_goes_on_with_its_contacts_without_doubles) {
  write_text(folder / "small.json", falling_box());
  ASSERT_EQ(run("whole", "--contacts --format none").exit, 0);
  ASSERT_EQ(run("parts", "--contacts --format none --checkpoint 8 --frames 8").exit, 0);
  ASSERT_EQ(run("parts", "--contacts --format none --resume").exit, 0);
  EXPECT_EQ(read_text(folder / "whole/contacts.csv"), read_text(folder / "parts/contacts.csv"));
  // Again from the same checkpoint: rows of later frames are dropped.
  ASSERT_EQ(run("parts", "--contacts --format none --resume").exit, 0);
  EXPECT_EQ(read_text(folder / "whole/contacts.csv"), read_text(folder / "parts/contacts.csv"));
  EXPECT_EQ(summary("whole")["bodies"][0]["largest_normal_force"],
            summary("parts")["bodies"][0]["largest_normal_force"]);
}

TEST_F(Run, contacts_cannot_begin_in_the_middle_of_a_run) {
  write_text(folder / "small.json", falling_box());
  ASSERT_EQ(run("parts", "--format none --checkpoint 8 --frames 8").exit, 0);
  const auto result = run("parts", "--contacts --format none --resume");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("found no contacts of the run to resume")) << result.output;
}

TEST_F(Run, wrong_forces_are_named_with_their_place) {
  write_text(folder / "small.json", falling_box(R"(, "forces": [
      {"wind": {"bodies": ["bxo"], "motion": [{"time": 1}, {"time": 0.5}]}},
      {"vortex": {"axis": [0, 0, 0], "radius": 0}}, {"wind": {"drag": -1}}, {"breeze": {}},
      {"constant": {"acceleration": [1, 0, 0], "motion": [{"time": 0, "translate": [1, 0, 0]}]}}])"));
  const auto result = run("f", "--format none");
  EXPECT_EQ(result.exit, 2) << result.output;
  for (const char* place : {"forces.0.wind.bodies.0", "did you mean \"box\"", "forces.0.wind.motion.1.time",
                            "forces.1.vortex.axis", "forces.1.vortex.radius", "forces.2.wind.drag",
                            "forces.3", "forces.4.constant.motion.0"})
    EXPECT_TRUE(result.says(place)) << place << "\n" << result.output;
}

TEST_F(Run, a_wind_that_a_step_cannot_take_whole_is_told) {
  write_text(folder / "small.json", R"({"frames": 1, "bodies": [{"name": "tissue",
      "shape": {"sheet": {"size": [1, 1], "nodes": [5, 5], "thickness": 0.0001}}, "density": 200,
      "geometric": {"preset": "shell", "stiffness": 1e6}}], "forces": [{"wind": {"velocity": [0, 30, 0]}}]})");
  const auto result = run_pliant("run '" + scene + "' -o '" + out("t") + "' --format none");
  EXPECT_EQ(result.exit, 0) << result.output;
  EXPECT_TRUE(result.says("tissue: forces.0.wind blows with up to 30 m/s; of more than ")) << result.output;
  EXPECT_TRUE(result.says("substeps")) << result.output;
}

}  // namespace run_test
}  // namespace pliant
