// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/sight.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "pliant/geometry/repair.hpp"
#include "tests/support/mesh_samples.hpp"

namespace pliant {
namespace sight_test {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

TriMesh surface_of(const PolygonMesh& mesh) { return std::move(repair(mesh)->mesh); }

TEST(Sight, the_winding_number_counted_along_a_line_is_the_exact_one) {
  // A block through another: 0 outside, 1 in one of them, 2 in both.
  PolygonMesh mesh = samples::box({0, 0, 0}, {1, 1, 1});
  const PolygonMesh other = samples::box({0.4, 0.3, -0.5}, {0.7, 0.8, 1.5});
  const Index first = Index(mesh.vertices.size());
  for (const Vec3& p : other.vertices) mesh.vertices.push_back(p);
  for (Index f = 0; f < other.faces(); ++f) {
    for (Index c = other.face_begin[f]; c < other.face_begin[f + 1]; ++c)
      mesh.corner.push_back(other.corner[c] + first);
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  }
  const TriMesh surface = surface_of(mesh);
  const TriangleTree tree(surface.vertices, surface.triangles);
  const Sight sight(tree, 0.1, false);
  const Place from{{0.2, 0.4, 0.6}, 1, 0.15};
  Sight::Scratch scratch;
  std::mt19937 random(5);
  std::uniform_real_distribution<double> anywhere(-0.6, 1.6);
  int seen[3] = {};
  for (int k = 0; k < 3000; ++k) {
    const Vec3 x(anywhere(random), anywhere(random), anywhere(random));
    const double exact = tree.winding_exact(x);
    EXPECT_NEAR(sight.winding(x, from, scratch), exact, 1e-6) << x.transpose();
    ++seen[std::lround(exact)];
  }
  for (const int count : seen) EXPECT_GT(count, 20);
}

TEST(Sight, a_place_of_unknown_winding_number_sees_what_it_sees_with_the_number_told) {
  const TriMesh surface = surface_of(samples::box({0, 0, 0}, {1, 1, 1}));
  const TriangleTree tree(surface.vertices, surface.triangles);
  const Sight sight(tree, 0.2, false);
  Sight::Scratch scratch;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(-0.5, 1.5);
  int clear = 0, blocked = 0;
  const Place inside{{0.5, 0.5, 0.5}, 1, 0.1};
  for (int k = 0; k < 500; ++k) {
    const Vec3 x(anywhere(random), anywhere(random), anywhere(random));
    Sight::Scratch fresh;
    const bool told = sight.clear({x, tree.winding(x), 0}, inside, fresh);
    EXPECT_EQ(sight.clear({x, unknown, 0}, inside, scratch), told);
    EXPECT_EQ(sight.winding(Place{x, unknown, 0}, scratch), tree.winding(x));
    ++(told ? clear : blocked);
  }
  EXPECT_GT(clear, 50);
  EXPECT_GT(blocked, 50);
}

}  // namespace sight_test
}  // namespace pliant
