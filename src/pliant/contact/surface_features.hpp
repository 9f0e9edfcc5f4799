// SPDX-License-Identifier: Apache-2.0
// Faces, edges and corners of a triangle surface, as a point near it needs them: the angle-weighted
// pseudo-normal, whose sign tells inside from outside on closed manifolds [Baerentzen05], and whether a point
// of the surface is a foot: nearer than all others around it.
#pragma once

#include <array>
#include <vector>

#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

class SurfaceFeatures {
 public:
  explicit SurfaceFeatures(const TriMesh& mesh);

  /// Outward, of unit length: of the face, the mean of two faces on an edge, of all faces by angle at a
  /// corner. Not of unit length only where faces cancel.
  Vec3 normal(const TriangleTree::Nearest& at) const;
  /// Does no way along the surface from there lead nearer to x?
  bool is_foot(const TriangleTree::Nearest& at, const Vec3& x) const;
  /// On an edge that has one face only, or at its end.
  bool on_border(const TriangleTree::Nearest& at) const;
  /// Coplanar neighbours share a patch; of an edge or a corner the lowest around.
  Index patch(const TriangleTree::Nearest& at) const;
  Index patches() const { return patches_; }

  /// Every edge has two faces that run opposite ways, the faces of every corner form one fan, every face has
  /// an area.
  bool manifold() const { return manifold_; }

 private:
  /// What is under a point: the faces around it.
  struct Around {
    const Index* begin_;
    const Index* end_;
    const Index* begin() const { return begin_; }
    const Index* end() const { return end_; }
  };
  struct Place {
    enum class Kind { face, edge, corner } kind;
    Index index;  ///< of triangle, edge or vertex
  };
  Place place(const TriangleTree::Nearest& at) const;
  Around around(const Place& place) const;
  void list_edges();
  void list_corners();
  void sum_normals();
  void join_patches();
  bool one_fan(Index vertex) const;

  const TriMesh& mesh_;
  std::vector<std::array<Index, 3>> triangle_edges_;  ///< edge k runs from corner k to the next
  std::vector<std::array<Index, 2>> edges_;           ///< vertices, ascending
  std::vector<Index> edge_begin_, edge_faces_;
  std::vector<Index> corner_begin_, corner_faces_;
  std::vector<Index> self_;  ///< 0, 1, 2, ...: a face alone is a list, too
  Points face_normals_, edge_normals_, corner_normals_;
  std::vector<char> border_corner_;
  std::vector<Index> patch_;
  Index patches_ = 0;
  bool manifold_ = false;
};

}  // namespace pliant
