// SPDX-License-Identifier: Apache-2.0
// Surfaces of a program in the place of mesh files.
#include <gtest/gtest.h>

#include <limits>

#include "pliant/scene/build.hpp"

namespace pliant {
namespace own_meshes_test {

PolygonMesh tetrahedron() {
  PolygonMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.corner = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
  mesh.face_begin = {0, 3, 6, 9, 12};
  return mesh;
}

Result<Scene> built(const PolygonMesh& mesh, const std::string& name = "soft") {
  const ParsedScene parsed = parse_scene(
      R"({"bodies": [{"shape": {"mesh": "soft", "nodes": 200}}], "colliders": [{"mesh": {"file": "soft"}}]})",
      "scene");
  BuildOptions options;
  options.meshes[name] = mesh;
  return build_scene(parsed, options);
}

TEST(OwnMeshes, stand_for_files_of_bodies_and_colliders) {
  Result<Scene> scene = built(tetrahedron());
  ASSERT_TRUE(scene) << scene.error().text();
  EXPECT_EQ(scene->simulation.bodies()[0].rest_surface(), tetrahedron().vertices);
  EXPECT_EQ(scene->simulation.colliders().size(), 1u);
  EXPECT_FALSE(scene->simulation.step());
}

TEST(OwnMeshes, decide_the_fingerprint_as_files_do) {
  PolygonMesh other = tetrahedron();
  other.vertices[3].z() = 1.1;
  EXPECT_EQ(built(tetrahedron())->fingerprint, built(tetrahedron())->fingerprint);
  EXPECT_NE(built(tetrahedron())->fingerprint, built(other)->fingerprint);
}

TEST(OwnMeshes, are_files_where_the_program_has_none_of_that_name) {
  const Result<Scene> scene = built(tetrahedron(), "other");
  ASSERT_FALSE(scene);
  EXPECT_NE(scene.error().text().find("soft"), std::string::npos);
}

TEST(OwnMeshes, that_are_wrong_are_refused_by_name) {
  PolygonMesh corners = tetrahedron(), places = tetrahedron(), arrays = tetrahedron();
  corners.corner[5] = 99;
  places.vertices[1].x() = std::numeric_limits<double>::quiet_NaN();
  arrays.face_begin = {0, 3, 1000};
  for (const PolygonMesh& wrong : {corners, places, arrays, PolygonMesh{}}) {
    const Result<Scene> scene = built(wrong);
    ASSERT_FALSE(scene);
    EXPECT_NE(scene.error().text().find("soft"), std::string::npos) << scene.error().text();
  }
}

}  // namespace own_meshes_test
}  // namespace pliant
