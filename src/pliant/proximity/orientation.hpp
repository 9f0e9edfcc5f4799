// SPDX-License-Identifier: Apache-2.0
// Exact signs of determinants of point coordinates: a bound on the rounding error decides nearly all, sums of
// several doubles without rounding the rest [Shewchuk97]. Exact while no product of three coordinate
// differences, nor its last bit, leaves the range of a double: coordinates 0 or from 1e-70 to 1e90.
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// Sign (-1, 0, 1) of (b - a) . ((c - a) x (d - a)).
int orientation_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// Sign of the coordinate `axis` of (b - a) x (c - a).
int area_sign(const Vec3& a, const Vec3& b, const Vec3& c, int axis);

}  // namespace pliant
