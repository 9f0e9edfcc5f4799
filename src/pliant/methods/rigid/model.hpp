// SPDX-License-Identifier: Apache-2.0
// A rigid body at rest, immutable after build: where its nodes are about the centre of mass, its mass and its inertia.
//
// Volume, centre and second moments are exact integrals over the closed polyhedron of its surface
// (geometry/moments.hpp). A round shape is more than the polyhedron that shows it: its volume is the shape's own, and its
// moments are those of the polyhedron moved out along its normals to that volume. With C the second moments times the
// density, the inertia about the centre is J = tr(C) I - C.
#pragma once

#include <array>
#include <optional>

#include "pliant/base/result.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/rigid/options.hpp"

namespace pliant::rigid {

inline constexpr int mass_points = 6;

struct Model {
  Points rest;                  ///< X, m
  Points arm;                   ///< X - centre, m
  Vec3 centre{0, 0, 0};         ///< of mass, m
  double mass = 0;              ///< kg
  Mat3 inertia = Mat3::Zero();  ///< about the centre, kg m^2
  double size = 0;              ///< diagonal of the bounding box, m
  double edge = 0;              ///< mean edge of the surface, m
  /// Arms of points of a sixth of the mass each, two on every principal axis: together they have the mass, the
  /// centre and the inertia of the body, which its nodes, all on its skin perhaps, cannot have.
  std::array<Vec3, mass_points> mass_arm;

  Index nodes() const { return Index(rest.size()); }
  /// About the point with this arm, kg m^2.
  Mat3 inertia_about(const Vec3& point) const {
    return inertia + mass * (point.squaredNorm() * Mat3::Identity() - point * point.transpose());
  }
};

/// Refuses surfaces that enclose nothing. Problems are placed relative to the body.
Result<Model> make_model(const Shape& shape, double density, const Options& options);

/// What the surface of the shape encloses; nothing: it is open, or flat.
std::optional<Moments> enclosed_moments(const Shape& shape);

}  // namespace pliant::rigid
