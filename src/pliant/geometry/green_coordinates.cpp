// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/green_coordinates.hpp"

#include <algorithm>

#include "pliant/base/simd.hpp"
#include "pliant/geometry/green_kernels.hpp"

namespace pliant {
namespace {

GreenKernel* kernel() {
  static constexpr GreenKernel* by_level[] = {green_portable, green_avx2, green_avx512};
  return by_level[int(simd_level())];
}

GreenTriangle triangle_of(const TriMesh& cage, Index face) {
  GreenTriangle out{};
  const Triangle& t = cage.triangles[std::size_t(face)];
  Vec3 v[3];
  for (int k = 0; k < 3; ++k) {
    v[k] = cage.vertices[std::size_t(t[k])];
    out.index[k] = t[k];
  }
  out.face = face;
  const Vec3 across = (v[1] - v[0]).cross(v[2] - v[0]);
  out.twice_area = across.norm();
  const Vec3 n = across / out.twice_area;
  for (int k = 0; k < 3; ++k) {
    const Vec3 edge = v[(k + 1) % 3] - v[k];
    out.length[k] = edge.norm();
    const Vec3 along = edge / out.length[k], outward = along.cross(n);
    for (int c = 0; c < 3; ++c) {
      out.vertex[k][c] = v[k][c];
      out.along[k][c] = along[c];
      out.outward[k][c] = outward[c];
    }
  }
  for (int c = 0; c < 3; ++c) out.normal[c] = n[c];
  return out;
}

}  // namespace

Points face_normals(const TriMesh& cage) {
  Points out;
  out.reserve(cage.triangles.size());
  for (const Triangle& t : cage.triangles) {
    const Vec3& a = cage.vertices[std::size_t(t[0])];
    out.push_back(
        (cage.vertices[std::size_t(t[1])] - a).cross(cage.vertices[std::size_t(t[2])] - a).normalized());
  }
  return out;
}

GreenCoordinates green_coordinates(const TriMesh& cage, std::span<const Vec3> points, Gradients gradients) {
  const Index n = Index(cage.vertices.size()), faces = Index(cage.triangles.size());
  std::vector<GreenTriangle> triangles;
  triangles.reserve(cage.triangles.size());
  for (Index f = 0; f < faces; ++f) triangles.push_back(triangle_of(cage, f));
  const bool with = gradients == Gradients::yes;
  const Eigen::Index rows = n + faces, count = Eigen::Index(points.size());
  GreenCoordinates out;
  out.value.resize(rows, count);
  if (with) out.gradient.resize(rows, 3 * count);
  std::vector<double> value(std::size_t(rows) * green_lanes), gradient(with ? 3 * value.size() : 0);
  const std::size_t first_face = std::size_t(n) * green_lanes;
  const GreenOutput lanes{value.data(), value.data() + first_face, with ? gradient.data() : nullptr,
                          with ? gradient.data() + 3 * first_face : nullptr};
  GreenKernel* const evaluate = kernel();
  for (Eigen::Index begin = 0; begin < count; begin += green_lanes) {
    const int used = int(std::min<Eigen::Index>(green_lanes, count - begin));
    double x[3 * green_lanes];
    for (int lane = 0; lane < green_lanes; ++lane)
      for (int c = 0; c < 3; ++c)
        x[green_lanes * c + lane] = points[std::size_t(begin + std::min(lane, used - 1))][c];
    std::fill(value.begin(), value.end(), 0.0);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    evaluate(triangles.data(), int(faces), x, lanes);
    for (int lane = 0; lane < used; ++lane)
      for (Eigen::Index r = 0; r < rows; ++r) out.value(r, begin + lane) = value[r * green_lanes + lane];
    if (!with) continue;
    for (int lane = 0; lane < used; ++lane)
      for (int c = 0; c < 3; ++c)
        for (Eigen::Index r = 0; r < rows; ++r)
          out.gradient(r, 3 * (begin + lane) + c) = gradient[(3 * r + c) * green_lanes + lane];
  }
  return out;
}

}  // namespace pliant
