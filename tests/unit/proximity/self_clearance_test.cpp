// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/self_clearance.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/sheet_meshes.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace self_clearance_test {

constexpr double reach = 0.1;

/// Least distance of all pairs within the surface, up to `reach`.
double measured(MovingSurface& surface, const Points& x) {
  surface.refit(x, x, 0.5 * reach);
  PairCandidates within;
  PairSearch().find_within(surface, within);
  return least_self_distance(surface, x, within, reach);
}

TriMesh two_sheets() {
  const SheetMesh kind = {.width = 0.5, .length = 0.5, .across = 8, .along = 8};
  TriMesh mesh = sheet_mesh(kind), upper = sheet_mesh(kind);
  for (Vec3& x : upper.vertices) x.y() += 0.03;
  append(mesh, upper);
  return mesh;
}

/// Sheets 0.03 m apart; pairs within one are 0.044 m apart or more.
struct TwoSheets {
  TriMesh mesh = two_sheets();
  MovingSurface surface{mesh.vertices, mesh.triangles};
};

Points turned(const Points& x, double angle, const Vec3& shift, double shake, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> move(-shake, shake);
  const Mat3 r = Eigen::AngleAxisd(angle, Vec3(1, 2, -2) / 3).toRotationMatrix();
  Points out;
  for (const Vec3& p : x) out.push_back(r * p + shift + Vec3(move(random), move(random), move(random)));
  return out;
}

TEST(SelfClearance, least_distance_is_that_of_the_nearest_pair) {
  TwoSheets h;
  EXPECT_NEAR(measured(h.surface, h.mesh.vertices), 0.03, 1e-12);
  h.mesh.vertices[20].y() += 0.01;
  EXPECT_NEAR(measured(h.surface, h.mesh.vertices), 0.02, 1e-12);
}

TEST(SelfClearance, is_never_more_than_the_distance_on_the_way) {
  TwoSheets h;
  SelfClearance clearance;
  EXPECT_EQ(clearance.bound(h.mesh.vertices, h.mesh.vertices), 0);
  clearance.remember(h.mesh.vertices, measured(h.surface, h.mesh.vertices));
  for (unsigned seed = 0; seed < 8; ++seed) {
    const double shake = 2e-3 * (seed % 4), angle = 0.2 * seed;
    const Points begin = turned(h.mesh.vertices, 3 * angle, {5, 0, 1}, seed < 4 ? 0 : shake, seed);
    const Points end = turned(h.mesh.vertices, 4 * angle, {4, 2, 1}, seed < 6 ? shake : 0, seed + 100);
    const double bound = clearance.bound(begin, end);
    for (const double t : {0.0, 0.3, 0.5, 1.0}) {
      Points x;
      for (std::size_t i = 0; i < begin.size(); ++i) x.push_back((1 - t) * begin[i] + t * end[i]);
      EXPECT_LE(bound, measured(h.surface, x) + 1e-12) << seed << " " << t;
    }
  }
}

TEST(SelfClearance, of_a_rigid_way_loses_only_what_the_turn_takes) {
  TwoSheets h;
  SelfClearance clearance;
  clearance.remember(h.mesh.vertices, 0.03);
  const Points begin = turned(h.mesh.vertices, 2.5, {5, 0, 1}, 0, 1);
  EXPECT_NEAR(clearance.bound(begin, begin), 0.03, 1e-12);
  EXPECT_NEAR(clearance.bound(begin, turned(h.mesh.vertices, 3.5, {9, 0, 1}, 0, 1)), 0.03 * std::cos(0.5),
              1e-12);
  clearance.forget();
  EXPECT_EQ(clearance.bound(begin, begin), 0);
}

}  // namespace self_clearance_test
}  // namespace pliant
