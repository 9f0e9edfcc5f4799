// SPDX-License-Identifier: Apache-2.0
// Forces from the world around the bodies: constant, wind, point, vortex; keyed in time. They are functions of
// time, place and velocity and have no state. docs/forces.md says them for users.
//
//   constant  a                                    an acceleration, added to gravity
//   wind      f per triangle                       physics/wind.hpp
//   point     a = law(r) towards the centre        r: distance to the centre, m
//   vortex    a = law(r) axis x outwards           r: distance to the axis, m
//
// with law(r) = strength r/radius           r <= radius: nothing jumps at the centre
//               strength (radius/r)^falloff radius < r <= reach
//               0                           r > reach
#pragma once

#include <limits>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pliant/physics/motion.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant {

/// The same everywhere, like gravity.
struct ConstantForce {
  Vec3 acceleration{0, 0, 0};  ///< m/s^2, which is N/kg
};

/// Moving air. It acts on the triangles of the surface.
struct WindForce {
  Vec3 velocity{5, 0, 0};  ///< m/s
  double density = 1.2;    ///< of the air, kg/m^3
  double drag = 1.2;       ///< coefficient, along the relative wind
  double lift = 1.2;       ///< coefficient, across it
};

/// How an acceleration depends on a distance r.
struct RadialLaw {
  double strength = 10;                                    ///< m/s^2 at r = radius; negative: the other way
  double radius = 0.1;                                     ///< m; above 0
  double falloff = 2;                                      ///< exponent beyond the radius
  double reach = std::numeric_limits<double>::infinity();  ///< m

  double at(double r) const;
};

/// Pulls towards a point; pushes away where the strength is negative.
struct PointForce : RadialLaw {
  Vec3 center{0, 0, 0};  ///< m
};

/// Drives around an axis, by the right-hand rule.
struct VortexForce : RadialLaw {
  Vec3 center{0, 0, 0};  ///< a point of the axis, m
  Vec3 axis{0, 1, 0};    ///< any length but zero
};

using ForceKind = std::variant<ConstantForce, WindForce, PointForce, VortexForce>;

struct WorldForce {
  ForceKind is;
  /// Turns directions and moves the centre (translate, from where it started); the centre is no pivot.
  Motion motion = {};
  std::vector<double> factors = {};      ///< on the strength, one a key of the motion
  std::vector<std::string> bodies = {};  ///< names of those it acts on; empty: all

  bool acts_on(const std::string& body) const;
  /// As it is at time t: turned, moved, and the acceleration, velocity or strength times the factor.
  ForceKind at(double t) const;
};

/// What is wrong with a force: numbers that are not finite or out of range, an axis of length zero, a motion that is
/// wrong (check_motion), factors that are not one a key.
std::vector<Problem> check_force(const WorldForce& force, const std::string& place = {});

/// gravity plus the constant forces that act on the body at time t.
Vec3 with_constant_forces(const Vec3& gravity, std::span<const WorldForce> forces, const std::string& body,
                          double t);

/// What a point or vortex gives at x, m/s^2.
Vec3 acceleration_at(const PointForce& force, const Vec3& x);
Vec3 acceleration_at(const VortexForce& force, const Vec3& x);

}  // namespace pliant
