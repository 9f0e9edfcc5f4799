// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_colliders.hpp"

namespace pliant {
namespace {

struct MakeShape {
  ColliderShape operator()(const PlaneColliderSpec& s) const { return PlaneCollider(s); }
  ColliderShape operator()(const SphereColliderSpec& s) const { return SphereCollider(s); }
  ColliderShape operator()(const BoxColliderSpec& s) const {
    return BoxCollider{s.center, s.size, rotation_matrix(s.rotate)};
  }
  ColliderShape operator()(const CapsuleColliderSpec& s) const { return CapsuleCollider(s); }
};

}  // namespace

std::vector<Collider> build_colliders(const std::vector<ColliderSpec>& specs) {
  std::vector<Collider> colliders;
  for (const ColliderSpec& spec : specs) {
    const ColliderTraits& traits =
        std::visit([](const ColliderTraits& t) -> const ColliderTraits& { return t; }, spec.is);
    colliders.emplace_back(std::visit(MakeShape{}, spec.is), Motion{traits.motion, traits.ease},
                           traits.friction, traits.restitution);
  }
  return colliders;
}

}  // namespace pliant
