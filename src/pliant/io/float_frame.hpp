// SPDX-License-Identifier: Apache-2.0
// A frame as files store it: x y z of every vertex in single precision, one after the other.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

static_assert(std::endian::native == std::endian::little, "binary formats are written as memory lies");

using FloatFrame = std::vector<float>;

FloatFrame to_floats(std::span<const Vec3> positions);

/// Area-weighted unit vertex normals of the frame.
FloatFrame frame_normals(std::span<const float> xyz, const std::vector<Triangle>& triangles);
/// Of a cloud: its normals as its points have moved; else those of the triangles.
FloatFrame frame_normals(std::span<const float> xyz, const std::vector<Triangle>& triangles,
                         const PolygonMesh& faces);

struct FloatBounds {
  std::array<float, 3> min{}, max{};
};
FloatBounds bounds_of(std::span<const float> xyz);  ///< zeros when there is no vertex

}  // namespace pliant
