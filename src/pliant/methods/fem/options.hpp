// SPDX-License-Identifier: Apache-2.0
// Settings of the finite-element baseline (docs/methods/fem.md).
#pragma once

#include "pliant/base/option.hpp"

namespace pliant::fem {

enum class Material { corotational, linear };
enum class ElementKind { tetrahedron, hexahedron };
enum class Integrator { euler, bdf2 };

struct Options {
  ElementKind element = ElementKind::tetrahedron;
  Material model = Material::corotational;
  double stiffness = 1e5;
  double poisson = 0.3;
  Integrator integrator = Integrator::euler;
  int iterations = 1;
  double tolerance = 1e-4;
};

const OptionTable<Options>& option_table();

}  // namespace pliant::fem
