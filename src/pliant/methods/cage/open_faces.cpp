// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/open_faces.hpp"

#include "pliant/methods/cage/normal_curvature.hpp"

namespace pliant::cage {
namespace {

constexpr double least_face_area = 0.2;  // of a face, share of its area before a step or at rest

}  // namespace

double opening_energy(const Model& model, const Eigen::Ref<const Columns>& x, Columns* force) {
  double sum = 0;
  for (const FaceRest& face : model.faces) {
    const Vec3 p = x.col(face.corner[0]);
    Barrier barrier;
    if (!face_barrier(face, x.col(face.corner[1]) - p, x.col(face.corner[2]) - p, force, barrier)) continue;
    sum += model.opening * barrier.energy;
    if (!force) continue;
    const Vec3 by_v = model.opening * barrier.gradient.head<3>(),
               by_w = model.opening * barrier.gradient.tail<3>();
    force->col(face.corner[0]) += by_v + by_w;
    force->col(face.corner[1]) -= by_v;
    force->col(face.corner[2]) -= by_w;
  }
  return sum;
}

bool folds(const Model& model, const Columns& from, const Columns& to) {
  for (const FaceRest& face : model.faces) {
    const Vec3 a = from.col(face.corner[0]), b = to.col(face.corner[0]);
    const Vec3 before = (Vec3(from.col(face.corner[1])) - a).cross(Vec3(from.col(face.corner[2])) - a);
    const Vec3 after = (Vec3(to.col(face.corner[1])) - b).cross(Vec3(to.col(face.corner[2])) - b);
    const double least = std::min(before.norm(), 2 * face.area);
    if (!(after.norm() > least_face_area * least)) return true;
  }
  return false;
}

}  // namespace pliant::cage
