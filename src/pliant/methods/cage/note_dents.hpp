// SPDX-License-Identifier: Apache-2.0
// A warning that a caged body dents too little where it touches something (docs/methods/cage.md, Limits).
//
// Green coordinates are harmonic functions of the place, so that each coordinate of a caged body's displacement is
// harmonic however fine its cage is; an elastic displacement is not. A dent of wave number k in a half space,
// u = (A sin kx, W cos kx) e^(-kz), has the energy k/4 (mu (A^2 + W^2 + (A + W)^2/2) + lambda/2 (A - W)^2) an area,
// least at A = W (lambda - mu)/(lambda + 3 mu): k W^2 mu (lambda + mu)/(lambda + 3 mu). Elasticity has
// k W^2 mu/(4 (1 - nu)). So all dents are 4 (1 - nu)/(3 - 4 nu) times as stiff, as if E/(1 - nu^2) were.
#pragma once

#include <optional>
#include <string>

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant::cage {

/// Stiffness of dents over that of elasticity, 4 (1 - nu)/(3 - 4 nu).
double dent_bias(double poisson);

/// The warning.
std::string note_dents(double poisson);

/// A warning where the surface is coarser than its cage: vertices alone meet colliders.
std::optional<std::string> note_coarse_surface(const TriMesh& surface, const TriMesh& cage);

}  // namespace pliant::cage
