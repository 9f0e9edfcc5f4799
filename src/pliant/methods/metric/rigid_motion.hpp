// SPDX-License-Identifier: Apache-2.0
// The rigid part of a body's motion. The step's scalar matrix resists turning as much as stretching: a free
// body would stop spinning within a few steps. So its mean velocity and spin, per connected part,
//   c = sum m x/sum m,  v_c = sum m v/sum m,  w = I^-1 L,  L = sum m (x - c) x v,
// are taken out, the part is moved by them as a rigid body, and the matrix sees what is left.
#pragma once

#include <span>

#include "pliant/base/parallel.hpp"
#include "pliant/physics/free_turn.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::metric {

struct RigidMotion {
  double mass = 0;  ///< kg
  Vec3 centre{0, 0, 0}, velocity{0, 0, 0}, spin{0, 0, 0};
  Vec3 angular{0, 0, 0};  ///< L about the centre, kg m^2/s
  Mat3 inertia = Mat3::Zero();
};

/// How a part that is free to move answers impulses as a whole: velocity by r/M, spin by
/// I^-1 (a x r), with the arm a from the centre.
struct RigidAnswer {
  Vec3 centre{0, 0, 0};
  double inverse_mass = 0;              ///< 1/kg
  Mat3 inverse_inertia = Mat3::Zero();  ///< 1/(kg m^2)
};

/// Per part; `out` has one entry a part. Sums are those of blocks of nodes, in their order.
void measure(std::span<const Index> part, std::span<const double> mass, std::span<const Vec3> x,
             std::span<const Vec3> v, std::span<RigidMotion> out, Pool& pool,
             std::vector<RigidMotion>& scratch);

/// I^-1 a, also where all mass lies on a line.
Vec3 turned_by(const Mat3& inertia, const Vec3& a);

}  // namespace pliant::metric
