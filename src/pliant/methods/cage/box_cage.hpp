// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "pliant/geometry/cage.hpp"

namespace pliant::cage {

/// A box of cells (geometry/cage.hpp) around points, `clearance` of a cell's edge away from them along every
/// axis.
TriMesh box_cage_around(std::span<const Vec3> points, const std::array<int, 3>& cells, double clearance);

}  // namespace pliant::cage
