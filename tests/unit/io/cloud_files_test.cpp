// SPDX-License-Identifier: Apache-2.0
// A cloud of points in, moved, out: points with normals again.
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/io/frame_writer.hpp"
#include "pliant/io/point_cache.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/io/write_mesh.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace cloud_files_test {

PolygonMesh ball(int count) {
  PolygonMesh cloud;
  for (int i = 0; i < count; ++i) {
    const double y = 1 - 2 * (i + 0.5) / count, r = std::sqrt(1 - y * y), turn = 2.4 * i;
    cloud.normals.emplace_back(r * std::cos(turn), y, r * std::sin(turn));
    cloud.vertices.push_back(cloud.normals.back().cast<float>().cast<double>());
  }
  return cloud;
}

/// The cloud after a quarter turn about z.
struct Turned {
  PolygonMesh cloud = ball(100);
  SurfaceInfo surface{"ball", {}, cloud.vertices, cloud};
  Points x, normals;

  Turned() {
    const auto turn = [](const Vec3& p) { return Vec3(-p.y(), p.x(), p.z()); };
    for (const Vec3& p : cloud.vertices) x.push_back(turn(p));
    for (const Vec3& n : cloud.normals) normals.push_back(turn(n));
  }

  void expect_in(const std::filesystem::path& file) const {
    const Result<PolygonMesh> found = read_polygons(file);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_TRUE(is_cloud(*found)) << file;
    ASSERT_EQ(found->vertices.size(), x.size()) << file;
    ASSERT_EQ(found->normals.size(), normals.size()) << file;
    // Text has the shortest decimals of a float; normals are of planes through neighbours that lie 0.35 rad apart.
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_LT((found->vertices[i] - x[i]).norm(), 1e-7) << file << " " << i;
      ASSERT_GT(found->normals[i].dot(normals[i]), 0.9) << file << " " << i;
    }
  }
};

TEST(CloudFiles, FramesReadBackAsTheMovedPointsWithTheirMovedNormals) {
  const Turned turned;
  const TempFolder folder;
  auto writer = make_frame_writer({"obj", "ply", "vtu", "pc2", "mdd"}, folder.path(), {turned.surface}, {});
  ASSERT_TRUE(writer) << writer.error().text();
  const std::span<const Vec3> spans[] = {turned.x};
  ASSERT_FALSE((*writer)->write(0, 0, spans));
  ASSERT_FALSE((*writer)->finish());
  turned.expect_in(folder / "ball_0000.obj");
  turned.expect_in(folder / "ball_0000.ply");
  EXPECT_EQ(read_pc2(folder / "ball.pc2")->points(0), turned.x);
  EXPECT_EQ(read_mdd(folder / "ball.mdd")->points(0), turned.x);
  const std::string vtu = bytes_of_file(folder / "ball_0000.vtu");
  EXPECT_NE(vtu.find(R"(NumberOfPoints="100" NumberOfCells="100")"), std::string::npos) << vtu.substr(0, 400);
}

/// What the normals need is made once: that takes some allocations a point.
TEST(CloudFiles, ALaterFrameAllocatesLessOftenThanItHasPoints) {
  const Turned turned;
  const TempFolder folder;
  auto writer = make_frame_writer({"obj", "ply"}, folder.path(), {turned.surface}, {});
  ASSERT_TRUE(writer) << writer.error().text();
  const std::span<const Vec3> spans[] = {turned.x};
  const std::size_t before = allocations();
  ASSERT_FALSE((*writer)->write(0, 0, spans));
  EXPECT_LT(allocations() - before, turned.x.size());
}

TEST(CloudFiles, OneShapeReadsBackTheSame) {
  const Turned turned;
  const TempFolder folder;
  for (const char* name : {"a.obj", "a.PLY"}) {
    ASSERT_FALSE(write_mesh(folder / name, turned.surface, turned.x));
    turned.expect_in(folder / name);
  }
  EXPECT_FALSE(write_mesh(folder / "a.vtu", turned.surface, turned.x));
}

TEST(CloudFiles, FormatsOfTrianglesAreRefused) {
  const Turned turned;
  const TempFolder folder;
  for (const char* format : {"glb", "usda"}) {
    const auto writer = make_frame_writer({format}, folder.path(), {turned.surface}, {});
    ASSERT_FALSE(writer) << format;
    EXPECT_NE(writer.error().text().find("a cloud of points"), std::string::npos) << writer.error().text();
  }
  for (const char* name : {"a.glb", "a.usda", "a.stl"}) {
    const auto error = write_mesh(folder / name, turned.surface, turned.x);
    ASSERT_TRUE(error) << name;
    EXPECT_NE(error->text().find("a cloud of points"), std::string::npos) << error->text();
  }
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace cloud_files_test
}  // namespace pliant
