// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_mesh.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "pliant/io/obj.hpp"
#include "pliant/io/ply.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace {

const std::vector<float> tetrahedron = {0, 0, 0, 1.1f, 0, 0, 0, 1e-7f, 0.333333f, -0.f, 3.4e12f, 1};
const std::vector<Triangle> faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

void expect_tetrahedron(const TriMesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), 4u);
  for (std::size_t i = 0; i < tetrahedron.size(); ++i)
    EXPECT_EQ(float(mesh.vertices[i / 3][i % 3]), tetrahedron[i]);
  EXPECT_EQ(mesh.triangles, faces);
}

std::string message(const Result<TriMesh>& result) { return result ? "no error" : result.error().text(); }

#define EXPECT_MESSAGE(result, part) \
  EXPECT_NE(message(result).find(part), std::string::npos) << message(result)

TEST(ReadMesh, gives_back_the_floats_that_were_written_as_obj) {
  TempFolder folder;
  ASSERT_FALSE(write_obj(folder / "t.obj", tetrahedron, faces));
  const Result<TriMesh> mesh = read_mesh(folder / "t.obj");
  ASSERT_TRUE(mesh) << message(mesh);
  expect_tetrahedron(*mesh);
}

TEST(ReadMesh, gives_back_the_floats_that_were_written_as_ply) {
  TempFolder folder;
  ASSERT_FALSE(write_ply(folder / "t.PLY", tetrahedron, faces));
  const Result<TriMesh> mesh = read_mesh(folder / "t.PLY");
  ASSERT_TRUE(mesh) << message(mesh);
  expect_tetrahedron(*mesh);
}

TEST(ReadMesh, names_the_extensions_it_knows) {
  EXPECT_MESSAGE(read_mesh("model.fbx"), "'.fbx'");
  EXPECT_MESSAGE(read_mesh("model.fbx"), ".obj or .ply");
}

TEST(ReadMesh, says_why_a_file_cannot_be_opened) {
  TempFolder folder;
  EXPECT_MESSAGE(read_mesh(folder / "nothing.obj"), "No such file");
  std::filesystem::create_directory(folder / "folder.obj");
  EXPECT_MESSAGE(read_mesh(folder / "folder.obj"), "Is a directory");
}

TEST(ReadObj, understands_polygons_negative_and_composite_indices_continuations_and_windows_lines) {
  TempFolder folder;
  const auto path =
      folder.with("a.obj",
                  "# comment\r\nmtllib x.mtl\r\no thing\r\nf 1/1/1 2//2 3/3 4\r\nv 0 0 0 1\r\n"
                  "v +1 0 0\r\nv 1 1 0 # here\r\nv 0 1 0 0.5 0.5 0.5\r\nvn 0 0 1\r\nf -4 -3 \\\r\n-2");
  const Result<TriMesh> mesh = read_obj(path);
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
  EXPECT_EQ(mesh->vertices[1], Vec3(1, 0, 0));
}

TEST(ReadObj, reports_every_problem_with_its_line) {
  TempFolder folder;
  const auto path = folder.with(
      "a.obj", "v 0 0 zero\nv 1 0\nv 0 nan 0\nv 1e999 0 0\nf 1 2\nf 1 2 0\nf 1 2 x\nf 1 2 9\nf 1 2 -9\n");
  const Result<TriMesh> mesh = read_obj(path);
  ASSERT_FALSE(mesh);
  EXPECT_EQ(mesh.error().problems.size(), 9u) << message(mesh);
  EXPECT_MESSAGE(mesh, "line 1: found 'zero'");
  EXPECT_MESSAGE(mesh, "line 2: found nothing");
  EXPECT_MESSAGE(mesh, "line 3: found 'nan'");
  EXPECT_MESSAGE(mesh, "line 5: found a face of 2 corners");
  EXPECT_MESSAGE(mesh, "line 8: found vertex 9, expected one of the 4 vertices");
}

