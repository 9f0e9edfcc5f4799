// SPDX-License-Identifier: Apache-2.0
// Random points on a surface from a seeded generator of our own: the same on every machine.
#pragma once

#include <span>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// SplitMix64 [Steele14].
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  double unit() { return double(bits() >> 11) * 0x1p-53; }  ///< 0 <= u < 1
  Vec3 direction();                                         ///< uniform on the sphere

 private:
  std::uint64_t state_;
};

struct SurfaceSample {
  Vec3 point{0, 0, 0};
  Vec3 normal{0, 0, 0};  ///< of its triangle, unit
  Index triangle = -1;
};

/// `count` points spread evenly by area over some triangles of a surface (strata of equal area, one point in
/// each). None if the triangles have no area.
std::vector<SurfaceSample> sample_surface(const TriMesh& mesh, std::span<const Index> triangles, int count,
                                          RandomNumbers& random);

}  // namespace pliant
