// SPDX-License-Identifier: Apache-2.0
// Every function of pliant/files.hpp and pliant/scenes.hpp with arguments that nobody should pass. The contents of
// files are fuzzed (tests/fuzz).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "include/pliant/files.hpp"
#include "include/pliant/scenes.hpp"
#include "tests/support/hostile_values.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/throwing_checks.hpp"

namespace pliant {
namespace hostile_files_test {

namespace fs = std::filesystem;

SurfaceInfo triangle(const std::string& name = "t") {
  return {.name = name, .triangles = {{0, 1, 2}}, .rest = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}};
}

/// Paths that no file has.
std::vector<fs::path> hostile_paths(const fs::path& folder) {
  return {"",
          "/",
          ".",
          folder,
          folder / "none.obj",
          folder / "none.unknown",
          "/proc/self/mem",
          "/dev/null",
          fs::path(std::string("a\0b.obj", 7)),
          fs::path(std::string(5000, 'x') + ".obj"),
          folder / "\xff\xfe.obj"};
}

TEST(HostileFiles, paths_without_a_mesh_are_refused) {
  const TempFolder folder;
  for (const fs::path& path : hostile_paths(folder.path())) {
    EXPECT_FALSE(read_polygons(path));
    EXPECT_FALSE(read_mesh(path));
    EXPECT_FALSE(load_skeleton(path));
  }
  for (const std::string text : {"", "{", "[]", "null", "{\"joints\": 7}", "\xff\xff"})
    EXPECT_FALSE(parse_skeleton(text, "text"));
  EXPECT_FALSE(parse_skeleton(std::string(100000, '['), "text"));
}

TEST(HostileFiles, surfaces_that_do_not_fit_themselves_are_not_written) {
  const TempFolder folder;
  const auto refused = [&](auto&& change) {
    SurfaceInfo surface = triangle();
    change(surface);
    EXPECT_TRUE(are_told(check_surface(surface)));
    for (const char* extension : {"obj", "ply", "stl", "glb", "vtu", "usda"})
      EXPECT_TRUE(
          write_mesh(folder.path() / (std::string("x.") + extension), surface, Points(3, Vec3::Zero())));
    EXPECT_FALSE(make_frame_writer({"obj", "glb"}, folder.path(), {surface}, {}));
  };
  for (const int bad : hostile_counts())
    if (bad < 0 || bad > 2) refused([&](SurfaceInfo& s) { s.triangles[0][1] = bad; });
  refused([](SurfaceInfo& s) { s.rest[1].y() = not_a_number; });
  refused([](SurfaceInfo& s) { s.faces.face_begin = {0, 7}; });
  refused([](SurfaceInfo& s) { s.faces.face_begin.clear(); });
  refused([](SurfaceInfo& s) { s.faces.face_begin = {0, 3}, s.faces.corner = {0, 1, 99}; });
  const SurfaceInfo fine = triangle();
  for (const Points& x : {Points{}, Points(2, Vec3::Zero()), Points(3, Vec3::Constant(not_a_number))})
    EXPECT_TRUE(write_mesh(folder.path() / "x.obj", fine, x));
  EXPECT_FALSE(write_mesh(folder.path() / "x.obj", fine, fine.rest));
  for (const fs::path& path : hostile_paths(folder.path())) {
    can_write_mesh(path);
    const bool can_be = path == folder.path() / "none.obj" || path.native().ends_with("\xff\xfe.obj");
    if (!can_be) {
      EXPECT_TRUE(write_mesh(path, fine, fine.rest)) << path;
    }
    EXPECT_TRUE(write_skeleton(path / "x", {.joints = {{.parent = 7, .turns = {}, .moves = {}}}}));
  }
  EXPECT_FALSE(mesh_formats().empty());
  EXPECT_EQ(skeleton_text({.joints = {{.parent = 7, .turns = {}, .moves = {}}}}), "");
  EXPECT_NE(skeleton_text({}), "");
}

TEST(HostileFiles, frames_of_nonsense_are_refused_and_the_next_is_written) {
  const TempFolder folder;
  for (const std::string& name :
       {std::string(), std::string("../up"), std::string("a\0b", 3), std::string(300, 'n'), std::string(".")})
    EXPECT_FALSE(make_frame_writer({"obj"}, folder.path(), {triangle(name)}, {})) << name;
  EXPECT_FALSE(make_frame_writer({"obj"}, folder.path(), {triangle(), triangle()}, {}));
  EXPECT_FALSE(make_frame_writer({"nothing"}, folder.path(), {}, {}));
  EXPECT_FALSE(make_frame_writer({"obj"}, "/proc/none", {triangle()}, {}));
  for (const double fps : {not_a_number, infinite, -1.0, 0.0})
    EXPECT_FALSE(make_frame_writer({"usda"}, folder.path(), {triangle()}, {.frames_per_second = fps}));
  EXPECT_FALSE(make_frame_writer({"obj"}, folder.path(), {triangle()}, {.first_frame = -1}));
  EXPECT_FALSE(make_frame_writer({"pc2"}, folder.path(), {triangle()}, {.first_frame = 1 << 30}));

  std::vector<std::string> formats(frame_formats().begin(), frame_formats().end());
  auto made = make_frame_writer(formats, folder.path(), {triangle()}, {});
  ASSERT_TRUE(made) << made.error().text();
  FrameWriter& writer = **made;
  const Points fine = triangle().rest, fewer(2, Vec3::Zero()), bad(3, Vec3::Constant(infinite));
  const std::span<const Vec3> good(fine), few(fewer), none(bad);
  EXPECT_TRUE(writer.write(-1, 0, {&good, 1}));
  EXPECT_TRUE(writer.write(0, not_a_number, {&good, 1}));
  EXPECT_TRUE(writer.write(0, 0, {}));
  EXPECT_TRUE(writer.write(0, 0, {&few, 1}));
  EXPECT_TRUE(writer.write(0, 0, {&none, 1}));
  EXPECT_FALSE(writer.write(0, 0, {&good, 1}));
  EXPECT_TRUE(writer.write(0, 0, {&good, 1})) << "the same frame again";
  EXPECT_FALSE(writer.write(7, 1, {&good, 1}));
  EXPECT_FALSE(writer.finish());
  EXPECT_TRUE(writer.finish()) << "a second time";
  EXPECT_TRUE(writer.write(8, 1, {&good, 1})) << "after the end";
}

TEST(HostileFiles, writers_may_be_left_alone) {
  const TempFolder folder;
  EXPECT_TRUE(make_frame_writer({"glb"}, folder.path(), {triangle()}, {})) << "destroyed without finish";
  auto empty = make_frame_writer({}, folder.path(), {triangle()}, {});
  ASSERT_TRUE(empty);
  EXPECT_FALSE((*empty)->write(-5, not_a_number, {}));
  EXPECT_FALSE((*empty)->finish());
}

TEST(HostileFiles, scenes_that_do_not_exist_are_refused) {
  const TempFolder folder;
  for (const fs::path& path : hostile_paths(folder.path())) {
    EXPECT_FALSE(load_scene(path.string(), {.libraries = {path, folder.path()}}));
    // an empty device is a text that is no scene
    if (const auto read = read_scene(path.string(), {path})) {
      EXPECT_FALSE(read->readable) << path;
    }
    EXPECT_FALSE(read_library_scene(path.string(), {path}));
    shipped_scenes({folder.path() / path.filename()});
  }
  for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("null"),
                                  std::string(100000, '{'), std::string("\0\0", 2)})
    for (const std::string& set : {std::string(), std::string("="), std::string("a.b.c"),
                                   std::string("bodies.99999999999999999999.x=1"), std::string("=1")}) {
      const ParsedScene parsed = parse_scene(text, "text", {set});
      EXPECT_FALSE(build_scene(parsed));
      EXPECT_FALSE(parsed.error().text().empty());
    }
}

