// SPDX-License-Identifier: Apache-2.0
// A cloud of oriented points as the boundary of a solid, without a mesh. Every point stands for a disc: its
// Voronoi cell among the nearest points, in its tangent plane. Where the surface has an edge, the tangent
// planes of the points beyond it bound the disc. The winding number of the discs tells inside from outside
// [Barill18]: a dipole of the disc's area from afar, its solid angle near by.
#pragma once

#include <string>

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

/// The points, then the corners of their discs; each disc is a fan around its point. Of points in the same
/// place only the first has a disc.
TriMesh cloud_discs(const Points& points, const Points& normals, Pool& pool);

/// What the discs enclose and how well.
struct CloudFacts {
  double area = 0;     ///< m^2
  double volume = 0;   ///< by the divergence theorem: sum A n . x / 3, m^3; negative: normals point inward
  double defect = 0;   ///< mean of |1 - w|, w the winding number under a point: 0 closed, 0.5 a sheet
  double opening = 0;  ///< area of flat lids over its holes, m^2
  double opposed = 0;  ///< share of points whose normal points to the side that is more inside
  double spacing = 0;  ///< median distance of a point to its nearest, m
};
/// What is open about it, one sentence; empty: the cloud is closed.
std::string open_text(const CloudFacts& facts);
CloudFacts cloud_facts(const Points& points, const Points& normals, const TriMesh& discs,
                       const TriangleTree& tree, Pool& pool);

/// Triangles from each point to its neighbours all around, facing outward: to point at a cloud and to shade
/// it. They overlap and bound nothing.
std::vector<Triangle> cloud_triangles(const Points& points, const Points& normals);

/// The same cloud after it has moved: the normal of a point is that of the plane that its neighbours' moves
/// make of its tangent plane (least squares over `neighbours` of them).
class MovedNormals {
 public:
  MovedNormals(const Points& rest, const Points& normals);
  Points at(const Points& x) const;

 private:
  static constexpr int neighbours = 8;
  Points normals_;
  /// Of point i: neighbour[k] and weights[k], k from 8 i on. The tangents at x are sum_k weights[k] (x_k - x_i).
  std::vector<Index> neighbour_;
  std::vector<std::array<double, 2>> weight_;
};

}  // namespace pliant
