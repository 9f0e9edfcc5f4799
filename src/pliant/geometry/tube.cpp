// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/tube.hpp"

#include <cmath>
#include <numbers>

namespace pliant {
namespace {

constexpr Index around = 12,
                rings = 4;  // vertices of a ring; rings of half a ball, pole and equator included

}  // namespace

void add_tube(const Vec3& a, const Vec3& b, const Vec3& axis, double radius, TriMesh& out) {
  Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Vec3 side = axis.cross(Vec3::Unit(least)).normalized(), other = axis.cross(side);
  const Index first = Index(out.vertices.size());
  for (Index ring = 0; ring < 2 * rings; ++ring) {
    const bool start = ring < rings;
    const double up = (start ? ring - (rings - 1) : ring - rings) * std::numbers::pi / 2 / (rings - 1);
    for (Index k = 0; k < around; ++k) {
      const double turn = 2 * std::numbers::pi * k / around;
      out.vertices.push_back(
          (start ? a : b) +
          radius * (std::sin(up) * axis + std::cos(up) * (std::cos(turn) * side + std::sin(turn) * other)));
    }
  }
  for (Index ring = 0; ring + 1 < 2 * rings; ++ring)
    for (Index k = 0; k < around; ++k) {
      const Index p = first + ring * around + k, q = first + ring * around + (k + 1) % around;
      out.triangles.push_back({p, q, q + around});
      out.triangles.push_back({p, q + around, p + around});
    }
}

}  // namespace pliant
