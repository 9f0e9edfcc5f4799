// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/fast_colliders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr double steepest = 1.5;  // of s^2 (3 - 2 s)

/// Length of the way through the middle of a collider along a unit vector, m.
struct Thickness {
  Vec3 along;

  double operator()(const PlaneColliderSpec&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const SphereColliderSpec& s) const { return 2 * s.radius; }
  double operator()(const CapsuleColliderSpec& s) const { return 2 * s.radius; }
  double operator()(const MeshColliderSpec&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const BoxColliderSpec& s) const {
    const Vec3 d = rotation_matrix(s.rotate).transpose() * along;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k)
      if (std::abs(d[k]) > 1e-9) least = std::min(least, s.size[k] / std::abs(d[k]));
    return least;
  }
};

/// The worst pair of neighbouring keys.
struct Worst {
  double ratio = 1, way = 0, thickness = 0;
};

Worst worst_of(const ColliderSpec& collider, double h) {
  const ColliderTraits& traits =
      std::visit([](const ColliderTraits& t) -> const ColliderTraits& { return t; }, collider.is);
  Worst worst;
  for (std::size_t k = 1; k < traits.motion.size(); ++k) {
    const MotionKey &a = traits.motion[k - 1], &b = traits.motion[k];
    const Vec3 way = b.translate - a.translate;
    const double length = way.norm(), time = b.time - a.time;
    if (!(length > 0 && time > 0)) continue;
    const double in_a_step =
        std::min(length, (traits.ease == Ease::smooth ? steepest : 1.0) * length * h / time);
    const double thickness =
        std::visit(Thickness{Mat3(rotation_matrix(a.rotate)).transpose() * way / length}, collider.is);
    if (in_a_step > worst.ratio * thickness) worst = {in_a_step / thickness, in_a_step, thickness};
  }
  return worst;
}

}  // namespace

std::vector<std::string> fast_collider_notes(const SceneSpec& scene) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const Worst worst = worst_of(scene.colliders[i], scene.step_length());
    if (!(worst.way > 0)) continue;
    out.push_back(
        fmt::format("colliders.{}: goes up to {:.3g} m in a step and is {:.3g} m thick along its way: what "
                    "it passes within a step is "
                    "not met; take at least {:.0f} substeps",
                    i, worst.way, worst.thickness, std::ceil(2 * worst.ratio * scene.substeps)));
  }
  return out;
}

}  // namespace pliant
