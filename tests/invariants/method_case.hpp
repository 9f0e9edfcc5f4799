// SPDX-License-Identifier: Apache-2.0
// What a method says to join the invariants: how to build a body of a shape, and how exactly it keeps what.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/method.hpp"

namespace pliant {

struct MethodCase {
  std::string name;
  std::function<std::unique_ptr<Method>(const Shape&)>
      build;                   ///< undamped, Young's modulus near 1e5 Pa, 1000 kg/m^3
  bool surface_nodes = false;  ///< built on the shape's surface (geometry/surface_graph.hpp)
  bool quadrature = false;     ///< built on quadrature points and the surface (geometry/voxel_quadrature.hpp)
  bool solid_by_surface = false;  ///< and its mass is that of the volume inside
  bool lattice = false;           ///< built on a regular lattice (geometry/lattice_shape.hpp)
  bool tetrahedra = false;        ///< its surface filled with tetrahedra (geometry/tetrahedral_shape.hpp)
  bool meets_colliders = false;
  bool elastic = true;                 ///< Ability::elastic
  bool free = true;                    ///< false: bones inside hold it
  bool turns = true;                   ///< false: linear, for small turns only
  bool any_node_order = true;          ///< equal modes of a symmetric body are not unique
  bool holds_any_nodes = true;         ///< false: holds bind what the basis was made for, or fields
  double contact_momentum = 0.02;      ///< share of the contacts' impulses that the momentum does not show
  double deepest = 1e-3;               ///< m, in a collider
  bool quiet_contact = true;           ///< a step with known contacts allocates and factors nothing
  double momentum_tolerance = 1e-10;   ///< relative drift over the run, free body
  double angular_tolerance = 1e-10;    ///< the same of the angular momentum, for methods that do not keep it
  double energy_growth = 1e-3;         ///< allowed total energy above the start, relative
  double rest_tolerance = 1e-6;        ///< drift of a body at rest, relative to its size
  double gradient_tolerance = 1e-5;    ///< forces against differences of the energy, relative
  double node_order_tolerance = 1e-5;  ///< relative to the body's size, after 20 steps
};

/// What a method makes its body of.
Shape shape_for(const MethodCase& method, const Shape& shape);

/// Those that the methods add here, and every other method of the catalogue with its defaults.
const std::vector<MethodCase>& method_cases();

}  // namespace pliant
