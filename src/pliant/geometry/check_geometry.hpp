// SPDX-License-Identifier: Apache-2.0
// What is wrong with geometry that a program made: indices that do not exist, numbers that are not finite, arrays
// whose lengths do not fit each other. Functions that build bodies ask these first. Holes, crossings and faces
// without area are no problems here: geometry/repair.hpp and geometry/cage_check.hpp judge them.
#pragma once

#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/geometry/skeleton.hpp"

namespace pliant {

/// Empty: nothing is wrong. Of many problems of one kind the first is told, with how many there are.
std::vector<Problem> check_mesh(const PolygonMesh& mesh);
std::vector<Problem> check_mesh(const TriMesh& mesh);

/// The same for triangles and polygons (of which none may be given) between so many vertices.
std::vector<Problem> check_faces(const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                                 std::size_t vertices);

/// The same for a shape; a shape that could not be made (Shape::problems) has the problems of its making.
std::vector<Problem> check_shape(const Shape& shape);

/// The same for a skeleton: parents before children, keys with a value each, times that ascend.
std::vector<Problem> check_skeleton(const Skeleton& skeleton);

}  // namespace pliant
