// SPDX-License-Identifier: Apache-2.0
// `pliant run` on meshes from files: what is wrong with a file is said and nothing is written; what is right
// comes back with the user's own vertices.
#include <gtest/gtest.h>

#include <algorithm>

#include "pliant/io/read_mesh.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace mesh_run_test {

namespace fs = std::filesystem;

class MeshRun : public ::testing::Test {
 protected:
  TempFolder folder;
  CommandResult drop(const std::string& mesh, const std::string& more = "") const {
    write_text(folder / "scene.json", R"({"frames": 3, "bodies": [{"name": "body", "shape": {"mesh": ")" +
                                          mesh + R"(", "nodes": 200}}], "colliders": [{"plane": {}}]})");
    return run_pliant("run '" + (folder / "scene.json").string() + "' -o '" + (folder / "out").string() +
                      "' --quiet " + more);
  }
  void refused(const std::string& file, const std::string& text, const std::string& place) {
    if (!text.empty() || file == "empty.obj") write_text(folder / file, text);
    const CommandResult result = drop(file);
    EXPECT_EQ(result.exit, 2) << file << ": " << result.output;
    EXPECT_TRUE(result.says(file)) << result.output;
    EXPECT_TRUE(result.says(place)) << "expected \"" << place << "\" in: " << result.output;
    EXPECT_FALSE(fs::exists(folder / "out")) << file;
  }
};

TEST_F(MeshRun, bad_meshes_are_refused_with_their_place_and_nothing_is_written) {
  refused("truncated.off", "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n", "line");
  refused("nan.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n", "line 2");
  refused("infinite.obj", "v 0 0 0\nv inf 0 0\nv 0 1 0\nf 1 2 3\n", "line 2");
  refused("range.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "line 4");
  refused("empty.obj", "", "bodies.0.shape");
  refused("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "no faces (3 points)");
  refused("equal.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", "bodies.0.shape");
  refused(
      "header.ply",
      "ply\nformat binary_little_endian 1.0\nelement vertex 10000000\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n",
      "10000000");
  refused("missing.obj", "", "No such file");
  EXPECT_TRUE(drop("../models/meshes/elephant.off").says("make models"));
  fs::create_directory(folder / "folder.obj");
  refused("folder.obj", "", "folder");
}

TEST_F(MeshRun, a_single_triangle_is_a_sheet_that_falls) {
  write_text(folder / "triangle.obj", "v 0 1 0\nv 1 1 0\nv 0 1 1\nf 1 2 3\n");
  EXPECT_EQ(drop("triangle.obj", "--format none").exit, 0);
}

/// A unit cube whose faces have vertices of their own, as a file with split texture seams has them.
std::string split_cube() {
  std::string text;
  const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  const char* uv[4] = {"0 0", "1 0", "1 1", "0 1"};
  for (const auto& face : faces)
    for (const int corner : face)
      text += "v " + std::to_string(corner & 1) + " " + std::to_string(1 + (corner >> 1 & 1)) + " " +
              std::to_string(corner >> 2) + "\n";
  for (int face = 0; face < 6; ++face)
    for (const char* pair : uv) text += std::string("vt ") + pair + "\n";
  for (int f = 0; f < 6; ++f) {
    text += "f";
    for (int c = 1; c <= 4; ++c) text += " " + std::to_string(4 * f + c) + "/" + std::to_string(4 * f + c);
    text += "\n";
  }
  return text;
}

TEST_F(MeshRun, split_seams_keep_count_and_order_in_every_format_and_do_not_fall_apart) {
  write_text(folder / "cube.obj", split_cube());
  ASSERT_EQ(drop("cube.obj", "--format obj,ply,glb").exit, 0);
  const auto start = read_polygons(folder / "cube.obj");
  ASSERT_TRUE(start);
  for (const char* name : {"body_0003.obj", "body_0003.ply", "body.glb", "body.obj"}) {
    const auto end = read_polygons(folder / "out" / "frames" / name);
    ASSERT_TRUE(end) << name << ": " << end.error().text();
    ASSERT_EQ(end->vertices.size(), 24u) << name;
    EXPECT_EQ(end->texcoords.empty(), false) << name;
    for (std::size_t a = 0; a < 24; ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (start->vertices[a] == start->vertices[b]) {
          EXPECT_LT((end->vertices[a] - end->vertices[b]).norm(), 1e-6) << name;
        }
  }
}

}  // namespace mesh_run_test
}  // namespace pliant
