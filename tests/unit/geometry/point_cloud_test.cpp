// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/point_cloud.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "pliant/geometry/point_shape.hpp"
#include "pliant/io/ply.hpp"

namespace pliant {
namespace point_cloud_test {

PolygonMesh sphere(int count) {
  PolygonMesh cloud;
  for (int i = 0; i < count; ++i) {
    const double y = 1 - 2 * (i + 0.5) / count, r = std::sqrt(1 - y * y),
                 turn = i * std::numbers::pi * (3 - std::sqrt(5.0));
    cloud.normals.emplace_back(r * std::cos(turn), y, r * std::sin(turn));
    cloud.vertices.push_back(0.5 * cloud.normals.back());
  }
  return cloud;
}

PolygonMesh box(int across) {
  PolygonMesh cloud;
  for (int side = 0; side < 6; ++side)
    for (int i = 0; i < across; ++i)
      for (int j = 0; j < across; ++j) {
        const int axis = side / 2, high = side % 2;
        Vec3 p, n = Vec3::Zero();
        p[axis] = high, p[(axis + 1) % 3] = (i + 0.5) / across, p[(axis + 2) % 3] = (j + 0.5) / across;
        n[axis] = 2 * high - 1;
        cloud.vertices.push_back(p), cloud.normals.push_back(n);
      }
  return cloud;
}

CloudFacts facts_of(const PolygonMesh& cloud) {
  Pool pool(1);
  const TriMesh discs = cloud_discs(cloud.vertices, cloud.normals, pool);
  return cloud_facts(cloud.vertices, cloud.normals, discs, TriangleTree(discs.vertices, discs.triangles),
                     pool);
}

TEST(PointCloud, EnclosesTheVolumeOfASphereWithinOnePercent) {
  const double volume = std::numbers::pi / 6;
  EXPECT_NEAR(facts_of(sphere(2000)).volume, volume, 0.01 * volume);
}

TEST(PointCloud, EnclosesTheVolumeOfABoxExactlyThoughNoPointLiesOnItsEdges) {
  EXPECT_NEAR(facts_of(box(12)).volume, 1, 1e-9);
  EXPECT_NEAR(facts_of(box(12)).area, 6, 1e-9);
}

TEST(PointCloud, BecomesNodesInsideThatWeighWhatTheSolidDoes) {
  Pool pool(1);
  const Result<MeshShape> made = make_point_shape(sphere(2000), {.nodes = 400}, pool);
  ASSERT_TRUE(made) << made.error().text();
  const auto& volumes = made->shape.graph.volumes;
  EXPECT_NEAR(std::accumulate(volumes.begin(), volumes.end(), 0.0), std::numbers::pi / 6, 0.01);
  for (const Vec3& x : made->shape.graph.positions) EXPECT_LT(x.norm(), 0.51);
  EXPECT_EQ(made->report.parts, 1);
}

TEST(PointCloud, WithInwardNormalsIsRefused) {
  PolygonMesh cloud = sphere(500);
  for (Vec3& n : cloud.normals) n = -n;
  Pool pool(1);
  const Result<MeshShape> made = make_point_shape(cloud, {.nodes = 100}, pool);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().text().find("normals that point inward"), std::string::npos) << made.error().text();
}

TEST(PointCloud, OfAShallowCapIsRefused) {
  PolygonMesh cloud = sphere(1000);
  cloud.vertices.resize(100), cloud.normals.resize(100);
  Pool pool(1);
  EXPECT_FALSE(make_point_shape(cloud, {.nodes = 100}, pool));
}

TEST(PointCloud, OfMostOfASphereIsToldAsOpen) {
  PolygonMesh cloud = sphere(1000);
  EXPECT_EQ(open_text(facts_of(cloud)), "");
  cloud.vertices.resize(850), cloud.normals.resize(850);
  EXPECT_NE(open_text(facts_of(cloud)).find("leave an opening of"), std::string::npos);
  Pool pool(1);
  const Result<MeshShape> made = make_point_shape(cloud, {.nodes = 100}, pool);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->report.warnings.size(), 1u);
}

/// Round, of diameter 1, along y; its lids are closed or open.
PolygonMesh pipe(double length, bool lids) {
  PolygonMesh cloud;
  const int around = 24;
  const double step = std::numbers::pi / around;
  const int rows = int(length / step);
  for (int k = 0; k <= rows; ++k)
    for (int i = 0; i < around; ++i) {
      const double turn = 2 * std::numbers::pi * (i + 0.5 * (k % 2)) / around;
      cloud.normals.emplace_back(std::cos(turn), 0, std::sin(turn));
      cloud.vertices.emplace_back(0.5 * std::cos(turn), length * k / rows, 0.5 * std::sin(turn));
    }
  for (int lid = 0; lids && lid < 2; ++lid)
    for (double r = 0.5 - step / 2; r > 0; r -= step) {
      const int count = std::max(1, int(2 * std::numbers::pi * r / step));
      for (int i = 0; i < count; ++i) {
        const double turn = 2 * std::numbers::pi * i / count;
        cloud.normals.emplace_back(0, 2 * lid - 1, 0);
        cloud.vertices.emplace_back(r * std::cos(turn), lid * length, r * std::sin(turn));
      }
    }
  return cloud;
}

