// SPDX-License-Identifier: Apache-2.0
// How a rigid body turns by itself.
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// I^-1, also where all mass lies on a line; 0 of a single node.
Mat3 inverse_inertia(const Mat3& inertia);

/// exp of the turn, rad.
Mat3 rotation_by(const Vec3& turn);

/// How a rigid body turns within h when nothing acts on it: Euler's equations in its own frame, dm/dt = m x
/// I^-1 m, by implicit midpoint steps of at most 0.05 rad. These keep |m| and m . I^-1 m, so that neither the
/// angular momentum nor the energy of the turn changes. A turn by h I^-1 L would gain
/// (h^2/2) (L x w) . I^-1 (L x w) a step, always.
Mat3 free_turn(const Mat3& inertia, const Vec3& angular, double h);

}  // namespace pliant
