// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "pliant/io/frame_writer.hpp"
#include "tests/interop/read_back.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::interop {
namespace formats_test {

constexpr int around = 24, across = 10;

/// A torus about y, twisted, lifted and moved off the origin more and more with t in s.
Points torus(double t) {
  Points points;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const double u = 2 * std::numbers::pi * i / around;
      const double v = 2 * std::numbers::pi * j / across + 20 * t * std::sin(u);
      const double radius = 1 + (0.3 + t) * std::cos(v);
      points.emplace_back(radius * std::cos(u) + t * t * 1e3, 0.3 * std::sin(v) + 9 * t * std::cos(2 * u),
                          radius * std::sin(u) - 1e-3);
    }
  return points;
}

std::vector<Triangle> torus_triangles() {
  std::vector<Triangle> triangles;
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < across; ++j) {
      const Index a = i * across + j, b = i * across + (j + 1) % across;
      const Index c = (i + 1) % around * across + (j + 1) % across, d = (i + 1) % around * across + j;
      triangles.push_back({a, b, c});
      triangles.push_back({a, c, d});
    }
  return triangles;
}

Floats floats(const Points& points) {
  Floats out;
  for (const Vec3& p : points)
    for (int axis = 0; axis < 3; ++axis) out.push_back(float(p[axis]));
  return out;
}

TEST(Formats, a_deforming_torus_comes_back_from_every_format_through_other_readers) {
  TempFolder folder;
  const SurfaceInfo surface{"donut", torus_triangles(), torus(0)};
  FrameWriterOptions options;
  options.frames_per_second = 50;
  auto writer = make_frame_writer({"obj", "ply", "pc2", "mdd", "glb", "vtu", "usda"}, folder.path(),
                                  {surface}, options);
  ASSERT_TRUE(writer) << writer.error().text();
  Sequence expected;
  for (int frame = 0; frame < 7; ++frame) {
    const double time = frame / options.frames_per_second;
    const Points positions = torus(time);
    const std::span<const Vec3> spans[] = {positions};
    ASSERT_FALSE((*writer)->write(frame, time, spans));
    expected.frames.push_back(floats(positions));
    expected.times.push_back(time);
  }
  ASSERT_FALSE((*writer)->finish());
  expect_folder_holds(folder.path(), "donut", {floats(surface.rest), surface.triangles}, expected);
  EXPECT_NE(parse_usda(folder / "donut.usda").text.find("timeCodesPerSecond = 50\n"), std::string::npos);
}

TEST(Formats, a_name_of_any_letters_gives_valid_files) {
  TempFolder folder;
  const std::string name = "3 \"<ä&b>\"";
  const SurfaceInfo surface{name, torus_triangles(), torus(0)};
  auto writer = make_frame_writer({"glb", "vtu", "usda"}, folder.path(), {surface}, {});
  ASSERT_TRUE(writer) << writer.error().text();
  const Points positions = torus(0.1);
  const std::span<const Vec3> spans[] = {positions};
  ASSERT_FALSE((*writer)->write(0, 0, spans));
  ASSERT_FALSE((*writer)->finish());
  EXPECT_EQ(assimp_morphs(folder / (name + ".glb")).targets.frames.size(), 1u);
  EXPECT_EQ(parse_pvd(folder / (name + ".pvd"))[0].file, "3 &quot;&lt;ä&amp;b&gt;&quot;_0000.vtu");
  EXPECT_NE(parse_usda(folder / (name + ".usda")).text.find("def Mesh \"_3_"), std::string::npos);
}

}  // namespace formats_test
}  // namespace pliant::interop
