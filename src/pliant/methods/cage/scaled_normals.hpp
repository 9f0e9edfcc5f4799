// SPDX-License-Identifier: Apache-2.0
// The scaled normals of a deformed cage and their derivative, after [Martin09, Eq. 10]. For a triangle with
// edges v, w (vbar, wbar at rest), A = |vbar|^2, B = |wbar|^2, C = vbar . wbar, its stretch is
//   S^2 = (A |w|^2 - 2 C v . w + B |v|^2)/(8 area^2),   y = s n,  n = (v x w)/|v x w|
// The paper's s = S reproduces similarities: a face that is stretched pushes the body off, as if it were
// stretched across too. Ours is s = 1/(1 + t (S^2 - 1)), t = nu/(1 - nu): at the free surface of an elastic body
// nothing presses on the face, so that the strain across it is -t times the sum of the strains along it. A bar
// that is pulled then gets its Poisson's ratio: y = F n on its sides, where the paper's y is off by (1 + nu)/2
// of the strain (docs/methods/cage/decisions.md).
//   ds/dv = s' 2 (B v - C w)/(8 area^2),  ds/dw = s' 2 (A w - C v)/(8 area^2),  s' = ds/d(S^2)
//   Pn = (s/|v x w|)(1 - n n^T);  dy/db = n (ds/dv)^T - Pn [w]x,  dy/dc = n (ds/dw)^T + Pn [v]x,
//   dy/da = minus both
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant::cage {

using Columns = Eigen::Matrix3Xd;  ///< one column a vertex, a face or both

/// Mean of the columns, added in order. Eigen's rowwise().mean() adds in an order that depends on the
/// address of its result.
inline Vec3 mean_of(const Eigen::Ref<const Columns>& x) {
  Vec3 sum = Vec3::Zero();
  for (Eigen::Index i = 0; i < x.cols(); ++i) sum += x.col(i);
  return sum / double(x.cols());
}

/// What a face remembers of its rest.
struct FaceRest {
  Triangle corner{};
  double a = 0, b = 0, c = 0;  ///< m^2
  double area = 0;             ///< m^2
  double thinning = -1;        ///< t; negative: the paper's s
};
inline constexpr double conformal_thinning = -1;  ///< thinning of the paper's s
std::vector<FaceRest> face_rests(const TriMesh& cage, double thinning = conformal_thinning);

/// s of S^2 with its derivatives by S^2.
struct NormalLength {
  double s = 0, first = 0;
  double second(const FaceRest& face, double square) const {
    return face.thinning < 0 ? -first / (2 * square) : -2 * face.thinning * first * s;
  }
};
inline NormalLength normal_length(const FaceRest& face, double square) {
  if (face.thinning < 0) {
    const double s = std::sqrt(square);
    return {s, 0.5 / s};
  }
  const double s = 1 / (1 + face.thinning * (square - 1));
  return {s, -face.thinning * s * s};
}

/// y of every face, one column each.
void scaled_normals(const std::vector<FaceRest>& faces, const Eigen::Ref<const Columns>& x,
                    Eigen::Ref<Columns> y);

/// dy/d(corner k) of every face, three 3x3 a face; and y when asked for.
using FaceJacobian = std::array<Mat3, 3>;
void normal_jacobians(const std::vector<FaceRest>& faces, const Eigen::Ref<const Columns>& x,
                      std::vector<FaceJacobian>& out, Columns* y = nullptr);

/// One face on its own, for y and its derivative: dy may be null.
Vec3 scaled_normal(const FaceRest& face, const Vec3& v, const Vec3& w, FaceJacobian* dy);

}  // namespace pliant::cage
