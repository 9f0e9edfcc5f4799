// SPDX-License-Identifier: Apache-2.0
// Scenes with caged bodies: where the cage comes from, what is refused, and what a body at rest says of
// itself.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "pliant/geometry/cage.hpp"
#include "pliant/scene/build.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace cage_scene_test {

std::string bar_scene(const std::string& cage) {
  return fmt::format(R"({{"gravity": [0, -10, 0], "frames": 5, "bodies": [{{"name": "bar",
        "shape": {{"box": {{"size": [1, 0.5, 0.5], "nodes": [5, 3, 3]}}}}, "method": "cage",
        "pins": [{{"select": {{"halfspace": {{"point": [0.1, 0, 0], "normal": [-1, 0, 0]}}}}}}],
        "cage": {}}}]}})",
                     cage);
}

Result<Scene> scene_with(const std::string& cage) {
  return build_scene(parse_scene(bar_scene(cage), "bar.json", {}));
}

std::string write_cage(const TempFolder& folder, const TriMesh& cage) {
  const auto file = folder / "cage.obj";
  std::ofstream stream(file);
  stream.precision(17);
  for (const Vec3& p : cage.vertices) stream << "v " << p.x() << ' ' << p.y() << ' ' << p.z() << '\n';
  for (const Triangle& t : cage.triangles)
    stream << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
  return file.string();
}

TEST(CageScene, a_body_that_may_touch_something_is_told_that_it_dents_too_little) {
  const auto told = [](const std::string& colliders) {
    const Result<Scene> scene = build_scene(
        parse_scene(R"({"bodies": [{"name": "ball", "shape": {"sphere": {"nodes": 5}}, "method": "cage",
          "cage": {"cells": [1, 1, 1]}}], "colliders": [)" +
                        colliders + "]}",
                    "ball.json", {}));
    EXPECT_TRUE(scene) << scene.error().text();
    return std::count_if(scene->notes.begin(), scene->notes.end(), [](const std::string& note) {
      return note.find("ball: dents too little") != std::string::npos;
    });
  };
  EXPECT_EQ(told(R"({"plane": {}})"), 1);
  EXPECT_EQ(told(""), 0);
}

TEST(CageScene, a_cage_from_a_file_moves_the_body_as_the_same_cage_made_of_cells_does) {
  const TempFolder folder;
  const Points box{{0, 0, 0}, {1, 0.5, 0.5}};
  const std::string file = write_cage(folder, box_cage_around(box, {2, 1, 1}, 0.05));
  Points surface[2];
  int k = 0;
  for (const std::string& cage : {fmt::format(R"({{"file": "{}", "points": 300}})", file),
                                  std::string(R"({"cells": [2, 1, 1], "clearance": 0.05, "points": 300})")}) {
    Result<Scene> scene = scene_with(cage);
    ASSERT_TRUE(scene) << scene.error().text();
    const Body& body = scene->simulation.bodies()[0];
    EXPECT_EQ(body.method().describe().freedoms, 36);
    for (int frame = 0; frame < 5; ++frame) ASSERT_FALSE(scene->simulation.step());
    surface[k++] = body.surface();
  }
  for (std::size_t i = 0; i < surface[0].size(); ++i) EXPECT_LT((surface[0][i] - surface[1][i]).norm(), 1e-6);
  EXPECT_LT(surface[0].back().y(), 0.5 - 1e-4) << "it hangs from its pins";
}

TEST(CageScene, a_cage_of_more_freedoms_than_can_be_had_is_refused_with_its_key) {
  const auto refused = [](const std::string& cage) {
    const Result<Scene> scene = scene_with(cage);
    EXPECT_FALSE(scene);
    return scene ? std::string() : scene.error().text();
  };
  const std::string cells = refused(R"({"cells": [30, 30, 30]})");
  EXPECT_NE(cells.find("cage.cells"), std::string::npos) << cells;
  EXPECT_NE(cells.find("at most 6000 degrees of freedom"), std::string::npos) << cells;
  const TempFolder folder;
  const std::string file = refused(fmt::format(
      R"({{"file": "{}"}})", write_cage(folder, box_cage({-1, -1, -1}, {2, 2, 2}, {20, 20, 20}))));
  EXPECT_NE(file.find("cage.file"), std::string::npos) << file;
  EXPECT_NE(file.find("at most 6000"), std::string::npos) << file;
}

TEST(CageScene, vertices_of_a_box_are_counted) {
  for (const std::array<int, 3>& cells : {std::array{1, 1, 1}, {1, 3, 6}, {2, 2, 6}, {1, 4, 19}})
    EXPECT_EQ(box_cage_vertices(cells), int(box_cage({0, 0, 0}, {1, 1, 1}, cells).vertices.size()));
}

TEST(CageScene, a_body_that_lies_still_is_not_violent) {
  const std::string text = R"({"frames": 120, "bodies": [{"name": "egg", "method": "cage",
        "shape": {"ellipsoid": {"radii": [0.5, 0.2, 0.3], "nodes": 12, "center": [0, 0.25, 0]}},
        "cage": {"budget": 168, "stiffness": 1e5}, "damping": {"mass": 1, "stiffness": 0.01}}],
        "colliders": [{"plane": {"friction": 0.6}}]})";
  Result<Scene> scene = build_scene(parse_scene(text, "egg.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  int violent = 0;
  for (int frame = 0; frame < 120; ++frame) {
    ASSERT_FALSE(scene->simulation.step());
    if (frame >= 60) violent += scene->simulation.bodies()[0].report().violent;
  }
  EXPECT_LE(violent, 3);
}

}  // namespace cage_scene_test
}  // namespace pliant
