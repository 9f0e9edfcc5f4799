// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/normal_curvature.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/math/second_order.hpp"

namespace pliant::cage {
namespace {

constexpr double least_area = 1e-6;  // |v x w| over the rest area

constexpr double open_area = 0.15;  // over that at rest: faces above feel nothing
constexpr double least_open = 1e-12;

using Number = SecondOrder<6>;

/// |v x w|^2 = |v|^2 |w|^2 - (v . w)^2.
Number cross_square(const Vec3& v, const Vec3& w) {
  const double vv = v.squaredNorm(), ww = w.squaredNorm(), vw = v.dot(w);
  const Mat3 one = Mat3::Identity();
  Number out(v.cross(w).squaredNorm());
  out.g << 2 * (ww * v - vw * w), 2 * (vv * w - vw * v);
  out.h.topLeftCorner<3, 3>() = 2 * (ww * one - w * w.transpose());
  out.h.bottomRightCorner<3, 3>() = 2 * (vv * one - v * v.transpose());
  const Mat3 mixed = 4 * v * w.transpose() - 2 * w * v.transpose() - 2 * vw * one;
  out.h.topRightCorner<3, 3>() = mixed;
  out.h.bottomLeftCorner<3, 3>() = mixed.transpose();
  return out;
}

}  // namespace

FaceCurvature normal_curvature(const FaceRest& face, const Vec3& v, const Vec3& w, const Vec3& f) {
  if (!(v.cross(w).norm() > least_area * face.area)) return FaceCurvature::Zero();
  // The derivatives of what is multiplied are short by hand, the products are Number's.
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
  const Number square = cross_square(v, w);
  const double unit = 1 / (8 * face.area * face.area);
  Number scale(unit * (face.a * ww - 2 * face.c * vw + face.b * vv));  // s^2
  scale.g << 2 * unit * (face.b * v - face.c * w), 2 * unit * (face.a * w - face.c * v);
  scale.h.topLeftCorner<3, 3>() = 2 * unit * face.b * one;
  scale.h.bottomRightCorner<3, 3>() = 2 * unit * face.a * one;
  scale.h.topRightCorner<3, 3>() = scale.h.bottomLeftCorner<3, 3>() = -2 * unit * face.c * one;
  const NormalLength at = normal_length(face, scale.value);
  const Number length = scale.through(at.s, at.first, at.second(face, scale.value));
  return (length * sqrt(inverse(square)) * along).h;
}

bool face_barrier(const FaceRest& face, const Vec3& v, const Vec3& w, bool derivatives, Barrier& out) {
  const double rest = 2 * face.area * open_area, area = std::max(v.cross(w).norm() / rest, least_open);
  if (!(area < 1)) return false;
  const double closed = 1 - area, log = std::log(area);
  out.energy = -closed * closed * log;
  if (!derivatives) return true;
  const Number a = (1 / rest) * sqrt(cross_square(v, w));
  const Number b = a.through(out.energy, 2 * closed * log - closed * closed / area,
                             -2 * log + 4 * closed / area + closed * closed / (area * area));
  out.gradient = b.g;
  out.curvature = b.h;
  return true;
}

FaceCurvature without_negative(const FaceCurvature& m) {
  const Eigen::SelfAdjointEigenSolver<FaceCurvature> eigen(m);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace pliant::cage
