// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/collider_surface.hpp"

#include <cmath>
#include <numbers>

#include "pliant/contact/mesh_collider.hpp"

namespace pliant {
namespace {

constexpr int facets_around = 64, facets_up = 32;  // facets of a ball

/// A ball about the origin whose upper half, y > 0, is lifted by `length`: a sphere or a capsule.
TriMesh lifted_ball(double radius, double length) {
  TriMesh mesh;
  const auto ring = [&](double latitude, double lift) {
    for (int j = 0; j < facets_around; ++j) {
      const double angle = 2 * std::numbers::pi * j / facets_around;
      mesh.vertices.emplace_back(radius * std::cos(latitude) * std::cos(angle),
                                 radius * std::sin(latitude) + lift,
                                 -radius * std::cos(latitude) * std::sin(angle));
    }
  };
  mesh.vertices.emplace_back(0, -radius, 0);
  for (int i = 1; i <= facets_up / 2; ++i) ring(std::numbers::pi * (double(i) / facets_up - 0.5), 0);
  for (int i = length > 0 ? facets_up / 2 : facets_up / 2 + 1; i < facets_up; ++i)
    ring(std::numbers::pi * (double(i) / facets_up - 0.5), length);
  mesh.vertices.emplace_back(0, radius + length, 0);

  const Index top = Index(mesh.vertices.size()) - 1;
  for (Index j = 0; j < facets_around; ++j) {
    const Index k = (j + 1) % facets_around;
    mesh.triangles.push_back({0, 1 + k, 1 + j});
    mesh.triangles.push_back({top, top - facets_around + j, top - facets_around + k});
    for (Index row = 1; row + facets_around < top; row += facets_around) {
      mesh.triangles.push_back({row + j, row + k, row + facets_around + k});
      mesh.triangles.push_back({row + j, row + facets_around + k, row + facets_around + j});
    }
  }
  return mesh;
}

TriMesh moved(TriMesh mesh, const Mat3& rotation, const Vec3& translation) {
  for (Vec3& p : mesh.vertices) p = rotation * p + translation;
  return mesh;
}

TriMesh block(const Vec3& size) {
  TriMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        Vec3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5).cwiseProduct(size));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

/// A rotation that takes y to the direction of `axis`; none for an axis without length.
Mat3 upright_to(const Vec3& axis) {
  if (axis.isZero(0)) return Mat3::Identity();
  const Vec3 y = axis.normalized(), x = y.unitOrthogonal();
  Mat3 turn;
  turn << x, y, x.cross(y);
  return turn;
}

struct Surface {
  using Result = std::optional<TriMesh>;
  Result operator()(const PlaneCollider&) const { return std::nullopt; }
  Result operator()(const SphereCollider& s) const {
    return moved(lifted_ball(s.radius, 0), Mat3::Identity(), s.center);
  }
  Result operator()(const BoxCollider& s) const { return moved(block(s.size), s.rotation, s.center); }
  Result operator()(const CapsuleCollider& s) const {
    const Vec3 axis = s.to - s.from;
    return moved(lifted_ball(s.radius, axis.norm()), upright_to(axis), s.from);
  }
  Result operator()(const std::shared_ptr<const MeshCollider>& s) const { return s->mesh(); }
};

}  // namespace

std::string kind_of(const ColliderShape& shape) {
  constexpr const char* kinds[] = {"plane", "sphere", "box", "capsule", "mesh"};
  return kinds[shape.index()];
}

std::optional<TriMesh> surface_of(const ColliderShape& shape) { return std::visit(Surface{}, shape); }

}  // namespace pliant
