// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "pliant/io/frame_writer.hpp"
#include "pliant/render/coloring.hpp"
#include "scenes.hpp"

namespace pliant {
namespace sequence_test {

constexpr int frames = 3;

Points at_frame(const RenderBody& body, int frame) {
  Points x = body.rest;
  for (Vec3& p : x) p += Vec3(0.25 * frame, 0, 0);
  return x;
}

/// A run folder with one body that moves 0.25 m a frame, 0.1 s apart.
void write_run(const std::filesystem::path& folder, const std::string& format) {
  const RenderBody body = box_body();
  auto writer = make_frame_writer({format}, folder / "frames", {{"bar", body.triangles, body.rest}}, {});
  ASSERT_TRUE(writer) << writer.error().text();
  std::ofstream metrics(folder / "metrics.csv");
  metrics << "frame,time,body,step_ms\n";
  for (int k = 0; k < frames; ++k) {
    const Points x = at_frame(body, k);
    const std::vector<std::span<const Vec3>> surfaces = {x};
    ASSERT_FALSE((*writer)->write(k, 0.1 * k, surfaces));
    metrics << k << "," << 0.1 * k << ",bar,1\n";
  }
  ASSERT_FALSE((*writer)->finish());
}

TEST(ReadRun, finds_the_frames_of_every_format_it_names) {
  for (const std::string format : {"pc2", "mdd", "obj", "ply"}) {
    const TemporaryFolder folder("run-" + format);
    write_run(folder.path, format);
    const auto run = read_run(folder.path);
    ASSERT_TRUE(run) << format << ": " << run.error().text();
    ASSERT_EQ(run->bodies.size(), 1u);
    EXPECT_EQ(run->bodies[0].name, "bar");
    ASSERT_EQ(run->frames, frames) << format;
    EXPECT_NEAR(run->times.back(), 0.2, 1e-12);
    const auto x = run->bodies[0].shape(2);
    ASSERT_TRUE(x);
    const Points expected = at_frame(box_body(), 2);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR((expected[i] - (*x)[i]).norm(), 0, 1e-6);
  }
}

/// A still plane, and a triangle that rises by 1 m a frame.
void write_colliders(const std::filesystem::path& folder, const std::string& more = "") {
  std::filesystem::create_directories(folder / "colliders");
  std::ofstream(folder / "colliders/mesh_1.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::ofstream(folder / "colliders/colliders.json")
      << R"({"colliders": [{"name": "plane_0", "kind": "plane", "point": [0, -1, 0], "normal": [0, 1, 0],
                            "places": [[1,0,0, 0,1,0, 0,0,1, 0,0,0]]},
                           {"name": "mesh_1", "kind": "mesh", "file": "mesh_1.obj",
                            "places": [[1,0,0, 0,1,0, 0,0,1, 0,0,0], [0,-1,0, 1,0,0, 0,0,1, 0,1,0]]})" +
             more + "]}";
}

TEST(ReadRun, finds_the_colliders_with_their_places) {
  const TemporaryFolder folder("colliders");
  write_run(folder.path, "pc2");
  write_colliders(folder.path);
  for (const auto& path : {folder.path, folder.path / "frames"}) {
    const auto run = read_run(path);
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_EQ(run->colliders.size(), 2u);
    EXPECT_TRUE(run->colliders[0].plane);
    EXPECT_EQ(run->colliders[0].point.y(), -1);
    EXPECT_EQ(run->colliders[1].surface.vertices.size(), 3u);
    EXPECT_EQ(run->colliders[1].at(1).rotation * Vec3(1, 0, 0), Vec3(0, 1, 0));
    EXPECT_EQ(run->colliders[1].at(2).translation, Vec3(0, 1, 0));  // beyond the last: there it stays
  }
}

TEST(ReadRun, colliders_that_cannot_be_read_are_named) {
  const TemporaryFolder folder("bad-colliders");
  write_run(folder.path, "pc2");
  for (const char* wrong :
       {R"(, {"name": "x"})", ", 3", R"(, {"name": "x", "kind": "box", "places": [[1, 2]]})"}) {
    write_colliders(folder.path, wrong);
    const auto run = read_run(folder.path);
    ASSERT_FALSE(run) << wrong;
    EXPECT_NE(run.error().file.find("colliders.json"), std::string::npos) << run.error().text();
  }
  write_colliders(folder.path, R"(, {"name": "x", "kind": "box", "places": [], "file": "nothing.obj"})");
  const auto run = read_run(folder.path);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().file.find("nothing.obj"), std::string::npos) << run.error().text();
}

TEST(ReadRun, tells_what_it_expects_in_a_folder_without_frames) {
  const TemporaryFolder folder("empty");
  const auto run = read_run(folder.path);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().text().find("BODY.pc2"), std::string::npos) << run.error().text();
}

TEST(ReadRun, refuses_metrics_of_another_run) {
  const TemporaryFolder folder("other");
  write_run(folder.path, "pc2");
  std::ofstream(folder.path / "metrics.csv") << "frame,time,body\n0,0,bar\n1,0.1,bar\n";
  const auto run = read_run(folder.path);
  ASSERT_FALSE(run);
  EXPECT_NE(run.error().text().find("2 frames"), std::string::npos) << run.error().text();
}

TEST(Coloring, speed_comes_from_the_frames_around) {
  const TemporaryFolder folder("speed");
  write_run(folder.path, "pc2");
  const auto run = read_run(folder.path);
  ASSERT_TRUE(run);
  for (int frame = 0; frame < frames; ++frame) {
    const auto speed = color_values(*run, 0, frame, Coloring::speed);
    ASSERT_TRUE(speed);
    for (float v : *speed) EXPECT_NEAR(v, 2.5, 1e-5);
  }
  const auto legend = color_legend(*run, {0, 1, 2}, Coloring::speed);
  ASSERT_TRUE(legend);
  EXPECT_EQ(legend->min, 0);
  EXPECT_NEAR(legend->max, 2.5, 0.51);
}

}  // namespace sequence_test
}  // namespace pliant
