// SPDX-License-Identifier: Apache-2.0
// Soft-looking surfaces from a few round parts: animals, plants, toys without a mesh file.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// A ball swept from one point to another while its radius changes; equal points make a ball.
struct BlobPart {
  Vec3 from{0, 0, 0}, to{0, 0, 0};  ///< m
  double radius = 0.1;              ///< at `from`, m
  double end_radius = 0;            ///< at `to`, m; 0 = as at `from`
};

/// Round parts melted together.
struct Blobs {
  std::vector<BlobPart> parts;
  double blend = 0.02;  ///< how far parts melt into one another, m
  int resolution = 64;  ///< cells along the longest side
};

/// Signed distance to the melted parts, m, < 0 inside: -k log(sum exp(-d_i / k)), d_i the distance of part i
/// and k the blend. Exact far from the joints, smooth everywhere. Without parts it is infinite.
double blob_distance(const Blobs& blobs, const Vec3& point);

/// A closed surface of quadrilaterals where the distance is 0: one vertex in every cell that the surface
/// crosses, one face around every grid edge that it crosses (surface nets), vertices moved onto the surface
/// along the gradient. The error: no parts, numbers that are not finite, radii that are not above 0, a resolution that is
/// not of 4 .. 1024.
Result<PolygonMesh> blob_surface(const Blobs& blobs);

}  // namespace pliant
