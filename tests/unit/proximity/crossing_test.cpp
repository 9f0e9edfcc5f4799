// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/crossing.hpp"

#include <gtest/gtest.h>

#include <random>

#include "pliant/proximity/orientation.hpp"
#include "pliant/proximity/pair_distance.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/sheet_meshes.hpp"
#include "tests/support/test_surfaces.hpp"

namespace pliant {
namespace crossing_test {

__extension__ using Wide = __int128;  // whole numbers of 127 bits

Wide determinant(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  Wide u[3], v[3], w[3];
  for (int i = 0; i < 3; ++i)
    u[i] = Wide(b[i]) - Wide(a[i]), v[i] = Wide(c[i]) - Wide(a[i]), w[i] = Wide(d[i]) - Wide(a[i]);
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
         u[2] * (v[0] * w[1] - v[1] * w[0]);
}
int sign(Wide value) { return (value > 0) - (value < 0); }

// Points of large whole coordinates that lie in one plane, or off it by one unit: signs of 2^-120 of the terms.
TEST(Orientation, has_the_sign_that_whole_numbers_have) {
  std::mt19937_64 random(1);
  const auto whole = [&](int bits) {
    return double(std::int64_t(random() >> (64 - bits)) - (1ll << (bits - 1)));
  };
  int zeros = 0, signs = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vec3 a(whole(37), whole(37), whole(37)), u(whole(18), whole(18), whole(18)),
        v(whole(18), whole(18), whole(18));
    const auto in_plane = [&] { return Vec3(a + whole(18) * u + whole(18) * v); };
    Vec3 b = in_plane(), c = in_plane(), d = in_plane();
    if (i % 3 != 0) d[i % 3] += i % 2 ? 1 : -1;
    const int expected = sign(determinant(a, b, c, d));
    ASSERT_EQ(orientation_sign(a, b, c, d), expected) << i;
    ASSERT_EQ(orientation_sign(b, a, c, d), -expected) << i;
    ASSERT_EQ(orientation_sign(0x1p-90 * a, 0x1p-90 * b, 0x1p-90 * c, 0x1p-90 * d), expected) << i;
    (expected == 0 ? zeros : signs)++;
    const Vec3 p = a + whole(18) * u, q = a + whole(18) * u;
    for (int axis = 0; axis < 3; ++axis) ASSERT_EQ(area_sign(a, p, q, axis), 0) << i;
    ASSERT_EQ(area_sign(a, p, q + Vec3::UnitX(), 2), sign(Wide(-(p.y() - a.y()))));
  }
  EXPECT_GT(zeros, 5000);
  EXPECT_GT(signs, 5000);
}

/// Differences that are no doubles: rounding them gives a zero or the wrong sign.
TEST(Orientation, rounds_no_difference) {
  const double tiny = 0x1p-80;
  EXPECT_EQ(orientation_sign({1, 0, 0}, {tiny, 1, 0}, {0, 0, 1}, {-1, 1, 1}), -1);
  EXPECT_EQ(orientation_sign({1, 0, 0}, {-tiny, 1, 0}, {0, 0, 1}, {-1, 1, 1}), 1);
  EXPECT_EQ(orientation_sign({1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 1, 1}), 0);
  EXPECT_EQ(area_sign({1, 1, 0}, {2, 2, 0}, {tiny, 0, 0}, 2), -1);
  EXPECT_EQ(area_sign({1, 1, 0}, {2, 2, 0}, {0, tiny, 0}, 2), 1);
  EXPECT_EQ(area_sign({1, 1, 0}, {2, 2, 0}, {tiny, tiny, 0}, 2), 0);
}

TEST(Crossing, tells_through_from_touch_and_apart) {
  const Vec3 a(0, 0, 0), b(4, 0, 0), c(0, 4, 0);
  const auto meeting = [&](const Vec3& p, const Vec3& q) { return edge_meets_triangle(p, q, a, b, c); };
  EXPECT_EQ(meeting({1, 1, -1}, {1, 1, 1}), Meeting::through);
  EXPECT_EQ(meeting({1, 1, 1}, {1, 1, 2}), Meeting::apart);
  EXPECT_EQ(meeting({5, 5, -1}, {5, 5, 1}), Meeting::apart);
  EXPECT_EQ(meeting({1, 1, 0}, {1, 1, 2}), Meeting::touch);                        // an end in it
  EXPECT_EQ(meeting({4, 0, 0}, {9, 0, 2}), Meeting::touch);                        // an end at its corner
  EXPECT_EQ(meeting({9, 0, 0}, {9, 0, 2}), Meeting::apart);                        // an end in its plane
  EXPECT_EQ(meeting({2, 2, -1}, {2, 2, 1}), Meeting::touch);                       // through its border
  EXPECT_EQ(meeting({0, 0, -1}, {0, 0, 1}), Meeting::touch);                       // through its corner
  EXPECT_EQ(meeting({1, 1, 0}, {2, 1, 0}), Meeting::touch);                        // in it
  EXPECT_EQ(meeting({-1, 1, 0}, {9, 1, 0}), Meeting::touch);                       // across it, in its plane
  EXPECT_EQ(meeting({-1, 0, 0}, {-9, 0, 0}), Meeting::apart);                      // on the line of its side
  EXPECT_EQ(meeting({5, 0, 0}, {0, 5, 0}), Meeting::apart);                        // beside it, in its plane
  EXPECT_EQ(meeting({1, 1, 0}, {1, 1, 0}), Meeting::touch);                        // a point
  EXPECT_EQ(edge_meets_triangle({1, -1, 0}, {1, 1, 0}, a, b, b), Meeting::touch);  // it is an edge
  EXPECT_EQ(edge_meets_triangle({1, -1, 1}, {1, 1, 1}, a, b, b), Meeting::apart);
  EXPECT_EQ(edge_meets_triangle({1, 0, 0}, {6, 0, 0}, a, b, 0.5 * b), Meeting::touch);
  EXPECT_EQ(edge_meets_triangle(a, b, a, a, a), Meeting::touch);  // it is a point
}

/// Distance of an edge and the border and ends of both: 0 when they touch.
double border_distance(const Vec3& p, const Vec3& q, const std::array<Vec3, 3>& t) {
  double least = std::min(vertex_triangle_closest({p, t[0], t[1], t[2]}).distance,
                          vertex_triangle_closest({q, t[0], t[1], t[2]}).distance);
  for (int k = 0; k < 3; ++k)
    least = std::min(least, edge_edge_closest({p, q, t[k], t[(k + 1) % 3]}).distance);
  return least;
}

// On a small lattice distances are 0 or above 1/100.
TEST(Crossing, agrees_with_distances_on_a_lattice_where_nearly_everything_is_degenerate) {
  std::mt19937 random(2);
  const auto place = [&] { return Vec3(int(random() % 4), int(random() % 4), int(random() % 4)); };
  int count[3] = {0, 0, 0};
  for (int i = 0; i < 20000; ++i) {
    const Vec3 p = place(), q = place();
    const std::array<Vec3, 3> t = {place(), place(), place()};
    const Meeting found = edge_meets_triangle(p, q, t[0], t[1], t[2]);
    ++count[int(found)];
    ASSERT_EQ(found == Meeting::touch, border_distance(p, q, t) < 1e-9) << i;
    ASSERT_EQ(found, edge_meets_triangle(q, p, t[1], t[0], t[2])) << i;
    ASSERT_EQ(found, edge_meets_triangle(p, q, t[1], t[2], t[0])) << i;
    if (found == Meeting::touch) continue;
    Mat3 system;
    system << t[1] - t[0], t[2] - t[0], p - q;
    const bool pierces = std::abs(system.determinant()) > 0.5 && [&] {
      const Vec3 at = system.inverse() * (p - t[0]);
      return at.minCoeff() > 0 && at.x() + at.y() < 1 && at.z() < 1;
    }();
    ASSERT_EQ(found == Meeting::through, pierces) << i;
  }
  for (const int n : count) EXPECT_GT(n, 100);
}

struct Placed {
  TriMesh mesh;
  MovingSurface surface;
  explicit Placed(TriMesh m) : mesh(std::move(m)), surface(mesh.vertices, mesh.triangles) {}
};

std::vector<EdgeCrossing> brute_force(const Placed& edges, const Placed& triangles, bool second, bool same) {
  std::vector<EdgeCrossing> out;
  for (Index e = 0; e < Index(edges.surface.edges().size()); ++e)
    for (Index t = 0; t < Index(triangles.mesh.triangles.size()); ++t) {
      const SurfaceEdge& edge = edges.surface.edges()[e];
      const Triangle& c = triangles.mesh.triangles[t];
      if (same && (has_vertex(c, edge[0]) || has_vertex(c, edge[1]))) continue;
      const Points &x = edges.mesh.vertices, &y = triangles.mesh.vertices;
      const Meeting m = edge_meets_triangle(x[edge[0]], x[edge[1]], y[c[0]], y[c[1]], y[c[2]]);
      if (m != Meeting::apart) out.push_back({second, e, t, m});
    }
  return out;
}

TEST(Crossing, of_two_surfaces_is_found_as_by_brute_force) {
  const Placed first(sphere_surface(8)), second(sphere_surface(7, 0.8, {1.1, 0.2, 0.1}));
  std::vector<EdgeCrossing> found, expected = brute_force(first, second, false, false);
  const std::vector<EdgeCrossing> back = brute_force(second, first, true, false);
  expected.insert(expected.end(), back.begin(), back.end());
  CrossingSearch search;
  search.find(first.surface, first.mesh.vertices, second.surface, second.mesh.vertices, found);
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 20u);
  const std::size_t before = allocations();
  search.find(first.surface, first.mesh.vertices, second.surface, second.mesh.vertices, found);
  EXPECT_EQ(allocations(), before);

