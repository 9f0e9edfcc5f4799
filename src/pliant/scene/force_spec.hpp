// SPDX-License-Identifier: Apache-2.0
// Forces of the world as a scene writes them: what the keys of `forces` become. Units, ranges and help stand in
// force_spec.cpp.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "pliant/base/layout.hpp"
#include "pliant/physics/world_force.hpp"

namespace pliant {

/// Of a force that is the same everywhere.
struct TurningKey {
  double time = 0;    ///< s
  double factor = 1;  ///< on the force
  Turn rotate;        ///< of its direction
};
/// Of a force that has a place.
struct MovingKey : TurningKey {
  Vec3 translate{0, 0, 0};  ///< m
};

/// What all forces have.
template <class Key>
struct ForceTraits {
  std::vector<std::string> bodies;  ///< empty: all
  std::vector<Key> motion;
  Ease ease = Ease::smooth;
};

struct ConstantForceSpec : ForceTraits<TurningKey>, ConstantForce {};
struct WindForceSpec : ForceTraits<TurningKey>, WindForce {};
struct PointForceSpec : ForceTraits<MovingKey>, PointForce {};
struct VortexForceSpec : ForceTraits<MovingKey>, VortexForce {};

struct ForceSpec {
  std::variant<ConstantForceSpec, WindForceSpec, PointForceSpec, VortexForceSpec> is;
};

template <>
const Layout<ForceSpec>& layout_of();

/// "constant", "wind", "point", "vortex".
const char* kind_of(const ForceSpec& force);
/// The specs are valid (scene/validate.hpp).
std::vector<WorldForce> world_forces(const std::vector<ForceSpec>& specs);

}  // namespace pliant
