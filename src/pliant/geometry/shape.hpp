// SPDX-License-Identifier: Apache-2.0
// The shapes a scene can name, each as nodes, a surface and the embedding of the surface in the nodes.
#pragma once

#include "pliant/geometry/node_graph.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/math/gather.hpp"

namespace pliant {

struct Shape {
  TriMesh surface;
  NodeGraph graph;
  Gather embedding;    ///< surface vertices from nodes
  bool closed = true;  ///< the surface bounds a volume
};

struct BoxShape {
  Vec3 size{1, 1, 1};                 ///< m
  std::array<int, 3> nodes{9, 9, 9};  ///< per axis, >= 2
  Vec3 corner{0, 0, 0};               ///< lowest corner, m
  int neighbours = 6;                 ///< 6 or 26
};
struct EllipsoidShape {
  Vec3 radii{0.5, 0.5, 0.5};  ///< m
  int nodes = 13;             ///< across, odd or even, >= 3
  Vec3 center{0, 0, 0};
};
struct CylinderShape {  ///< axis along y
  double radius = 0.5, height = 1;
  int nodes_across = 9, nodes_along = 13;
  Vec3 center{0, 0, 0};
};
struct TorusShape {  ///< axis along y
  double ring_radius = 1, tube_radius = 0.35;
  int nodes_across = 7, nodes_around = 40;
  Vec3 center{0, 0, 0};
};
struct SheetShape {  ///< in the x-z plane, normal +y, one layer of nodes
  std::array<double, 2> size{1, 1};
  std::array<int, 2> nodes{21, 21};
  double thickness = 0.01;  ///< m, for mass and stiffness
  Vec3 center{0, 0, 0};
};

Shape make_shape(const BoxShape&);
Shape make_shape(const EllipsoidShape&);
Shape make_shape(const CylinderShape&);
Shape make_shape(const TorusShape&);
Shape make_shape(const SheetShape&);

}  // namespace pliant
