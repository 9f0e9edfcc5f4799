// SPDX-License-Identifier: Apache-2.0
// A mesh as ground is the ground: the same body dropped on a plane, on a block of triangles with the same top
// and on a sheet moves the same way (contact.md, oracle 14).
#include <gtest/gtest.h>

#include <fstream>

#include "pliant/scene/build.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace mesh_ground_test {

constexpr const char* block_obj =
    "v -3 -1 -3\nv 3 -1 -3\nv -3 0 -3\nv 3 0 -3\nv -3 -1 3\nv 3 -1 3\nv -3 0 3\nv 3 0 3\n"
    "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";
constexpr const char* sheet_obj = "v -3 0 -3\nv 3 0 -3\nv -3 0 3\nv 3 0 3\nf 1 3 4 2\n";

/// Where the nodes are after a second; the body comes down turned, sliding and spinning.
Points after_the_fall(const TempFolder& folder, const std::string& collider) {
  const ParsedScene parsed = parse_scene(R"({"bodies": [{"name": "cube",
      "shape": {"box": {"size": [0.5, 0.5, 0.5], "nodes": [6, 6, 6], "corner": [0, 0.3, 0]}},
      "initial": {"rotate": {"axis": [1, 0, 2], "degrees": 30}, "velocity": [1, 0, 0.3], "spin": [0, 1, 2]},
      "density": 1000, "geometric": {"stiffness": 1e5}}], "colliders": [)" +
                                             collider + "]}",
                                         (folder / "scene.json").string());
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(bool(scene)) << scene.error().text();
  if (!scene) return {};
  double deepest = 0;
  int contacts = 0;
  for (int step = 0; step < 60; ++step) {
    const auto failure = scene->simulation.step();
    EXPECT_FALSE(failure) << failure->text();
    deepest = std::max(deepest, scene->simulation.bodies()[0].report().penetration);
    contacts = std::max(contacts, scene->simulation.bodies()[0].report().contacts);
  }
  EXPECT_GT(contacts, 0);
  EXPECT_LT(deepest, 2e-4);
  return scene->simulation.bodies()[0].method().nodes().x;
}

TEST(MeshGround, block_and_sheet_of_triangles_hold_a_body_as_a_plane_does) {
  const TempFolder folder;
  folder.with("block.obj", block_obj);
  folder.with("sheet.obj", sheet_obj);
  const Points plane = after_the_fall(folder, R"({"plane": {"friction": 0.4}})");
  const Points block = after_the_fall(folder, R"({"mesh": {"file": "block.obj", "friction": 0.4}})");
  const Points sheet =
      after_the_fall(folder, R"({"mesh": {"file": "sheet.obj", "thin": true, "friction": 0.4}})");
  ASSERT_EQ(plane.size(), block.size());
  ASSERT_EQ(plane.size(), sheet.size());
  for (std::size_t i = 0; i < plane.size(); ++i) {
    EXPECT_LT((plane[i] - block[i]).norm(), 1e-6);
    EXPECT_LT((plane[i] - sheet[i]).norm(), 1e-6);
  }
}

}  // namespace mesh_ground_test
}  // namespace pliant
