// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_mesh.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "pliant/io/obj.hpp"
#include "pliant/io/ply.hpp"
#include "tests/support/glb_builder.hpp"
#include "tests/support/mesh_messages.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace read_mesh_test {

const std::vector<float> tetrahedron = {0, 0, 0, 1.1f, 0, 0, 0, 1e-7f, 0.333333f, -0.f, 3.4e12f, 1};
const std::vector<Triangle> faces = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};

void expect_tetrahedron(const TriMesh& mesh) {
  ASSERT_EQ(mesh.vertices.size(), 4u);
  for (std::size_t i = 0; i < tetrahedron.size(); ++i)
    EXPECT_EQ(float(mesh.vertices[i / 3][i % 3]), tetrahedron[i]);
  EXPECT_EQ(mesh.triangles, faces);
}

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
  EXPECT_MESSAGE(read_mesh("model.fbx"),
                 "model.fbx: found extension '.fbx', expected .obj, .ply, .stl, .off or .glb");
  EXPECT_MESSAGE(read_mesh("model"), "no extension");
  EXPECT_MESSAGE(read_mesh("model.GLTF"), "export it as one binary file, .glb");
}

const char* const extensions[] = {".obj", ".ply", ".stl", ".off", ".glb"};

TEST(ReadMesh, says_why_a_file_cannot_be_opened) {
  TempFolder folder;
  for (const std::string extension : extensions) {
    EXPECT_MESSAGE(read_polygons(folder / ("nothing" + extension)), "No such file");
    std::filesystem::create_directory(folder / ("folder" + extension));
    EXPECT_MESSAGE(read_polygons(folder / ("folder" + extension)), "Is a directory");
    EXPECT_MESSAGE(read_polygons(folder.with("empty" + extension, "")),
                   "empty" + extension + ": byte 0: found an empty file");
  }
}

TEST(ReadMesh, does_not_wait_for_a_pipe) {
  TempFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.obj").c_str(), 0600), 0);
  EXPECT_MESSAGE(read_polygons(folder / "pipe.obj"), "pipe.obj: found a pipe or a device, expected a file");
}

TEST(ReadMesh, says_that_a_file_may_not_be_read) {
  if (geteuid() == 0) GTEST_SKIP() << "the superuser may read every file";
  TempFolder folder;
  const auto path = folder.with("a.obj", "v 0 0 0\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_MESSAGE(read_polygons(path), "Permission denied");
}

TEST(ReadMesh, names_the_kind_of_a_file_that_only_has_the_ending_of_a_mesh) {
  TempFolder folder;
  for (const auto& [bytes, kind] :
       {std::pair("%PDF-1.7\n1 0 obj\n", "a PDF document"), std::pair("\x89PNG\r\n\x1a\n", "a PNG picture"),
        std::pair("<!DOCTYPE html><html>", "a web page")}) {
    const Result<PolygonMesh> mesh = read_polygons(folder.with("named.obj", bytes));
    ASSERT_FALSE(mesh) << kind;
    EXPECT_EQ(mesh.error().problems.front().found, kind);
    EXPECT_EQ(mesh.error().problems.front().hint, "export the mesh as .obj");
  }
}

TEST(ReadMesh, names_text_in_utf16) {
  TempFolder folder;
  const std::string text = "ply\nformat ascii 1.0\n";
  std::string little, big;
  for (const char c : text) {
    little += {c, '\0'};
    big += {'\0', c};
  }
  for (const std::string& bytes : {"\xff\xfe" + little, "\xfe\xff" + big, little, big}) {
    const Result<PolygonMesh> mesh = read_polygons(folder.with("a.ply", bytes));
    ASSERT_FALSE(mesh);
    EXPECT_EQ(mesh.error().problems.front().found, "UTF-16 text");
    EXPECT_EQ(mesh.error().problems.front().hint, "save it as UTF-8");
  }
}

TEST(ReadMesh, finds_no_mesh_in_garbage) {
  TempFolder folder;
  std::mt19937 random(3);
  for (const std::string extension : extensions) {
    std::string bytes;
    for (int i = 0; i < 3000; ++i) bytes += char(random());
    const Result<PolygonMesh> mesh = read_polygons(folder.with("a" + extension, bytes));
    EXPECT_FALSE(mesh) << extension;
  }
}

/// Whatever the bytes, a reader answers with a mesh whose corners exist, or with an error.
void expect_survives_damage(const std::string& good, const std::string& name) {
  TempFolder folder;
  ASSERT_TRUE(read_polygons(folder.with(name, good))) << message(read_polygons(folder / name));
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    std::string bytes = good;
    for (unsigned hits = 1 + random() % 4; hits > 0; --hits) bytes[random() % bytes.size()] = char(random());
    if (round % 3 == 0) bytes.resize(random() % bytes.size());
    const Result<PolygonMesh> mesh = read_polygons(folder.with(name, bytes));
    if (!mesh) {
      EXPECT_FALSE(mesh.error().problems.empty());
      continue;
    }
    for (Index v : mesh->corner) ASSERT_TRUE(v >= 0 && std::size_t(v) < mesh->vertices.size());
    for (Index t : mesh->corner_texcoord) ASSERT_TRUE(t >= -1 && t < Index(mesh->texcoords.size()));
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
  expect_survives_damage("STOFF 3 1\n0 0 0 1 0\n1 0 0 0 0\n0 1 0 0 1\n3 0 1 2 1 0 0\n", "t.off");
  expect_survives_damage(
      "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
      "endsolid\n",
      "t.stl");
  expect_survives_damage(std::string(80, ' ') + packed(1, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f,
                                                       1.f, 0.f, std::int16_t(0)),
                         "binary.stl");
  expect_survives_damage(
      glb_of(R"({"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"scale":[1,2,3]}],"meshes":[{"primitives":[)"
             R"({"attributes":{"POSITION":0},"indices":1}]}],"accessors":[)"
             R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},)"
             R"({"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],)"
             R"("bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],)"
             R"("buffers":[{"byteLength":42}]})",
             packed(0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, std::int16_t(0), std::int16_t(1),
                    std::int16_t(2))),
      "t.glb");
}

TEST(ReadMesh, reads_the_whole_collection_of_real_meshes) {
  const std::filesystem::path folder = std::filesystem::path(source_folder()) / "models/meshes";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "needs the models: run `make models`";
  int meshes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++meshes;
    const Result<PolygonMesh> mesh = read_polygons(entry.path());
    if (entry.path().filename() == "b9.ply") {
      EXPECT_MESSAGE(mesh,
                     "no faces (22300 points). A soft body needs a surface, or points with normals (PLY: nx, "
                     "ny, nz; OBJ: vn and p).");
      continue;
    }
    EXPECT_TRUE(mesh) << message(mesh);
  }
  EXPECT_EQ(meshes, 143);
}

}  // namespace read_mesh_test
}  // namespace pliant
