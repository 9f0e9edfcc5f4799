// SPDX-License-Identifier: Apache-2.0
// The user's own mesh in, simulated, out: the same vertices in the same order, faces and texture coordinates.
#include <gtest/gtest.h>

#include "pliant/io/frame_writer.hpp"
#include "pliant/io/obj.hpp"
#include "pliant/io/point_cache.hpp"
#include "pliant/io/read_mesh.hpp"
#include "tests/support/mesh_messages.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace round_trip_test {

/// A folded strip of two quads and a triangle; vertices 1 and 2 again as 6 and 7, with other texture
/// coordinates: a seam as exporters split it.
const char* const split_seam =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\nv 1 0 0\nv 1 1 0\n"
    "vt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0 0.25\nvt 1 0\nvt 1 0.25\nvt 0.75 0.5\nvt 0.75 1\n"
    "f 1/1 2/2 3/3 4/4\nf 7/7 5/5 6/6 8/8\nf 1/1 4/4 3/3\n";
/// The same strip with shared vertices and a texture coordinate a corner.
const char* const corner_seam =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\n"
    "vt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0 0.25\nvt 1 0\nvt 1 0.25\nvt 0.75 0.5\nvt 0.75 1\n"
    "f 1/1 2/2 3/3 4/4\nf 2/7 5/5 6/6 3/8\nf 1/1 4/4 3/3\n";

struct RoundTrip {
  TempFolder folder;
  PolygonMesh mesh;
  Points moved;

  explicit RoundTrip(const char* obj) : mesh(*parse_obj(obj, "user.obj")), moved(mesh.vertices) {
    for (Vec3& p : moved) p += Vec3(0.5, -2, p.x());
    auto writer = make_frame_writer({"obj", "ply", "pc2", "mdd", "glb", "vtu", "usda"}, folder.path(),
                                    {{"body", fan_triangles(mesh), mesh.vertices, mesh}}, {});
    EXPECT_TRUE(writer);
    const std::span<const Vec3> spans[] = {moved};
    EXPECT_FALSE((*writer)->write(0, 0, spans));
    EXPECT_FALSE((*writer)->finish());
  }

  void expect_same_faces(const char* file, const Points& vertices) const {
    const Result<PolygonMesh> found = read_polygons(folder / file);
    ASSERT_TRUE(found) << message(found);
    EXPECT_EQ(found->vertices, vertices) << file;
    EXPECT_EQ(faces_of(*found), faces_of(mesh)) << file;
    EXPECT_EQ(corner_texcoords(*found), corner_texcoords(mesh)) << file;
  }

  void expect_obj_ply_and_caches() const {
    expect_same_faces("body.obj", mesh.vertices);
    expect_same_faces("body_0000.obj", moved);
    expect_same_faces("body_0000.ply", moved);
    EXPECT_EQ(read_pc2(folder / "body.pc2")->points(0), moved);
    EXPECT_EQ(read_mdd(folder / "body.mdd")->points(0), moved);
  }

  PolygonMesh glb() const { return *read_polygons(folder / "body.glb"); }
};

/// The texture coordinates of every triangle of the fans.
Texcoords fan_texcoords(const PolygonMesh& mesh) {
  PolygonMesh corners;  // the fans of the texture coordinates' numbers
  corners.corner = mesh.corner_texcoord;
  corners.face_begin = mesh.face_begin;
  Texcoords out;
  for (const Triangle& t : fan_triangles(corners))
    for (Index k : t) out.push_back(mesh.texcoords[k]);
  return out;
}

TEST(RoundTrip, a_mesh_with_split_seams_keeps_vertices_order_and_texture_coordinates) {
  const RoundTrip trip(split_seam);
  trip.expect_obj_ply_and_caches();
  const PolygonMesh glb = trip.glb();
  EXPECT_EQ(glb.vertices, trip.mesh.vertices);
  EXPECT_EQ(fan_triangles(glb), fan_triangles(trip.mesh));
  EXPECT_EQ(corner_texcoords(glb), fan_texcoords(trip.mesh));
}

TEST(RoundTrip, a_mesh_with_seams_between_corners_keeps_them_and_glb_appends_copies) {
  const RoundTrip trip(corner_seam);
  trip.expect_obj_ply_and_caches();
  const PolygonMesh glb = trip.glb();
  ASSERT_EQ(glb.vertices.size(), 8u);
  for (std::size_t v = 0; v < 6; ++v) EXPECT_EQ(glb.vertices[v], trip.mesh.vertices[v]);
  EXPECT_EQ(glb.vertices[6], trip.mesh.vertices[1]);
  EXPECT_EQ(glb.vertices[7], trip.mesh.vertices[2]);
  EXPECT_EQ(corner_texcoords(glb), fan_texcoords(trip.mesh));
}

TEST(RoundTrip, usda_and_vtu_hold_the_polygons) {
  for (const char* obj : {split_seam, corner_seam}) {
    const RoundTrip trip(obj);
    const bool split = obj == split_seam;
    const std::string usda = bytes_of_file(trip.folder / "body.usda");
    for (const char* part : {"faceVertexCounts = [4, 4, 3]\n",
                             split ? "faceVertexIndices = [0, 1, 2, 3, 6, 4, 5, 7, 0, 3, 2]\n"
                                   : "faceVertexIndices = [0, 1, 2, 3, 1, 4, 5, 2, 0, 3, 2]\n",
                             "texCoord2f[] primvars:st = [(0, 0), (0.5, 0), (0.5, 0.25), (0, 0.25), (1, 0), "
                             "(1, 0.25), (0.75, 0.5), "
                             "(0.75, 1)] (\n        interpolation = \"faceVarying\"\n    )\n",
                             "int[] primvars:st:indices = [0, 1, 2, 3, 6, 4, 5, 7, 0, 3, 2]\n"})
      EXPECT_NE(usda.find(part), std::string::npos) << part << usda;
    const std::string vtu = bytes_of_file(trip.folder / "body_0000.vtu");
    EXPECT_NE(vtu.find("NumberOfCells=\"3\""), std::string::npos);
    EXPECT_EQ(vtu.find("TCoords=\"uv\"") != std::string::npos, split);  // one a vertex, or none
  }
}

TEST(RoundTrip, faces_that_are_no_surface_are_left_out) {
  const RoundTrip trip("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1\nf 1/1 2/1 3\n");
  const Result<PolygonMesh> ply = read_polygons(trip.folder / "body_0000.ply");
  ASSERT_TRUE(ply) << message(ply);
  EXPECT_EQ(faces_of(*ply), (Faces{{0, 1, 2}}));
  EXPECT_EQ(faces_of(*read_polygons(trip.folder / "body.obj")), (Faces{{0, 1, 2}}));
  EXPECT_NE(bytes_of_file(trip.folder / "body.usda").find("primvars:st:indices = [0, 0, 1]"),
            std::string::npos);
}

}  // namespace round_trip_test
}  // namespace pliant
