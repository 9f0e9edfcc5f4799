// SPDX-License-Identifier: Apache-2.0
// Points that stand for the inside of a surface: the centres of voxels, one weight each [Martin09, section
// 3].
#pragma once

#include "pliant/geometry/shape.hpp"

namespace pliant {

/// A shape of the same surface whose nodes are such points, followed by the vertices of the surface. Points
/// carry the volume, vertices none: methods whose freedoms are elsewhere (cages) hold, probe and show a body
/// by them. At least `points` voxels of one size, as near to that number as whole voxels allow, two layers or
/// more along every axis, however flat the solid is; a part of the surface that no voxel's centre is in gets
/// one point. Weights are scaled so that they sum to the shape's
/// volume. The shape must have nodes with volumes (a solid's). No points: its inside is empty.
Shape with_quadrature(const Shape& shape, int points);

}  // namespace pliant
