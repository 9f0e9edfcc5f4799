// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// Six times the volume of tetrahedron abcd.
inline double volume6(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).dot((c - a).cross(d - a));
}

struct TrianglePoint {
  Vec3 point{0, 0, 0};
  Vec3 barycentric{0, 0, 0};  ///< exactly 0 where an edge or a corner is nearest
};

/// The point of triangle abc nearest to p [Ericson05, section 5.1.5]. A triangle without area is its longest
/// edge.
TrianglePoint closest_point(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

/// Two triangles (three vertices each) that pass through each other: an edge of one goes through the inside
/// of the other. Mere touching does not count; edges that start at a common vertex are not asked.
bool triangles_cross(const Points& vertices, const Index* a, const Index* b);

}  // namespace pliant
