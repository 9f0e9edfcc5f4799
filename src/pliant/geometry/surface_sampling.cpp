// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/surface_sampling.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

Vec3 RandomNumbers::direction() {
  const double z = 2 * unit() - 1, angle = 2 * 3.14159265358979323846 * unit();
  const double r = std::sqrt(std::max(0.0, 1 - z * z));
  return {r * std::cos(angle), r * std::sin(angle), z};
}

namespace {

Vec3 area_vector(const TriMesh& mesh, Index t) {
  const Triangle& v = mesh.triangles[t];
  const Vec3& a = mesh.vertices[v[0]];
  return 0.5 * (mesh.vertices[v[1]] - a).cross(mesh.vertices[v[2]] - a);
}

SurfaceSample point_on(const TriMesh& mesh, Index t, RandomNumbers& random) {
  const Triangle& v = mesh.triangles[t];
  const double root = std::sqrt(random.unit()), u = random.unit();
  const Vec3 &a = mesh.vertices[v[0]], &b = mesh.vertices[v[1]], &c = mesh.vertices[v[2]];
  return {a + root * (1 - u) * (b - a) + root * u * (c - a), area_vector(mesh, t).normalized(), t};
}

}  // namespace

std::vector<SurfaceSample> sample_surface(const TriMesh& mesh, std::span<const Index> triangles, int count,
                                          RandomNumbers& random) {
  std::vector<double> upto;
  upto.reserve(triangles.size());
  double area = 0;
  for (const Index t : triangles) upto.push_back(area += area_vector(mesh, t).norm());
  std::vector<SurfaceSample> points;
  if (!(area > 0)) return points;
  points.reserve(count);
  for (int i = 0; i < count; ++i) {
    const double at = area * (i + random.unit()) / count;
    // The first triangle that reaches beyond: one with area.
    const auto found = std::upper_bound(upto.begin(), upto.end(), std::min(at, std::nexttoward(area, 0)));
    points.push_back(point_on(mesh, triangles[found - upto.begin()], random));
  }
  return points;
}

}  // namespace pliant
