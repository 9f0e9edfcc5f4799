// SPDX-License-Identifier: Apache-2.0
// The rotation nearest to a 3x3 matrix, robust scalar version, and the choice of the batched kernels.
//
//   B = R^T A, t = axial(B), H = tr(B) I - (B + B^T)/2 as in rotation_kernels.inl, in double.
//   H = sum_k l_k n_k n_k^T;  w = sum_k n_k (n_k.t) / max(|l_k|, 1e-3 |A|),  |w| <= 1.5 rad.
// Along a turn by angle s about a unit axis n:  tr(R^T A) = cos(s) n.Hn + sin(s) n.t + const. Near a saddle
// (t small against a negative l_k) the exact maximum on that circle, s = atan2(n.t, l_k), is taken instead:
// Newton would leave it slowly or, at t = 0, never.
#include "pliant/math/rotation.hpp"

#include <cmath>

#include "pliant/base/simd.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {

// rotation_kernels.inl: one or two batches; the lanes left to the robust version.
using NearestInBatches = unsigned(float* first, bool two, int iterations);
NearestInBatches nearest_in_batches_portable, nearest_in_batches_avx2, nearest_in_batches_avx512;
static_assert(sizeof(RotationBatch) == 22 * 16 * sizeof(float));

namespace {

constexpr int max_iterations = 20;
constexpr double smallest_curvature = 1e-3, largest_turn = 1.5;

NearestInBatches* kernel() {
  static constexpr NearestInBatches* by_level[] = {nearest_in_batches_portable, nearest_in_batches_avx2,
                                                   nearest_in_batches_avx512};
  return by_level[int(simd_level())];
}

Eigen::Quaterniond turn_about(const Vec3& axis, double angle) {
  return Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
}

/// The turn that follows from gradient t and the eigen-decomposition of H; |A| = 1.
Eigen::Quaterniond best_turn(const Vec3& t, const Vec3& l, const Mat3& n, double& angle) {
  if (l[0] < -smallest_curvature && -l[0] > t.norm()) {
    angle = std::atan2(n.col(0).dot(t), l[0]);
    return turn_about(n.col(0), angle);
  }
  Vec3 w = n * (n.transpose() * t).cwiseQuotient(l.cwiseAbs().cwiseMax(smallest_curvature));
  angle = w.norm();
  if (angle > largest_turn) w *= largest_turn / angle;
  return Eigen::Quaterniond(1, w[0] / 2, w[1] / 2, w[2] / 2);
}

}  // namespace

RotationResult nearest_rotation(const Mat3& a, const Eigen::Quaterniond& warm_start) {
  RotationResult result{warm_start, 0, false};
  const double start_norm = warm_start.norm();
  if (!std::isfinite(start_norm) || start_norm == 0)
    result.q.setIdentity();
  else
    result.q.coeffs() /= start_norm;
  if (!a.allFinite()) return result;
  const double largest = a.cwiseAbs().maxCoeff();
  result.converged = largest < 1e-300;
  if (result.converged) return result;

  const Mat3 unit = (a / largest) / (a / largest).norm();
  while (!result.converged && result.iterations < max_iterations) {
    const Mat3 b = result.q.toRotationMatrix().transpose() * unit;
    const Vec3 t(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
    const Spectrum3 h = spectrum(b.trace() * Mat3::Identity() - (b + b.transpose()) / 2);
    double angle = 0;
    result.q = (result.q * best_turn(t, h.values, h.vectors, angle)).normalized();
    // Convergence is quadratic: after a turn this small the error is below round-off.
    result.converged = std::abs(angle) < 1e-8;
    ++result.iterations;
  }
  return result;
}

unsigned finish_rotations(const float (*a)[16], float (*q)[16], float (*r)[16], unsigned lanes) {
  unsigned lost = 0;
  for (int lane = 0; lane < 16; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    Mat3 matrix;
    for (int k = 0; k < 9; ++k) matrix(k / 3, k % 3) = a[k][lane];
    const RotationResult found =
        nearest_rotation(matrix, Eigen::Quaterniond(q[0][lane], q[1][lane], q[2][lane], q[3][lane]));
    if (!matrix.allFinite()) lost |= 1u << lane;
    q[0][lane] = float(found.q.w());
    q[1][lane] = float(found.q.x());
    q[2][lane] = float(found.q.y());
    q[3][lane] = float(found.q.z());
    const Mat3 rotation = found.q.toRotationMatrix();
    for (int k = 0; k < 9; ++k) r[k][lane] = float(rotation(k / 3, k % 3));
  }
  return lost;
}

int nearest_rotations(RotationBatch* batches, int count, int iterations) {
  NearestInBatches* const nearest = kernel();
  int finished = 0;
  for (int i = 0; i < count; i += 2) {
    const bool two = i + 1 < count;
    const unsigned rest = nearest(&batches[i].a[0][0], two, iterations);
    for (int k = 0; k < 1 + two; ++k) {
      const unsigned lanes = rest >> 16 * k & 0xffff;
      if (lanes) finish_rotations(batches[i + k].a, batches[i + k].q, batches[i + k].r, lanes);
    }
    finished += __builtin_popcount(rest);
  }
  return finished;
}

}  // namespace pliant
