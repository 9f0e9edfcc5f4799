// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/write_mesh.hpp"

#include <gtest/gtest.h>

#include "pliant/io/read_mesh.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace write_mesh_test {

const SurfaceInfo tetra{"tetra",
                        {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}},
                        {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}};
const Points moved{Vec3(0, 0, 0), Vec3(2, 0, 0), Vec3(0, 3, 0), Vec3(0, 0, 4)};

TEST(WriteMesh, formats_with_shared_vertices_read_back_as_the_same_mesh) {
  const TempFolder folder;
  for (const char* name : {"a.obj", "a.ply", "a.GLB"}) {
    ASSERT_FALSE(write_mesh(folder / name, tetra, moved)) << name;
    const Result<TriMesh> mesh = read_mesh(folder / name);
    ASSERT_TRUE(mesh) << mesh.error().text();
    EXPECT_EQ(mesh->vertices, moved) << name;
    EXPECT_EQ(mesh->triangles, tetra.triangles) << name;
  }
}

TEST(WriteMesh, stl_has_the_corners_of_every_triangle) {
  const TempFolder folder;
  ASSERT_FALSE(write_mesh(folder / "a.stl", tetra, moved));
  EXPECT_EQ(std::filesystem::file_size(folder / "a.stl"), 84u + 4 * 50);
  const Result<TriMesh> mesh = read_mesh(folder / "a.stl");
  ASSERT_TRUE(mesh) << mesh.error().text();
  ASSERT_EQ(mesh->vertices.size(), 12u);
  for (std::size_t k = 0; k < 12; ++k)
    EXPECT_EQ(mesh->vertices[k], moved[std::size_t(tetra.triangles[k / 3][k % 3])]);
}

TEST(WriteMesh, an_unknown_extension_is_refused_with_those_that_exist) {
  EXPECT_TRUE(can_write_mesh("x.vtu"));
  EXPECT_TRUE(can_write_mesh("x.usda"));
  EXPECT_FALSE(can_write_mesh("x.pc2"));
  const auto error = write_mesh("x.abc", tetra, moved);
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find(mesh_formats()), std::string::npos) << error->text();
}

TEST(WriteMesh, a_folder_that_cannot_be_made_is_an_error) {
  const TempFolder folder;
  ASSERT_FALSE(write_mesh(folder / "a.obj", tetra, moved));
  EXPECT_TRUE(write_mesh(folder / "a.obj" / "b.stl", tetra, moved));
}

}  // namespace write_mesh_test
}  // namespace pliant
