// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/collider.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "pliant/contact/closed_forms.hpp"
#include "pliant/contact/mesh_collider.hpp"

namespace pliant {
namespace {

using MeshPointer = std::shared_ptr<const MeshCollider>;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 14 deduces no aggregates

/// A box in space, m.
struct Bounds {
  Vec3 low, high;
  Vec3 centre() const { return (low + high) / 2; }
};

Bounds about(const Vec3& centre, const Vec3& half) { return {centre - half, centre + half}; }

/// Of the shape turned by R about the origin, then moved by t. A plane has only its point.
Bounds bounds_of(const ColliderShape& shape, const Pose& pose) {
  const auto moved = [&](const Vec3& x) -> Vec3 { return pose.rotation * x + pose.translation; };
  return std::visit(
      Overloaded{[&](const PlaneCollider& s) { return about(moved(s.point), Vec3::Zero()); },
                 [&](const SphereCollider& s) { return about(moved(s.center), Vec3::Constant(s.radius)); },
                 [&](const BoxCollider& s) {
                   return about(moved(s.center), (pose.rotation * s.rotation).cwiseAbs() * s.size / 2);
                 },
                 [&](const CapsuleCollider& s) {
                   const Vec3 a = moved(s.from), b = moved(s.to), r = Vec3::Constant(s.radius);
                   return Bounds{a.cwiseMin(b) - r, a.cwiseMax(b) + r};
                 },
                 [&](const MeshPointer& s) {
                   return about(moved((s->low() + s->high()) / 2),
                                pose.rotation.cwiseAbs() * (s->high() - s->low()) / 2);
                 }},
      shape);
}

class ShapeCheck {
 public:
  explicit ShapeCheck(std::vector<Problem>& problems) : problems_(problems) {}

  void operator()(const PlaneCollider& s) const {
    place("point", s.point);
    if (!s.normal.allFinite() || !(s.normal.norm() > 0))
      wrong("normal", "a normal without a direction", "a normal of any length but zero");
  }
  void operator()(const SphereCollider& s) const {
    place("center", s.center);
    size("radius", s.radius);
  }
  void operator()(const BoxCollider& s) const {
    place("center", s.center);
    for (const double edge : {s.size.x(), s.size.y(), s.size.z()}) size("size", edge);
    const bool turns = (s.rotation * s.rotation.transpose() - Mat3::Identity()).norm() < 1e-6 &&
                       s.rotation.determinant() > 0;
    if (!turns) wrong("rotation", "a matrix that is no rotation", "an orthogonal matrix of determinant 1");
  }
  void operator()(const CapsuleCollider& s) const {
    place("from", s.from);
    place("to", s.to);
    size("radius", s.radius);
  }
  void operator()(const MeshPointer& s) const {
    if (!s) return wrong("mesh", "no mesh", "a mesh");
    problems_.insert(problems_.end(), s->problems().begin(), s->problems().end());
  }
  void coefficient(const char* at, double value, double most, const char* expected) const {
    if (!(value >= 0) || !(value <= most)) wrong(at, fmt::format("{:g}", value), expected);
  }

