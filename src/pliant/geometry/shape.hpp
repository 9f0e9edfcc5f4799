// SPDX-License-Identifier: Apache-2.0
// The shapes a scene can name. Solids are meshes of hexahedra: a box is a lattice; round shapes are a core
// lattice wrapped in layers that follow the surface, so that no cell is squeezed flat and surface nodes lie
// on the surface. Node volumes have the solid's exact volume, centre and second moment (geometry/moments.hpp).
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/node_graph.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/math/gather.hpp"

namespace pliant {

/// A body at rest: nodes, the surface the user sees, and the surface as a function of the nodes. Who fills one by hand
/// may ask check_shape (geometry/check_geometry.hpp); build_method does.
struct Shape {
  TriMesh surface;
  NodeGraph graph;
  Gather embedding;             ///< surface vertices from nodes
  bool closed = true;           ///< the surface bounds a volume
  std::vector<Index> touching;  ///< one surface vertex for each place that faces use; empty = all
  Gather contact;               ///< points that meet colliders, from nodes; no rows = the surface vertices
  std::vector<Triangle> contact_triangles;  ///< between contact points: the surface with no long edges
  /// The last nodes as a function of those before them: they have neither mass nor freedom of their own, and
  /// holding one pulls at those that carry it (geometry/cell_shape.hpp). No rows: there are none.
  Gather followers;
  /// Discs that bound a solid whose surface is a cloud of points (geometry/point_cloud.hpp); none: its triangles.
  TriMesh discs;
  PolygonMesh faces;  ///< the user's faces and texture coordinates for export; no faces = triangles
  /// Why there is no shape: what make_shape was asked for cannot be. It is empty then, and build_method answers with
  /// these.
  std::vector<Problem> problems = {};
};
inline constexpr int most_shape_nodes = 50'000'000;  ///< of a built-in shape

/// The triangles between inside and outside.
inline const TriMesh& boundary_of(const Shape& shape) {
  return shape.discs.triangles.empty() ? shape.surface : shape.discs;
}

/// Which pairs of corners of a cell become edges of the graph.
enum class Neighbourhood { edges, all_pairs };  ///< 6 or 26 neighbours on a lattice

struct BoxShape {
  Vec3 size{1, 1, 1};                 ///< m
  std::array<int, 3> nodes{9, 9, 9};  ///< per axis, >= 2
  Vec3 corner{0, 0, 0};               ///< lowest corner, m
  Neighbourhood neighbourhood = Neighbourhood::edges;
};
struct EllipsoidShape {
  Vec3 radii{0.5, 0.5, 0.5};  ///< m
  int nodes = 13;             ///< across, >= 4
  Vec3 center{0, 0, 0};       ///< m
};
struct CylinderShape {              ///< axis along y
  double radius = 0.5;              ///< m
  double height = 1;                ///< m
  std::array<int, 2> nodes{9, 13};  ///< across (>= 4) and along (>= 2)
  Vec3 center{0, 0, 0};             ///< m
};
struct TorusShape {                 ///< axis along y
  double ring_radius = 1;           ///< m, centre to the middle of the tube
  double tube_radius = 0.35;        ///< m, < ring_radius
  std::array<int, 2> nodes{7, 48};  ///< across the tube (>= 4) and around the ring (>= 3)
  Vec3 center{0, 0, 0};             ///< m
};
struct SheetShape {                  ///< in the x-z plane, normal +y, one layer of nodes
  std::array<double, 2> size{1, 1};  ///< m
  std::array<int, 2> nodes{21, 21};  ///< per axis, >= 2
  double thickness = 0.01;           ///< m; gives mass and stiffness
  Vec3 center{0, 0, 0};              ///< m
};

/// A shape that cannot be made (sizes that are not above 0, too few or too many nodes) is empty and tells why in its
/// `problems`.
Shape make_shape(const BoxShape& box);
Shape make_shape(const EllipsoidShape& ellipsoid);
Shape make_shape(const CylinderShape& cylinder);
Shape make_shape(const TorusShape& torus);
Shape make_shape(const SheetShape& sheet);

/// Nodes, edges, volumes and boundary surface of a hexahedral mesh; `problems` as those of make_shape.
Shape shape_from_cells(Points nodes, std::vector<std::array<Index, 8>> cells,
                       Neighbourhood neighbourhood = Neighbourhood::edges);

/// Volume of a hexahedron with bilinear faces, m^3; negative when inside out. The corners are nodes.
double cell_volume(const Points& nodes, const std::array<Index, 8>& cell);

}  // namespace pliant
