// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/bumpy_bar.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {

PolygonMesh bumpy_bar_surface(const BumpyBar& bar) {
  const int around = bar.resolution[0], along = bar.resolution[1];
  // Rings on the ends about as far apart as the vertices around.
  const int rings = std::max(1, int(std::lround(around / (2 * std::numbers::pi))) / 2);
  const auto rim = [&](int i, double z) {
    const double t = 2 * std::numbers::pi * i / around;
    const double r = bar.radius + bar.bump * std::cos(bar.waves[0] * t) *
                                      std::cos(2 * std::numbers::pi * bar.waves[1] * z / bar.length);
    return Vec3(r * std::cos(t), r * std::sin(t), z);
  };
  PolygonMesh mesh;
  const auto face = [&](std::initializer_list<Index> corners) {
    mesh.corner.insert(mesh.corner.end(), corners.begin(), corners.end());
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  };
  // Rings of vertices from the middle of one end over the side to the middle of the other.
  struct Ring {
    double share, z;
  };
  std::vector<Ring> all;
  const double half = 0.5 * bar.length;
  for (int k = 1; k < rings; ++k) all.push_back({double(k) / rings, -half});
  for (int k = 0; k <= along; ++k) all.push_back({1, bar.length * k / along - half});
  for (int k = rings - 1; k > 0; --k) all.push_back({double(k) / rings, half});
  mesh.vertices.push_back(bar.center + Vec3(0, 0, -half));
  for (const Ring& ring : all)
    for (int i = 0; i < around; ++i) {
      Vec3 p = rim(i, ring.z);
      p.head<2>() *= ring.share;
      mesh.vertices.push_back(bar.center + p);
    }
  mesh.vertices.push_back(bar.center + Vec3(0, 0, half));
  const auto at = [&](int ring, int i) { return Index(1 + ring * around + i % around); };
  const Index last = Index(mesh.vertices.size()) - 1;
  const int end = int(all.size()) - 1;
  for (int i = 0; i < around; ++i) {
    face({0, at(0, i + 1), at(0, i)});
    for (int k = 0; k < end; ++k) face({at(k, i), at(k, i + 1), at(k + 1, i + 1), at(k + 1, i)});
    face({last, at(end, i), at(end, i + 1)});
  }
  return mesh;
}

}  // namespace pliant
