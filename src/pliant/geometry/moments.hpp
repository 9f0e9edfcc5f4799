// SPDX-License-Identifier: Apache-2.0
// Volume, centre and second moment of a solid, and node volumes that have them.
//
// Handing each cell's volume to its corners keeps the volume and the centre, but not the second moment: a row
// of N cells has L^2/12 (1 + 2/N^2) instead of L^2/12, so that a plate of two cells is half as heavy again
// against turning about its plane. The nearest volumes with given moments, by relative entropy, are
//   V_i' = V_i exp(a + b . X_i + X_i . C X_i)
// with ten numbers a, b, C found by Newton's method on the convex dual. They are positive whatever comes out;
// on a lattice they are products over the axes (two cells: Simpson's 1/6, 4/6, 1/6).
#pragma once

#include <span>

#include "pliant/geometry/node_graph.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

struct Moments {
  double volume = 0;           ///< m^3
  Vec3 centre = Vec3::Zero();  ///< of volume, m
  Mat3 second = Mat3::Zero();  ///< integral of (x - centre) (x - centre)^T, m^5
};

/// Of points that stand for volumes.
Moments moments_of(const Points& points, std::span<const double> volumes);

/// Of what a closed surface encloses, with the sign of its orientation.
Moments moments_of(const Points& vertices, const std::vector<Triangle>& triangles);

/// Changes volumes (> 0; those that are 0 stay) as little as possible so that they have the wanted moments.
/// The sum is exact always. A second moment that no positive volumes at these points can have (across a
/// single layer of cells, say) stays as it is; no volume changes by more than a factor of eight.
void match_moments(const Points& points, const Moments& wanted, std::vector<double>& volumes);

}  // namespace pliant
