// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/polar.hpp"

#include <cmath>

#include "pliant/math/rotation.hpp"

namespace pliant {
namespace {

constexpr int newton_steps = 5;
constexpr double last_turn = 1e-8;       // rad; convergence is quadratic, what is left is round-off
constexpr double least_definite = 1e-9;  // det H over (tr H)^3

}  // namespace

Eigen::Quaterniond polar_rotation(const Mat3& f, const Eigen::Quaterniond& warm_start) {
  Eigen::Quaterniond q = warm_start;
  for (int k = 0; k < newton_steps; ++k) {
    const Mat3 b = q.toRotationMatrix().transpose() * f;
    const double tx = b(2, 1) - b(1, 2), ty = b(0, 2) - b(2, 0), tz = b(1, 0) - b(0, 1);
    const double hxx = b(1, 1) + b(2, 2), hyy = b(0, 0) + b(2, 2), hzz = b(0, 0) + b(1, 1);
    const double hxy = -0.5 * (b(0, 1) + b(1, 0)), hxz = -0.5 * (b(0, 2) + b(2, 0)),
                 hyz = -0.5 * (b(1, 2) + b(2, 1));
    const double cxx = hyy * hzz - hyz * hyz, cxy = hxz * hyz - hxy * hzz, cxz = hxy * hyz - hxz * hyy;
    const double cyy = hxx * hzz - hxz * hxz, cyz = hxy * hxz - hxx * hyz, czz = hxx * hyy - hxy * hxy;
    const double trace = hxx + hyy + hzz, det = hxx * cxx + hxy * cxy + hxz * cxz;
    // Positive definite: trace, second invariant and determinant above 0. NaN fails, too.
    if (!(trace > 0 && cxx + cyy + czz > 0 && det > least_definite * trace * trace * trace)) break;
    const double wx = (cxx * tx + cxy * ty + cxz * tz) / det, wy = (cxy * tx + cyy * ty + cyz * tz) / det,
                 wz = (cxz * tx + cyz * ty + czz * tz) / det;
    q = q * Eigen::Quaterniond(1, 0.5 * wx, 0.5 * wy, 0.5 * wz);
    q.normalize();
    const double turn = wx * wx + wy * wy + wz * wz;
    if (turn < last_turn * last_turn) return q;
    if (!(turn < 1)) break;
  }
  return nearest_rotation(f, q).q;
}

}  // namespace pliant
