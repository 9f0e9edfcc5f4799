// SPDX-License-Identifier: Apache-2.0
// What soft bodies meet and cannot move: plane, sphere, box, capsule, triangle mesh, still or keyframed.
#pragma once

#include <memory>
#include <span>
#include <variant>

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/physics/motion.hpp"

namespace pliant {

struct PlaneCollider {
  Vec3 point{0, 0, 0};   ///< m
  Vec3 normal{0, 1, 0};  ///< towards the free side, any length but zero
};
struct SphereCollider {
  Vec3 center{0, 0, 0};  ///< m
  double radius = 1;     ///< m
};
struct BoxCollider {
  Vec3 center{0, 0, 0};              ///< m
  Vec3 size{1, 1, 1};                ///< edge lengths, m
  Mat3 rotation = Mat3::Identity();  ///< of its axes
};
struct CapsuleCollider {
  Vec3 from{0, 0, 0}, to{0, 1, 0};  ///< ends of the axis, m
  double radius = 0.1;              ///< m
};
class MeshCollider;  ///< contact/mesh_collider.hpp
using ColliderShape = std::variant<PlaneCollider, SphereCollider, BoxCollider, CapsuleCollider,
                                   std::shared_ptr<const MeshCollider>>;

/// How a point lies to a collider.
struct Touch {
  double gap = 0;          ///< m, < 0 inside
  Vec3 normal{0, 1, 0};    ///< from the collider to the point
  Vec3 velocity{0, 0, 0};  ///< of the collider's material there over the step, m/s
  Index feature = 0;       ///< which face, edge or corner; tells contacts of one point apart
};
inline constexpr int max_touches = 3;  ///< of one point and one collider: a corner of a room

struct SurfacePoint;  // contact/closed_forms.hpp

enum class Instant { begin, end };  ///< of the step

/// A side a point is on, kept while it is near: 0 = not near yet. Only sheets and dirty meshes need it.
using Side = signed char;

/// A collider with problems touches nothing, and a simulation that has one refuses to step.
class Collider {
 public:
  Collider(ColliderShape shape, Motion motion, double friction, double restitution);

  /// What is wrong with what it was made from: sizes not above 0, no normal, a matrix that is no rotation, no mesh, a
  /// friction below 0, a restitution that is not of 0 .. 1, a motion that is wrong (check_motion).
  const std::vector<Problem>& problems() const { return problems_; }

  /// The step that begins and ends at these times, s. A jump of more than half the collider's size counts as
  /// a teleport: its velocity is zero. An end that is not after the beginning makes a step of length 0.
  void aim(double begin, double end);

  /// Touches with gap < band, nearest first, normals more than 30 degrees apart; returns how many.
  int query(const Vec3& x, double band, Instant instant, Side& side, std::span<Touch, max_touches> out) const;

  /// Does the way from x (at the beginning) to y (at the end of the step) come into the collider from outside
  /// so that the end does not tell: it has left again, or is nearest to another side? The touch is that of
  /// the end of the step with the tangent plane where the way came in: gap = that of y over the plane, and
  /// gap - normal . (y - x - h velocity) that of x. A teleport crosses nothing.
  bool crossed(const Vec3& x, const Vec3& y, Touch& out) const;

  /// Could anything within the box [low, high] grown by band touch it, at either instant?
  bool near(const Vec3& low, const Vec3& high, double band) const;

  double friction() const { return friction_; }
  double restitution() const { return restitution_; }
  const ColliderShape& shape() const { return shape_; }
  /// x = rotation * X + translation, X where the shape was written.
  const Pose& pose(Instant instant) const { return pose_[int(instant)]; }
  bool moves() const { return !motion_.keys.empty(); }
  /// The pose at any time, the aim left alone: for drawing.
  Pose pose_at(double time) const;
  double size() const { return size_; }  ///< diagonal of its bounding box, m; infinite for a plane

 private:
  Touch touch(const SurfacePoint& p, Instant instant) const;
  Vec3 velocity(const Vec3& material) const;

  std::vector<Problem> problems_;
  ColliderShape shape_;
  Motion motion_;
  double friction_ = 0.5, restitution_ = 0;
  Pose pose_[2];
  double h_ = 0;           // s, of the step aimed at
  Vec3 centre_{0, 0, 0};   // what the motion turns about
  double size_ = 0;        // m
  Vec3 low_[2], high_[2];  // bounding box at both instants; unused for a plane
  bool jumped_ = false;
};

}  // namespace pliant
