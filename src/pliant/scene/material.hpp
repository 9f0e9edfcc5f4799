// SPDX-License-Identifier: Apache-2.0
// Materials by name: numbers in SI units for density, Young's modulus, Poisson's ratio, damping and friction.
// docs/materials.md has their sources and ranges.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/layout.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

struct Material {
  std::string name;
  double density = 0;    ///< kg/m^3
  double stiffness = 0;  ///< Young's modulus, Pa
  double poisson = 0;    ///< Poisson's ratio, at most 0.45: all methods with a choice take it
  double damping = 0;    ///< Damping::stiffness, s: the loss factor at 10 Hz over 2 pi 10 Hz
  double friction = 0;   ///< dry, on a hard and even ground
};

const std::vector<Material>& materials();
/// Null: there is none of that name.
const Material* find_material(const std::string& name);
/// "none" and the names of all, as a scene writes them.
std::vector<std::string> material_names();

/// A scene in which bodies with a material have its numbers wherever they say nothing themselves. A Poisson's
/// ratio that the method's settings cannot have is left out.
Json with_materials(Json scene);

/// What of its material the body cannot have, one sentence each.
std::vector<std::string> material_notes(const BodySpec& body);

}  // namespace pliant
