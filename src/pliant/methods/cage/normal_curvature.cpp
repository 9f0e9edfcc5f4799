// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/normal_curvature.hpp"

#include <Eigen/Eigenvalues>

#include "pliant/math/second_order.hpp"

namespace pliant::cage {
namespace {

constexpr double least_area = 1e-6;  // |v x w| over the rest area

using Number = SecondOrder<6>;

}  // namespace

FaceCurvature normal_curvature(const FaceRest& face, const Vec3& v, const Vec3& w, const Vec3& f) {
  if (!(v.cross(w).norm() > least_area * face.area)) return FaceCurvature::Zero();
  // |v x w| and f . (v x w): their derivatives by hand are short, the products are Number's.
  const Vec3 across = v.cross(w);
  const double vv = v.squaredNorm(), ww = w.squaredNorm(), vw = v.dot(w);
  const auto cross_matrix = [](const Vec3& a) {
    Mat3 m;
    m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
    return m;
  };
  const Mat3 one = Mat3::Identity();
  Number along(f.dot(across));  // f . (v x w) = v . (w x f) = w . (f x v)
  along.g << w.cross(f), f.cross(v);
  along.h.topRightCorner<3, 3>() = -cross_matrix(f);
  along.h.bottomLeftCorner<3, 3>() = cross_matrix(f);
  Number square(across.squaredNorm());  // |v|^2 |w|^2 - (v . w)^2
  square.g << 2 * (ww * v - vw * w), 2 * (vv * w - vw * v);
  square.h.topLeftCorner<3, 3>() = 2 * (ww * one - w * w.transpose());
  square.h.bottomRightCorner<3, 3>() = 2 * (vv * one - v * v.transpose());
  const Mat3 mixed = 4 * v * w.transpose() - 2 * w * v.transpose() - 2 * vw * one;
  square.h.topRightCorner<3, 3>() = mixed;
  square.h.bottomLeftCorner<3, 3>() = mixed.transpose();
  const double unit = 1 / (8 * face.area * face.area);
  Number scale(unit * (face.a * ww - 2 * face.c * vw + face.b * vv));  // s^2
  scale.g << 2 * unit * (face.b * v - face.c * w), 2 * unit * (face.a * w - face.c * v);
  scale.h.topLeftCorner<3, 3>() = 2 * unit * face.b * one;
  scale.h.bottomRightCorner<3, 3>() = 2 * unit * face.a * one;
  scale.h.topRightCorner<3, 3>() = scale.h.bottomLeftCorner<3, 3>() = -2 * unit * face.c * one;
  return (sqrt(scale * inverse(square)) * along).h;
}

FaceCurvature without_negative(const FaceCurvature& m) {
  const Eigen::SelfAdjointEigenSolver<FaceCurvature> eigen(m);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace pliant::cage