  const Placed away(sphere_surface(7, 0.8, {2.1, 0.2, 0.1}));
  search.find(first.surface, first.mesh.vertices, away.surface, away.mesh.vertices, found);
  EXPECT_TRUE(found.empty());
}

TEST(Crossing, within_a_surface_is_found_and_neighbours_are_none) {
  std::vector<EdgeCrossing> found;
  CrossingSearch search;
  const Placed flat(sheet_mesh({.width = 1, .length = 1, .across = 4, .along = 8, .jitter = 0.2}));
  search.find_within(flat.surface, flat.mesh.vertices, found);
  EXPECT_TRUE(found.empty());
  TriMesh folded = flat.mesh;
  for (Vec3& x : folded.vertices)
    if (x.z() > 0.5) x = Vec3(x.x(), 1.1 * (x.z() - 0.75) + 0.3 * (x.x() - 0.5), 1 - x.z());
  const Placed crossing(folded);
  search.find_within(crossing.surface, crossing.mesh.vertices, found);
  EXPECT_EQ(found, brute_force(crossing, crossing, false, true));
  EXPECT_GT(found.size(), 5u);
}

// Boxes that lie face on face share points and do not cross; one that is moved in does.
TEST(Crossing, tells_face_on_face_as_touch) {
  std::vector<EdgeCrossing> found;
  CrossingSearch search;
  const Placed below(box_surface()), on_it(box_surface({0, 1, 0}, {1, 2, 1})),
      in_it(box_surface({0.25, 0.75, 0.25}, {0.75, 2, 0.75}));
  search.find(below.surface, below.mesh.vertices, on_it.surface, on_it.mesh.vertices, found);
  EXPECT_FALSE(found.empty());
  for (const EdgeCrossing& c : found) EXPECT_EQ(c.meeting, Meeting::touch);
  search.find(below.surface, below.mesh.vertices, in_it.surface, in_it.mesh.vertices, found);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const EdgeCrossing& crossing) { return crossing.meeting == Meeting::through; }));
}

}  // namespace crossing_test
}  // namespace pliant