TEST(PointCloud, OfAPipeOpenAtBothEndsHasTheOpeningOfTwoLids) {
  for (const double length : {1.0, 4.0, 8.0}) {
    SCOPED_TRACE(length);
    const CloudFacts facts = facts_of(pipe(length, false));
    EXPECT_NEAR(facts.opening, std::numbers::pi / 2, 0.1);
    EXPECT_NE(open_text(facts), "");
    EXPECT_EQ(open_text(facts_of(pipe(length, true))), "");
  }
}

TEST(PointCloud, WithEdgesHasNoOpening) {
  EXPECT_LT(facts_of(box(12)).opening, 1e-9);
  EXPECT_LT(facts_of(box(4)).opening, 1e-9);
}

TEST(PointCloud, OfRoughNormalsIsNotToldToHaveAnOpening) {
  CloudFacts facts = facts_of(sphere(400));
  facts.defect = 0.15;
  EXPECT_EQ(open_text(facts).find("opening"), std::string::npos);
  EXPECT_NE(open_text(facts).find("defect 0.15"), std::string::npos);
}

TEST(PointCloud, OfFewPointsOrInOnePlaceIsRefused) {
  const auto why = [](const PolygonMesh& cloud) {
    Pool pool(1);
    const CloudSolid solid = cloud_solid(cloud.vertices, cloud.normals, pool);
    EXPECT_FALSE(make_point_shape(cloud, {.nodes = 100}, pool));
    return solid.wrong ? reason(*solid.wrong) : "";
  };
  EXPECT_EQ(why(sphere(19)), "19 points, expected at least 20");
  EXPECT_EQ(why(sphere(1)), "1 points, expected at least 20");
  PolygonMesh same = sphere(30);
  same.vertices.assign(30, Vec3(1, 2, 3));
  EXPECT_EQ(why(same), "points in one place, expected points of a surface");
}

TEST(PointCloud, CanBePointedAtFromEverywhere) {
  const PolygonMesh cloud = sphere(400);
  const TriMesh faces{cloud.vertices, cloud_triangles(cloud.vertices, cloud.normals)};
  for (const Triangle& t : faces.triangles) {
    const Vec3 a = faces.vertices[std::size_t(t[0])], b = faces.vertices[std::size_t(t[1])],
               c = faces.vertices[std::size_t(t[2])];
    EXPECT_GT((b - a).cross(c - a).dot(a), 0);
  }
  for (const Vec3& n : sphere(997).normals) {
    const auto meets = [&](const Triangle& t) {
      const Vec3 a = faces.vertices[std::size_t(t[0])], b = faces.vertices[std::size_t(t[1])],
                 c = faces.vertices[std::size_t(t[2])];
      return n.dot(a.cross(b)) >= 0 && n.dot(b.cross(c)) >= 0 && n.dot(c.cross(a)) >= 0;
    };
    EXPECT_TRUE(std::any_of(faces.triangles.begin(), faces.triangles.end(), meets)) << n.transpose();
  }
}

TEST(PointCloud, KeepsItsNormalsThroughATurnAndAStretch) {
  const PolygonMesh cloud = sphere(1000);
  Mat3 f;
  f << 0, -2, 0, 1, 0, 0, 0, 0, 1;  // a stretch of y by 2, then a quarter turn about z
  Points x;
  for (const Vec3& p : cloud.vertices) x.push_back(f * p);
  const Points moved = MovedNormals(cloud.vertices, cloud.normals).at(x);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 expected = (f.inverse().transpose() * cloud.normals[i]).normalized();
    EXPECT_GT(moved[i].dot(expected), 0.99);
  }
}

TEST(PointCloud, OfAPlyFileNamesTheNormalThatIsNone) {
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\nend_header\n";
  EXPECT_TRUE(parse_ply(head + "0 0 0 0 2 0\n", "a.ply"));
  const auto zero = parse_ply(head + "0 0 0 0 0 0\n", "a.ply");
  ASSERT_FALSE(zero);
  EXPECT_NE(zero.error().text().find("vertex 0: found a normal of length 0"), std::string::npos)
      << zero.error().text();
  EXPECT_FALSE(parse_ply(head + "0 0 0 nan 0 1\n", "a.ply"));
}

}  // namespace point_cloud_test
}  // namespace pliant
