// SPDX-License-Identifier: Apache-2.0
// The forces of the world (physics/world_force.hpp) and of the user on the nodes of one body.
#pragma once

#include <span>
#include <string>

#include "pliant/methods/method.hpp"
#include "pliant/physics/wind.hpp"
#include "pliant/physics/world_force.hpp"

namespace pliant {

/// The surface of a body, as its Body knows it.
struct OuterSurface {
  std::span<const Triangle> triangles;
  std::span<const Vec3> rest;  ///< vertices, m
  bool closed = true;
};

class OuterForces {
 public:
  /// The user's forces, N, one a node; none: no entries. They last until they are set again.
  void set(std::span<const Vec3> forces) { given_.assign(forces.begin(), forces.end()); }
  const Points& given() const { return given_; }

  /// N, one a node; no entries when nothing acts. For a step of length h that ends at `time`; h = 0: for a
  /// body at rest. Fields are taken where the nodes are led by their velocity at the end of the step: forces
  /// of the place that a step sees late would pump energy into BDF2.
  std::span<const Vec3> on_nodes(const Method& method, const OuterSurface& surface,
                                 std::span<const WorldForce> forces, const std::string& body, double time,
                                 double h, Pool& pool);
  /// Some force depends on where the body is.
  static bool follow(std::span<const WorldForce> forces, const std::string& body);

 private:
  void add_winds(const Method& method, const OuterSurface& surface, std::span<const WorldForce> forces,
                 const std::string& body, double time, double h, Pool& pool);
  template <class Field>
  void add_field(const Field& field, const NodeState& nodes, double h, Pool& pool);
  template <class Field>
  void add_within(const Field& field, const NodeState& nodes, double h);

  Points given_;
  WindSurface wind_;
  // Scratch: never read across steps.
  Points sum_, places_;                           // of nodes
  Points vertices_, velocities_, vertex_forces_;  // of the surface
};

}  // namespace pliant