TEST(ReadObj, refuses_a_file_without_faces) {
  TempFolder folder;
  EXPECT_MESSAGE(read_obj(folder.with("a.obj", "v 0 0 0\n")), "1 vertices and no face");
  EXPECT_MESSAGE(read_obj(folder.with("b.obj", "")), "no face");
}

const char ascii_ply[] =
    "ply\nformat ascii 1.0\nelement camera 1\nproperty float fov\nelement vertex 4\nproperty uchar red\n"
    "property double x\nproperty double y\nproperty double z\nelement face 1\nproperty list uchar int other\n"
    "property list uchar uint vertex_index\nend_header\n";

TEST(ReadPly, passes_over_what_it_does_not_need) {
  TempFolder folder;
  const Result<TriMesh> mesh = read_ply(folder.with(
      "a.ply", std::string(ascii_ply) + "60\n1 0 0 0\n1 1 0 0\n\n1 1 1 0\n1 0 1 0\n2 7 7 4 0 1 2 3\n"));
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(mesh->vertices[2], Vec3(1, 1, 0));
}

TEST(ReadPly, reads_big_endian) {
  TempFolder folder;
  std::string data =
      "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nelement face 1\nproperty list uchar short vertex_indices\nend_header\n";
  for (float value : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 2.5f, 0.f}) {
    char bytes[4];
    std::memcpy(bytes, &value, 4);
    for (int i = 3; i >= 0; --i) data += bytes[i];
  }
  data += std::string("\3\0\0\0\1\0\2", 7);
  const Result<TriMesh> mesh = read_ply(folder.with("a.ply", data));
  ASSERT_TRUE(mesh) << message(mesh);
  EXPECT_EQ(mesh->vertices[2], Vec3(0, 2.5, 0));
  EXPECT_EQ(mesh->triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(ReadPly, names_the_line_of_a_problem) {
  TempFolder folder;
  const std::string head = ascii_ply;
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", "obj\n")), "line 1: found 'obj'");
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", "ply\nformat ascii 2.0\n")), "line 2");
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", "ply\nformat ascii 1.0\nelement vertex -1\n")), "line 3");
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", "ply\nformat ascii 1.0\n")), "no end_header");
  EXPECT_MESSAGE(read_ply(folder.with(
                     "a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n")),
                 "without property y");
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", head + "60\n1 0 0 0\n1 1 0 zero\n")), "line 16");
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", head + "60\n1 0 0 0\n")), "2 of 4 elements 'vertex'");
  EXPECT_MESSAGE(read_ply(folder.with("a.ply", head + "60\n1 0 0 0\n1 1 0 0\n1 1 1 0\n1 0 1 0\n0 3 0 1 4\n")),
                 "line 19: found vertex 4");
}

/// Whatever the bytes, a reader answers with a mesh whose corners exist, or with an error.
void expect_survives_damage(const std::string& good, const std::string& name) {
  TempFolder folder;
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    std::string bytes = good;
    for (unsigned hits = 1 + random() % 4; hits > 0; --hits) bytes[random() % bytes.size()] = char(random());
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    const Result<TriMesh> mesh = read_mesh(folder.with(name, bytes));
    if (!mesh) {
      EXPECT_FALSE(mesh.error().problems.empty());
      continue;
    }
    for (const Triangle& t : mesh->triangles)
      for (Index v : t) ASSERT_TRUE(v >= 0 && std::size_t(v) < mesh->vertices.size());
    for (const Vec3& v : mesh->vertices) ASSERT_TRUE(v.allFinite());
  }
}

TEST(ReadMesh, survives_damaged_files) {
  TempFolder folder;
  ASSERT_FALSE(write_obj(folder / "t.obj", tetrahedron, faces));
  ASSERT_FALSE(write_ply(folder / "t.ply", tetrahedron, faces));
  const std::string obj = bytes_of_file(folder / "t.obj"), ply = bytes_of_file(folder / "t.ply");
  expect_survives_damage(obj, "t.obj");
  expect_survives_damage(ply, "t.ply");
}

}  // namespace
}  // namespace pliant
