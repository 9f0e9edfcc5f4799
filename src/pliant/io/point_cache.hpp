// SPDX-License-Identifier: Apache-2.0
// Point caches: vertex positions over time that play on a mesh of the same vertex order.
//
// PC2, little endian: char[12] "POINTCACHE2\0", int32 version = 1, int32 points, float first frame, float
// frames a sample, int32 samples, then float x y z of every point of every sample. MDD, big endian: int32
// frames, int32 points, float time in s of every frame, then float x y z of every point of every frame.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/io/frame_spool.hpp"

namespace pliant {

[[nodiscard]] std::optional<Error> write_pc2(const std::filesystem::path& path, const FrameSpool& frames);
[[nodiscard]] std::optional<Error> write_mdd(const std::filesystem::path& path, const FrameSpool& frames);

/// All frames of a cache, in memory: 12 bytes a vertex and frame.
struct PointCache {
  std::size_t vertices = 0, frames = 0;
  std::vector<float> positions;  ///< m, frame after frame
  double first_frame = 0;        ///< pc2 only
  std::vector<float> times;      ///< s, mdd only: pc2 keeps no seconds

  std::span<const float> frame(std::size_t k) const {
    return std::span(positions).subspan(3 * vertices * k, 3 * vertices);
  }
  Points points(std::size_t k) const;
};

Result<PointCache> read_pc2(const std::filesystem::path& path);
Result<PointCache> read_mdd(const std::filesystem::path& path);

}  // namespace pliant
