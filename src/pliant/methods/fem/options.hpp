// SPDX-License-Identifier: Apache-2.0
// Settings of the finite-element baseline (docs/methods/fem.md).
#pragma once

#include <optional>

#include "pliant/base/option.hpp"
#include "pliant/methods/bones.hpp"
#include "pliant/physics/implicit_scheme.hpp"

namespace pliant::fem {

enum class Material { corotational, linear };
enum class Turning { polar, diffused };
enum class ElementKind { tetrahedron, hexahedron };
using pliant::Integrator;

struct Options {
  ElementKind element = ElementKind::tetrahedron;
  Material model = Material::corotational;
  Turning rotations = Turning::polar;
  double stiffness = 1e5;
  double poisson = 0.3;
  Integrator integrator = Integrator::bdf2;
  int iterations = 1;
  double tolerance = 1e-4;
  std::optional<RigidBones> bones = std::nullopt;
};

const OptionTable<Options>& option_table();

}  // namespace pliant::fem
