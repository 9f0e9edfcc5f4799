// SPDX-License-Identifier: Apache-2.0
// R = argmax over SO(3) of tr(R^T A): the rotation nearest to a 3x3, never a reflection. Unique for planar A
// (the normal follows by det = +1); for collinear A the spin about the axis stays that of the warm start; A =
// 0 keeps R.
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/types.hpp"

namespace pliant {

struct RotationResult {
  Eigen::Quaterniond q;
  int iterations = 0;
  bool converged = false;
};

/// Robust scalar version: Newton on SO(3) with clamped Hessian eigenvalues, at most 20 iterations. A = 0
/// keeps the warm start and counts as converged; a non-finite A keeps it and does not.
RotationResult nearest_rotation(const Mat3& a, const Eigen::Quaterniond& warm_start);

/// Sixteen matrices and quaternions side by side, for the batched kernels.
struct alignas(64) RotationBatch {
  float a[9][16];  ///< row-major entries of A
  float q[4][16];  ///< w, x, y, z: warm start in, result out
  float r[9][16];  ///< row-major entries of R, out
};

/// Newton iterations (2 suffice within 0.17 rad of the warm start); lanes that have not converged, or whose A
/// has a negative determinant, are finished by the robust version. Returns how many lanes needed it.
int nearest_rotations(RotationBatch* batches, int count, int iterations);

/// Finishes the lanes of `lanes` (bit k = lane k), as the batched kernel reports them, with the robust
/// version, from the quaternions that are there. Arrays as in RotationBatch. Returns the lanes that have no
/// answer even so (a non-finite A): they keep the rotation of q.
unsigned finish_rotations(const float (*a)[16], float (*q)[16], float (*r)[16], unsigned lanes);

}  // namespace pliant
