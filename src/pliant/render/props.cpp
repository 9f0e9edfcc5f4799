// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/props.hpp"

#include <Eigen/Geometry>
#include <limits>

namespace pliant {
namespace {

constexpr double level = 1 - 1e-9;      // cosine of a plane that is the floor
constexpr double board_margin = 0.12;   // of the bodies' extent, around a board
constexpr double camera_margin = 0.35;  // of it, around the bodies: what the camera still holds
const Color still_color = color_of(0xb3ada3), moving_color = color_of(0x7f8c9b);

Vec3 moved(const RigidPlace& place, const Vec3& X) { return place.rotation * X + place.translation; }

bool is_floor(const ColliderTrack& c) {
  return c.plane && c.places.size() == 1 && (c.at(0).rotation * c.normal).normalized().y() > level;
}

}  // namespace

Props::Props(const std::vector<ColliderTrack>& colliders, const Vec3& low, const Vec3& high)
    : low_(low), high_(high) {
  for (const ColliderTrack& collider : colliders) {
    if (is_floor(collider)) {
      const double height = moved(collider.at(0), collider.point).y();
      floor_ = std::max(floor_.value_or(height), height);
      continue;
    }
    props_.push_back(collider);
    if (collider.plane) props_.back().surface = board(collider);
  }
}

/// A rectangle under all bodies, one side level, where the plane was written.
TriMesh Props::board(const ColliderTrack& plane) const {
  const RigidPlace& start = plane.at(0);
  const Vec3 n = (start.rotation * plane.normal).normalized(), p = moved(start, plane.point);
  const Vec3 across = (std::abs(n.y()) > level ? Vec3::UnitX() : Vec3::UnitY()).cross(n).normalized(),
             along = n.cross(across);
  Eigen::Vector2d least = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity()), most = -least;
  for (int i = 0; i < 8; ++i) {
    const Vec3 d =
        Vec3(i & 1 ? high_.x() : low_.x(), i & 2 ? high_.y() : low_.y(), i & 4 ? high_.z() : low_.z()) - p;
    const Eigen::Vector2d uv(d.dot(across), d.dot(along));
    least = least.cwiseMin(uv), most = most.cwiseMax(uv);
  }
  const double margin = board_margin * (high_ - low_).norm();
  least.array() -= margin, most.array() += margin;
  TriMesh mesh;
  for (const auto& [u, v] :
       {std::pair{least.x(), least.y()}, {most.x(), least.y()}, {most.x(), most.y()}, {least.x(), most.y()}})
    mesh.vertices.push_back(start.rotation.transpose() * (p + u * across + v * along - start.translation));
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  return mesh;
}

bool Props::faces(int prop, const Vec3& eye, int frame) const {
  const ColliderTrack& c = props_[std::size_t(prop)];
  return !c.plane || (c.at(frame).rotation * c.normal).dot(eye - moved(c.at(frame), c.point)) > 0;
}

Points Props::positions(int prop, int frame) const {
  const ColliderTrack& c = props_[std::size_t(prop)];
  Points x;
  for (const Vec3& X : c.surface.vertices) x.push_back(moved(c.at(frame), X));
  return x;
}

RenderBody Props::body(int prop, int frame) const {
  const ColliderTrack& c = props_[std::size_t(prop)];
  return {c.surface.triangles,
          c.surface.vertices,
          positions(prop, frame),
          moves(prop) ? moving_color : still_color,
          {},
          false};
}

Points Props::close_points(int prop, int frame) const {
  const Vec3 margin = Vec3::Constant(camera_margin * (high_ - low_).norm());
  Points close;
  for (const Vec3& p : positions(prop, frame))
    if ((p.array() > (low_ - margin).array()).all() && (p.array() < (high_ + margin).array()).all())
      close.push_back(p);
  return close;
}

}  // namespace pliant
