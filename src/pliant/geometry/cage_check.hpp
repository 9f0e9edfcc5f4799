// SPDX-License-Identifier: Apache-2.0
// Is a surface fit to be a cage?
#pragma once

#include <optional>
#include <span>

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Nearer to its cage than this share of the cage's diagonal no point has usable Green coordinates: their
/// gradients grow without bound towards an edge.
inline constexpr double least_cage_clearance = 1e-6;

/// What makes a surface unfit, the face or vertex named, or nothing: it must be closed, of one piece, without
/// flat faces, outward, without self-intersections, and have every point of `inside` inside at `clearance`
/// (m) at least (0: least_cage_clearance). Vertices and faces are numbered from 0. The first kind of fault
/// found is told, with how many there are of it; later kinds make no sense before it is mended.
std::optional<Problem> check_cage(const TriMesh& cage, std::span<const Vec3> inside, double clearance = 0);

/// The smallest distance of a point to the cage, m, and which it is.
struct CageClearance {
  double distance = 0;
  Index point = -1, face = -1;
};
/// -1 and 0 m: there are no points, or no cage (no faces, corners that do not exist or are not finite).
CageClearance cage_clearance(const TriMesh& cage, std::span<const Vec3> inside);

}  // namespace pliant
