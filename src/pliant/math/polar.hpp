// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/types.hpp"

namespace pliant {

/// The rotation R of F = R S nearest to F, never a reflection (rotation.hpp), in double precision and fast
/// when the warm start is near: a few Newton steps on SO(3) by cofactors,
///   B = R^T F,  t = axial(B),  H = tr(B) I - (B + B^T)/2,  w = H^-1 t,  q <- q (1, w/2) normalised
/// A maximum of tr(R^T F) with H positive definite is the global one. Where that is not reached the robust
/// version decides.
Eigen::Quaterniond polar_rotation(const Mat3& f, const Eigen::Quaterniond& warm_start);

}  // namespace pliant
