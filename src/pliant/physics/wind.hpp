// SPDX-License-Identifier: Apache-2.0
// Wind on the triangles of a surface. With u the velocity of the air relative to the triangle, n its normal on
// the side where u.n > 0, A its area and rho the density of the air, the force is
//   F = rho A (u.n)/2 (drag u + lift (|u| n - (u.n) u/|u|))
// so the drag counts the area that the wind sees, as the tabulated coefficients do; the lift is across u and
// vanishes for a triangle along the wind as well as for one square to it: it is continuous where the wind changes
// sides. Both sides of an open surface feel the wind; of a closed one only the triangles that face it: its frontal
// area. Nothing is in the lee of anything.
//
// Large steps. The methods take F as a constant of the step, found at its beginning. In one step of length h F
// changes the velocity of the matter beside the triangle, of mass m, by
//   h F/m = d u + a |u| t,   t across u
// Explicit drag overshoots from d = 1 on, and explicit lift gains energy at any a, since it turns u by a straight
// step. So
//   d becomes at least 1.5 a^2:  what the straight step gains, and what BDF2 adds to it as it sees forces late
//   d + a becomes at most 0.5:   F is shortened
// Then |u| grows in no step of a free triangle, and Euler's steps do not turn u about: 1 - d >= 0. BDF2 goes on as u
// fell before and may take it beyond zero by 6 % of its start (17 % with 0.8, 1 % with 0.4). For a force that stays
// linear in u the steps of Euler, |1 - d - ia| <= 1, and of BDF2, the roots of z^2 - (4 - 2d - 2ia)/3 z + 1/3, are
// stable: tests/unit/physics/wind_test.cpp goes over all d and a. m: the least mass per area of the nodes that
// carry the triangle, so that the shares of all triangles of a node add up.
#pragma once

#include <span>
#include <vector>

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/math/gather.hpp"
#include "pliant/physics/world_force.hpp"

namespace pliant {

/// What wind changes of the velocity of a triangle in a step: d u + a |u| t.
struct WindShare {
  double along = 0, across = 0;  ///< d, a
};
/// The share that is taken of it; along + across is at most `most`.
WindShare limited(WindShare share, double most);
/// The most a step may take.
inline constexpr double most_wind_share = 0.5;

/// The surface of a body as wind feels it.
class WindSurface {
 public:
  /// embedding: vertices from nodes; mass: of the nodes; within: what no node carries. Bodies keep them for their life.
  void attach(const Gather& embedding, std::span<const Triangle> triangles, std::span<const Vec3> rest,
              std::span<const double> mass, bool closed,
              double within = 0);
  bool attached() const { return !triangles_.empty(); }

  /// forces += those of the wind on the vertices, N, in a step of length h that takes at most this share; h = 0:
  /// whatever they are. Vertices and their velocities as the wind meets them.
  void add(const WindForce& wind, std::span<const Vec3> vertices, std::span<const Vec3> velocities, double h,
           double most, std::span<Vec3> forces, Pool& pool);

  /// The slowest relative wind that a step of length h takes less of than it should, on the lightest triangle,
  /// m/s; infinite: none.
  double fastest(const WindForce& wind, double h) const;

 private:
  Vec3 on_triangle(const WindForce& wind, std::size_t t, std::span<const Vec3> vertices,
                   std::span<const Vec3> velocities, double h, double most) const;

  std::vector<Triangle> triangles_;
  std::vector<double> mass_;  ///< beside each triangle, kg
  double lightest_ = 0;       ///< kg/m^2
  bool closed_ = false;
  Points on_triangles_;  ///< scratch
};

}  // namespace pliant
