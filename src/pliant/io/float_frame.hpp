// SPDX-License-Identifier: Apache-2.0
// A frame as files store it: x y z of every vertex in single precision, one after the other.
#pragma once

#include <bit>
#include <optional>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"
#include "pliant/geometry/point_cloud.hpp"

namespace pliant {

static_assert(std::endian::native == std::endian::little, "binary formats are written as memory lies");

using FloatFrame = std::vector<float>;

FloatFrame to_floats(std::span<const Vec3> positions);

/// Area-weighted unit vertex normals of the frame.
FloatFrame frame_normals(std::span<const float> xyz, const std::vector<Triangle>& triangles);

/// Normals of the frames of a surface. Of a cloud: its normals as its points have moved; what that takes is
/// made once. Else those of the triangles.
class FrameNormals {
 public:
  explicit FrameNormals(const PolygonMesh& faces);
  FloatFrame at(std::span<const float> xyz, const std::vector<Triangle>& triangles) const;

 private:
  std::size_t points_ = 0;  ///< of the cloud
  std::optional<MovedNormals> cloud_;
};

struct FloatBounds {
  std::array<float, 3> min{}, max{};
};
FloatBounds bounds_of(std::span<const float> xyz);  ///< zeros when there is no vertex

}  // namespace pliant
