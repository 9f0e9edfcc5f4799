// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/props.hpp"

#include <algorithm>

#include "pliant/contact/collider_surface.hpp"

namespace pliant::view {
namespace {

constexpr double level = 0.999;  // cosine, as of the ground in the scene message

bool is_ground(const Collider& collider) {
  const auto* plane = std::get_if<PlaneCollider>(&collider.shape());
  return plane && !collider.moves() && plane->normal.normalized().y() > level;
}

/// A square of the plane around the foot of a point, where the shape was written.
TriMesh board(const PlaneCollider& plane, const Vec3& about, double reach) {
  const Vec3 n = plane.normal.normalized(), foot = about - n.dot(about - plane.point) * n;
  const Vec3 across = (std::abs(n.y()) > level ? Vec3::UnitX() : Vec3::UnitY()).cross(n).normalized(),
             along = n.cross(across);
  TriMesh mesh;
  for (const auto& [u, v] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}})
    mesh.vertices.push_back(foot + reach * (u * across + v * along));
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

}  // namespace

PropMesh prop_mesh(const std::vector<Collider>& colliders, double time, const Vec3& about, double reach) {
  PropMesh out;
  for (const Collider& collider : colliders) {
    if (is_ground(collider)) continue;
    const auto* plane = std::get_if<PlaneCollider>(&collider.shape());
    const TriMesh mesh =
        plane ? board(*plane, about, reach) : surface_of(collider.shape()).value_or(TriMesh{});
    const std::uint32_t first = std::uint32_t(out.positions.size());
    const Pose pose = collider.pose_at(time);
    for (const Vec3& X : mesh.vertices) {
      const Vec3 x = pose.rotation * X + pose.translation;
      out.positions.push_back({float(x.x()), float(x.y()), float(x.z())});
    }
    for (const auto& t : mesh.triangles)
      out.triangles.push_back(
          {first + std::uint32_t(t[0]), first + std::uint32_t(t[1]), first + std::uint32_t(t[2])});
  }
  return out;
}

bool props_move(const std::vector<Collider>& colliders) {
  return std::any_of(colliders.begin(), colliders.end(), [](const Collider& c) { return c.moves(); });
}

}  // namespace pliant::view
