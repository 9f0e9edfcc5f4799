// SPDX-License-Identifier: Apache-2.0
// Polygons and texture coordinates of the user's mesh, as other programs read them from our files.
#include <gtest/gtest.h>

#include <string_view>

#include "pliant/io/frame_writer.hpp"
#include "pliant/io/obj.hpp"
#include "tests/interop/read_back.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::interop {
namespace texcoords_test {

/// A folded strip of two quads with a seam between them: as two copies of the vertices, or between corners.
const char* const split_seam =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\nv 1 0 0\nv 1 1 0\n"
    "vt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0 0.25\nvt 1 0\nvt 1 0.25\nvt 0.75 0.5\nvt 0.75 1\n"
    "f 1/1 2/2 3/3 4/4\nf 7/7 5/5 6/6 8/8\n";
const char* const corner_seam =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\n"
    "vt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0 0.25\nvt 1 0\nvt 1 0.25\nvt 0.75 0.5\nvt 0.75 1\n"
    "f 1/1 2/2 3/3 4/4\nf 2/7 5/5 6/6 3/8\n";

void write_all(const std::filesystem::path& folder, const PolygonMesh& mesh) {
  auto writer = make_frame_writer({"obj", "ply", "glb", "vtu"}, folder,
                                  {{"body", fan_triangles(mesh), mesh.vertices, mesh}}, {});
  ASSERT_TRUE(writer);
  const std::span<const Vec3> spans[] = {mesh.vertices};
  ASSERT_FALSE((*writer)->write(0, 0, spans));
  ASSERT_FALSE((*writer)->finish());
}

/// Positions and texture coordinates at these corners of the mesh.
void expect_corners(const TexturedCorners& found, const PolygonMesh& mesh, const std::vector<Index>& corners,
                    const char* what) {
  Floats positions, uv;
  for (Index c : corners) {
    for (int axis = 0; axis < 3; ++axis) positions.push_back(float(mesh.vertices[mesh.corner[c]][axis]));
    for (float value : mesh.texcoords[mesh.corner_texcoord[c]]) uv.push_back(value);
  }
  EXPECT_EQ(found.positions, positions) << what;
  EXPECT_EQ(found.uv, uv) << what;
}

TEST(Texcoords, other_readers_find_polygons_and_texture_coordinates_on_both_sides_of_a_seam) {
  const std::vector<Index> quads{0, 1, 2, 3, 4, 5, 6, 7}, fans{0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7};
  for (const char* obj : {split_seam, corner_seam}) {
    TempFolder folder;
    const PolygonMesh mesh = *parse_obj(obj, "user.obj");
    write_all(folder.path(), mesh);
    for (const char* file : {"body.obj", "body_0000.obj", "body_0000.ply"}) {
      // assimp keeps one texture coordinate a vertex of a ply, the last one it meets.
      if (obj == corner_seam && std::string_view(file).ends_with(".ply")) continue;
      const TexturedCorners found = assimp_textured(folder / file);
      EXPECT_EQ(found.counts, (std::vector<std::size_t>{4, 4})) << file;
      expect_corners(found, mesh, quads, file);
    }
    expect_corners(assimp_textured(folder / "body.glb"), mesh, fans, "body.glb");
  }
}

TEST(Texcoords, vtk_finds_polygons_and_texture_coordinates_of_vertices) {
  TempFolder folder;
  write_all(folder / "split", *parse_obj(split_seam, "user.obj"));
  write_all(folder / "corner", *parse_obj(corner_seam, "user.obj"));
  const std::vector<VtuFile> files =
      vtk_files({folder / "split/body_0000.vtu", folder / "corner/body_0000.vtu"});
  EXPECT_EQ(files[0].cells, (std::vector<std::vector<Index>>{{0, 1, 2, 3}, {6, 4, 5, 7}}));
  EXPECT_EQ(files[0].uv, (Floats{0, 0, 0.5, 0, 0.5, 0.25, 0, 0.25, 1, 0, 1, 0.25, 0.75, 0.5, 0.75, 1}));
  EXPECT_EQ(files[1].cells, (std::vector<std::vector<Index>>{{0, 1, 2, 3}, {1, 4, 5, 2}}));
  EXPECT_TRUE(files[1].uv.empty());
}

}  // namespace texcoords_test
}  // namespace pliant::interop
