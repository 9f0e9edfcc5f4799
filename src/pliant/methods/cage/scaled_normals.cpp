// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/scaled_normals.hpp"

#include <cmath>

namespace pliant::cage {
namespace {

constexpr double least_normal_area = 1e-9;  // |v x w| over the rest area, before it divides
constexpr double least_square = 1e-12;      // s^2

Mat3 cross_matrix(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

}  // namespace

std::vector<FaceRest> face_rests(const TriMesh& cage, double thinning) {
  std::vector<FaceRest> out;
  out.reserve(cage.triangles.size());
  for (const Triangle& t : cage.triangles) {
    const Vec3 &p = cage.vertices[std::size_t(t[0])], v = cage.vertices[std::size_t(t[1])] - p,
               w = cage.vertices[std::size_t(t[2])] - p;
    out.push_back({t, v.squaredNorm(), w.squaredNorm(), v.dot(w), v.cross(w).norm() / 2, thinning});
  }
  return out;
}

Vec3 scaled_normal(const FaceRest& face, const Vec3& v, const Vec3& w, FaceJacobian* dy) {
  const double unit = 1 / (8 * face.area * face.area);
  const double square = unit * (face.a * w.squaredNorm() - 2 * face.c * v.dot(w) + face.b * v.squaredNorm());
  const NormalLength length_of = normal_length(face, std::max(square, least_square));
  const double s = length_of.s;
  const Vec3 across = v.cross(w);
  const double length = std::max(across.norm(), least_normal_area * face.area);
  const Vec3 n = across / length;
  if (dy) {
    const double slope = 2 * unit * length_of.first;
    const Vec3 ds_dv = slope * (face.b * v - face.c * w), ds_dw = slope * (face.a * w - face.c * v);
    const Mat3 pn = s / length * (Mat3::Identity() - n * n.transpose());
    (*dy)[1] = n * ds_dv.transpose() - pn * cross_matrix(w);
    (*dy)[2] = n * ds_dw.transpose() + pn * cross_matrix(v);
    (*dy)[0] = -(*dy)[1] - (*dy)[2];
  }
  return s * n;
}

void scaled_normals(const std::vector<FaceRest>& faces, const Eigen::Ref<const Columns>& x,
                    Eigen::Ref<Columns> y) {
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Triangle& t = faces[f].corner;
    const Vec3 p = x.col(t[0]);
    y.col(Eigen::Index(f)) = scaled_normal(faces[f], x.col(t[1]) - p, x.col(t[2]) - p, nullptr);
  }
}

void normal_jacobians(const std::vector<FaceRest>& faces, const Eigen::Ref<const Columns>& x,
                      std::vector<FaceJacobian>& out, Columns* y) {
  out.resize(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const Triangle& t = faces[f].corner;
    const Vec3 p = x.col(t[0]);
    const Vec3 normal = scaled_normal(faces[f], x.col(t[1]) - p, x.col(t[2]) - p, &out[f]);
    if (y) y->col(Eigen::Index(f)) = normal;
  }
}

}  // namespace pliant::cage