 private:
  void wrong(const char* at, std::string found, const char* expected) const {
    problems_.push_back({at, std::move(found), expected, {}});
  }
  void place(const char* at, const Vec3& p) const {
    if (!p.allFinite()) wrong(at, "a coordinate that is not finite", "three finite numbers, m");
  }
  void size(const char* at, double value) const {
    if (!(value > 0) || !std::isfinite(value))
      wrong(at, fmt::format("{:g}", value), "a finite number > 0, m");
  }
  std::vector<Problem>& problems_;
};

/// Planes with a normal of length 1.
ColliderShape with_unit_normal(ColliderShape shape) {
  if (auto* plane = std::get_if<PlaneCollider>(&shape)) plane->normal.normalize();
  return shape;
}

std::vector<Problem> problems_of(const ColliderShape& shape, const Motion& motion, double friction,
                                 double restitution) {
  std::vector<Problem> problems = check_motion(motion, "motion");
  const ShapeCheck check(problems);
  std::visit(check, shape);
  check.coefficient("friction", friction, std::numeric_limits<double>::max(), "a finite number >= 0");
  check.coefficient("restitution", restitution, 1, "0 to 1");
  return problems;
}

Vec3 into(const Pose& pose, const Vec3& x) { return pose.rotation.transpose() * (x - pose.translation); }
Vec3 out_of(const Pose& pose, const Vec3& X) { return pose.rotation * X + pose.translation; }

}  // namespace

Collider::Collider(ColliderShape shape, Motion motion, double friction, double restitution)
    : problems_(problems_of(shape, motion, friction, restitution)),
      shape_(with_unit_normal(std::move(shape))),
      motion_(std::move(motion)),
      friction_(friction),
      restitution_(restitution) {
  if (!problems_.empty()) return;
  const Bounds bounds = bounds_of(shape_, {});
  centre_ = bounds.centre();
  size_ = std::holds_alternative<PlaneCollider>(shape_) ? std::numeric_limits<double>::infinity()
                                                        : (bounds.high - bounds.low).norm();
  aim(0, 0);
}

Pose Collider::pose_at(double time) const {
  Pose pose = problems_.empty() ? motion_.at(time) : Pose{};
  pose.translation += centre_ - pose.rotation * centre_;  // turns are about the collider's own centre
  return pose;
}

void Collider::aim(double begin, double end) {
  if (!problems_.empty()) return;
  h_ = end > begin ? end - begin : 0;
  pose_[0] = pose_at(begin);
  pose_[1] = pose_at(end);
  for (int k = 0; k < 2; ++k) {
    const Bounds bounds = bounds_of(shape_, pose_[k]);
    low_[k] = bounds.low;
    high_[k] = bounds.high;
  }
  jumped_ = (out_of(pose_[1], centre_) - out_of(pose_[0], centre_)).norm() > size_ / 2;
}

Vec3 Collider::velocity(const Vec3& material) const {
  if (jumped_ || h_ == 0) return Vec3::Zero();
  return (out_of(pose_[1], material) - out_of(pose_[0], material)) / h_;
}

Touch Collider::touch(const SurfacePoint& p, Instant instant) const {
  return {p.gap, pose(instant).rotation * p.normal, velocity(p.point), p.feature};
}

int Collider::query(const Vec3& x, double band, Instant instant, Side& side,
                    std::span<Touch, max_touches> out) const {
  if (!problems_.empty()) return 0;
  const Vec3 X = into(pose(instant), x);
  std::array<SurfacePoint, max_touches> found;
  const auto convex = [&](const auto& s) {
    found[0] = nearest(s, X);
    return int(found[0].gap < band);
  };
  const auto mesh = [&](const MeshPointer& s) {
    if (jumped_ && instant == Instant::end) side = 0;  // remembered of another place
    return s->query(X, band, side, found);
  };
  const int count = std::visit(Overloaded{convex, mesh}, shape_);
  for (int k = 0; k < count; ++k) out[std::size_t(k)] = touch(found[std::size_t(k)], instant);
  return count;
}

bool Collider::crossed(const Vec3& x, const Vec3& y, Touch& out) const {
  if (jumped_ || !problems_.empty()) return false;
  const Vec3 from = into(pose_[0], x), to = into(pose_[1], y);
  SurfacePoint hit;
  const auto always_tells = [](const PlaneCollider&) { return false; };
  const auto convex = [&](const auto& s) {
    if (!entry(s, from, to, hit)) return false;
    const SurfacePoint end = nearest(s, to);
    return end.gap >= 0 || end.normal.dot(hit.normal) < 0.5;
  };
  const auto mesh = [&](const MeshPointer& s) { return s->crossed(from, to, hit); };
  const bool yes = std::visit(Overloaded{always_tells, convex, mesh}, shape_);
  if (yes) out = touch(hit, Instant::end);
  return yes;
}

bool Collider::near(const Vec3& low, const Vec3& high, double band) const {
  if (!problems_.empty()) return false;
  if (const auto* plane = std::get_if<PlaneCollider>(&shape_)) {
    for (const Pose& pose : pose_) {
      const Vec3 n = pose.rotation * plane->normal;
      const Vec3 deepest = (n.array() > 0).select(low, high);
      if (n.dot(deepest - out_of(pose, plane->point)) < band) return true;
    }
    return false;
  }
  const Vec3 a = low_[0].cwiseMin(low_[1]), b = high_[0].cwiseMax(high_[1]);
  return ((high - a).array() > -band).all() && ((b - low).array() > -band).all();
}

}  // namespace pliant
