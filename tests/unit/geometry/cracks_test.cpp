// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cracks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pliant/geometry/repair.hpp"

namespace pliant {
namespace cracks_test {

/// A sphere of radius 0.5 whose triangles share no vertex; each corner is up to `crack` off, m. At the poles some are
/// slivers.
PolygonMesh cracked_sphere(double crack) {
  std::mt19937 random(5);
  const auto off = [&] { return crack * (double(random()) / 4294967296.0 - 0.5); };
  PolygonMesh mesh;
  const int rings = 12, around = 24;
  const auto at = [&](int i, int j) {
    const double a = 2 * M_PI * (i % around) / around, b = M_PI * j / rings;
    return Vec3(0.5 * std::sin(b) * std::cos(a), 0.5 * std::cos(b), 0.5 * std::sin(b) * std::sin(a));
  };
  const auto face = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    for (const Vec3& p : {a, b, c}) {
      mesh.corner.push_back(Index(mesh.vertices.size()));
      mesh.vertices.push_back(p + Vec3(off(), off(), off()));
    }
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  };
  for (int i = 0; i < around; ++i)
    for (int j = 0; j < rings; ++j) {
      face(at(i, j), at(i + 1, j), at(i + 1, j + 1));
      face(at(i, j), at(i + 1, j + 1), at(i, j + 1));
    }
  return mesh;
}

TEST(Cracks, a_sphere_with_cracks_is_one_closed_part_and_the_report_tells_the_gap) {
  for (const double crack : {1e-5, 1e-4}) {
    const Result<Repaired> repaired = repair(cracked_sphere(crack));
    ASSERT_TRUE(repaired);
    EXPECT_EQ(repaired->report.components, 1) << crack;
    EXPECT_TRUE(repaired->report.closed) << crack;
    EXPECT_GT(repaired->report.crack, 0.5 * crack);
    EXPECT_LT(repaired->report.crack, 10 * crack);
    EXPECT_NE(repaired->report.text().find("closed cracks of up to"), std::string::npos)
        << repaired->report.text();
  }
}

TEST(Cracks, a_closed_mesh_a_hole_and_gaps_as_wide_as_faces_are_left_alone) {
  EXPECT_EQ(repair(cracked_sphere(0))->report.crack, 0);
  PolygonMesh hole = cracked_sphere(0);
  hole.corner.resize(hole.corner.size() - 30);
  hole.face_begin.resize(hole.face_begin.size() - 10);
  const Result<Repaired> with_hole = repair(hole);
  EXPECT_EQ(with_hole->report.crack, 0);
  EXPECT_GT(with_hole->report.border_edges, 0);
  EXPECT_EQ(repair(cracked_sphere(0.05))->report.crack, 0);
}

/// Two sheets that lie on each other, facing the same way, are two sheets.
TEST(Cracks, sheets_on_each_other_are_not_joined) {
  PolygonMesh mesh;
  for (const double height : {0.0, 1e-5}) {
    const Index first = Index(mesh.vertices.size());
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 5; ++j) mesh.vertices.push_back(Vec3(0.25 * i, height, 0.25 * j));
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        const Index a = first + 5 * i + j;
        for (const Index v : {a, a + 1, a + 6, a + 5}) mesh.corner.push_back(v);
        mesh.face_begin.push_back(Index(mesh.corner.size()));
      }
  }
  const Result<Repaired> repaired = repair(mesh);
  ASSERT_TRUE(repaired);
  EXPECT_EQ(repaired->report.crack, 0);
  EXPECT_EQ(repaired->report.components, 2);
}

}  // namespace cracks_test
}  // namespace pliant