ParsedScene box_scene() {
  return parse_scene(R"({"bodies": [{"name": "box", "shape": {"box": {"nodes": [3, 3, 3]}}}], "frames": 3})",
                     "box.json");
}

/// A spec that a program changed after it was read.
TEST(HostileFiles, specs_of_nonsense_are_refused) {
  auto plain = build_scene(box_scene());
  ASSERT_TRUE(plain);
  EXPECT_TRUE(refused_overlaps(plain->simulation).empty());
  EXPECT_GT(plain->setup_ms(0), 0);
  EXPECT_EQ(plain->setup_ms(1000000), 0) << "there is no such body";
  const auto refused = [](auto&& change) {
    ParsedScene parsed = box_scene();
    change(parsed.spec);
    const auto built = build_scene(parsed);
    EXPECT_FALSE(built);
    EXPECT_TRUE(are_told(built.error().problems));
  };
  refused([](SceneSpec& s) { s.bodies.clear(); });
  refused([](SceneSpec& s) { s.bodies[0].method = "nobody"; });
  refused([](SceneSpec& s) { s.bodies[0].settings.clear(); });
  refused([](SceneSpec& s) { std::swap(s.bodies[0].settings[0], s.bodies[0].settings[1]); });
  refused([](SceneSpec& s) { s.bodies[0].name = ""; });
  refused([](SceneSpec& s) { s.bodies.push_back(s.bodies[0]); });
  refused([](SceneSpec& s) { s.bodies[0].shape.is = BoxShape{.nodes = {1, 1, 1}}; });
  refused([](SceneSpec& s) { s.bodies[0].shape.is = MeshSpec{}; });
  for (const double bad : {not_a_number, infinite, -1.0, 0.0}) {
    refused([&](SceneSpec& s) { s.bodies[0].density = bad; });
    refused([&](SceneSpec& s) { s.timestep = bad; });
    refused([&](SceneSpec& s) { s.bodies[0].shape.is = BoxShape{.size = Vec3(1, bad, 1)}; });
  }
  refused([](SceneSpec& s) { s.bodies[0].contact.slop = not_a_number; });
  refused([](SceneSpec& s) { s.substeps = 0; });
  refused([](SceneSpec& s) { s.probes = {{.name = "p", .body = "nobody", .select = {}}}; });
  ShapeCache cache;
  cache.keep("key", nullptr);
  EXPECT_EQ(cache.find("key"), nullptr);
  EXPECT_FALSE(build_scene(box_scene(), {.cache = &cache})) << "no key for the body";
  EXPECT_FALSE(build_scene(box_scene(), {.progress = [](const std::string&, double) { return false; }}));
  EXPECT_TRUE(build_scene(box_scene(), -7));
}

TEST(HostileFiles, expectations_of_metrics_that_do_not_exist_are_not_met) {
  auto scene = build_scene(box_scene());
  ASSERT_TRUE(scene);
  Recorder recorder(scene->simulation, {});
  SceneSpec spec = scene->spec;
  spec.expect = {{.metric = "nothing"}, {.metric = "kinetic", .body = "nobody"}, {.metric = "kinetic"}};
  recorder.note_frame(scene->simulation, 0);
  spec.expect[2].at.word = "no such word";
  const auto results = evaluate(spec, recorder);
  ASSERT_EQ(results.size(), 3u);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_FALSE(results[k].met);
    EXPECT_FALSE(results[k].text().empty());
  }
  spec.bodies.clear();
  evaluate(spec, recorder);
  spec.expect_warnings = {"", std::string(1, '\0')};
  EXPECT_EQ(evaluate_warnings(spec, {}).size(), 2u);
  EXPECT_TRUE(unexpected_warnings(spec, {"", "any"}).empty()) << "every text contains the empty one";
  contact_of(BodySpec{}, Shape{});
  EXPECT_TRUE(meeting_notes(scene->simulation).empty());
}

}  // namespace hostile_files_test
}  // namespace pliant
