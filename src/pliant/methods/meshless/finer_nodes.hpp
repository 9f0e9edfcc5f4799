// SPDX-License-Identifier: Apache-2.0
// More nodes where flesh bends most [ZJU06, section "Meshless methods": nodes can be added where refinement is
// needed]. Nodes of a lattice `ratio` times as fine join those of the shape inside a ball; none is moved or
// taken away, so thin parts keep theirs. Supports follow the distances of the nodes, and cells are cut to half
// of them (cells.hpp).
#pragma once

#include <vector>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/meshless/finer_ball.hpp"

namespace pliant::meshless {

/// How often the edge of a cell is halved between two corners of its box; 0 where it touches no ball.
int halvings(const std::vector<FinerBall>& balls, const Vec3& low, const Vec3& high);

/// `lattice`: positions of the shape's nodes before any moved to a sample of a bone; `spacing`: of these, m. The
/// new nodes come last and have no volume of their own.
Shape with_finer_nodes(Shape shape, const std::vector<FinerBall>& balls, const Points& lattice,
                       double spacing);

}  // namespace pliant::meshless
