// SPDX-License-Identifier: Apache-2.0
// Do two triangles of a surface meet where they should not? Asked with a distance, so that touching counts
// and the answer does not hang on the last bit.
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Two triangles of one surface come nearer to each other than `gap` (m, > 0) away from the vertices they
/// share: they cross, touch, or, with a common edge, lie folded on each other.
bool triangles_meet(const Points& vertices, const Triangle& a, const Triangle& b, double gap);

/// Smallest distance of segments pq and rs, squared.
double squared_distance(const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s);

}  // namespace pliant
