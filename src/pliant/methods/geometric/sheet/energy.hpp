// SPDX-License-Identifier: Apache-2.0
// The energy of sheet elements in double precision, written for reading (energy.hpp calls it for models that
// are sheets; the steps run sheet/sweeps.hpp). With A = sum_v x_v c_v^T (elements.hpp), S = R^T A, and for a
// motion p the axial vector a = sum_v c_v x (R^T p_v), an element's second derivative is
//   p . V'' p = sum_k lambda_k |s_k p|^2 - a . (tr(S) I - S)^-1 a
// Its model, which is positive and never above K = S^T Lambda S,
//   p . H p = sum_k lambda_k |s_k p|^2 - a . G^-1 a,   G = G0 + (tr(S) I - S - G0)_+,   0 <= H <= K
// lets the rotation follow p by w = G^-1 a, dR = R [w]x. ( )_+ keeps the positive eigenvalues: the tension that
// resists turning. A hanging cloth is held by nothing else. G0 = tr(B) I - B is that of rest.
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "pliant/math/symmetric_matrix.hpp"
#include "pliant/methods/geometric/sheet/elements.hpp"

namespace pliant::geometric {

/// A of an element at x.
Mat3 covariance(const SheetElements::View& element, std::span<const Vec3> x);

/// R(x), from the warm start that is in `rotations`.
void update_rotations(const SheetElements& sheet, std::span<const Vec3> x,
                      std::span<Eigen::Quaterniond> rotations);

/// G^-1 for S = R^T A; axes about which an element cannot tell how it turns (a wire's own) get 0.
Mat3 slew_under_tension(const Mat3& inertia, const Mat3& s);

double energy(const SheetElements& sheet, std::span<const Vec3> x,
              std::span<const Eigen::Quaterniond> rotations);

/// out = dV/dx.
void gradient(const SheetElements& sheet, std::span<const Vec3> x,
              std::span<const Eigen::Quaterniond> rotations, std::span<Vec3> out);

/// out = H p with the rotations and the tension of x.
void hessian_product(const SheetElements& sheet, std::span<const Vec3> x,
                     std::span<const Eigen::Quaterniond> rotations, std::span<const Vec3> p,
                     std::span<Vec3> out);

/// K.
SymmetricMatrix stiffness_matrix(const SheetElements& sheet, Index nodes);

}  // namespace pliant::geometric
