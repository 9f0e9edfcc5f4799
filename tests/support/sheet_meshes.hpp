// SPDX-License-Identifier: Apache-2.0
// Triangulated rectangles, regular and irregular, and tubes made of them.
#pragma once

#include <cmath>
#include <random>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

struct SheetMesh {
  double width = 0.2, length = 1;  ///< along x, along z from 0
  int across = 8, along = 40;      ///< cells
  double jitter = 0;               ///< of the spacing; nodes stay on the border and on the first two rows
  unsigned seed = 1;               ///< of jitter; with jitter the diagonals are random, too
};

inline TriMesh sheet_mesh(const SheetMesh& s) {
  std::mt19937 random(s.seed);
  std::uniform_real_distribution<double> move(-s.jitter, s.jitter);
  const double hx = s.width / s.across, hz = s.length / s.along;
  TriMesh mesh;
  for (int k = 0; k <= s.along; ++k)
    for (int i = 0; i <= s.across; ++i) {
      const double x = i > 0 && i < s.across ? i + move(random) : i;
      const double z = k > 1 && k < s.along ? k + move(random) : k;
      mesh.vertices.emplace_back(hx * x, 0, hz * z);
    }
  for (int k = 0; k < s.along; ++k)
    for (int i = 0; i < s.across; ++i) {
      const Index a = Index(k * (s.across + 1) + i), b = a + 1, c = a + s.across + 1, d = c + 1;
      const bool other = s.jitter > 0 && random() % 2 == 0;
      if (other)
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {b, c, d}});
      else
        mesh.triangles.insert(mesh.triangles.end(), {{a, c, d}, {a, d, b}});
    }
  return mesh;
}

/// A tube about z with open ends, its seam closed.
inline TriMesh tube_mesh(double radius, double length, int around, int along, double jitter = 0) {
  SheetMesh s{.width = 2 * std::acos(-1.0) * radius, .length = length, .across = around, .along = along};
  s.jitter = jitter;
  TriMesh flat = sheet_mesh(s), out;
  for (std::size_t v = 0; v < flat.vertices.size(); ++v) {
    if (int(v) % (around + 1) == around) continue;
    const double angle = flat.vertices[v].x() / radius;
    out.vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle), flat.vertices[v].z());
  }
  const auto at = [&](Index v) { return v / (around + 1) * around + v % (around + 1) % around; };
  for (const Triangle& t : flat.triangles) out.triangles.push_back({at(t[0]), at(t[1]), at(t[2])});
  return out;
}

}  // namespace pliant
