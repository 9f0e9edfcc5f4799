// SPDX-License-Identifier: Apache-2.0
// The scaled normals of a deformed cage and their derivative [Martin09, Eq. 10]. For a triangle with edges v,
// w (vbar, wbar at rest), A = |vbar|^2, B = |wbar|^2, C = vbar . wbar:
//   s = sqrt(A |w|^2 - 2 C v . w + B |v|^2)/(sqrt 8 area at rest),   y = s n,  n = (v x w)/|v x w|
//   ds/dv = (B v - C w)/(8 area^2 s),  ds/dw = (A w - C v)/(8 area^2 s)
//   Pn = (s/|v x w|)(1 - n n^T);  dy/db = n (ds/dv)^T - Pn [w]x,  dy/dc = n (ds/dw)^T + Pn [v]x,
//   dy/da = minus both
#pragma once

#include <Eigen/Core>

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
};
std::vector<FaceRest> face_rests(const TriMesh& cage);

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
