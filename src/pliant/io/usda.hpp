// SPDX-License-Identifier: Apache-2.0
// OpenUSD text: one mesh with time-sampled points. y up, metres; time code = frame index. The user's polygons
// and texture coordinates (primvars:st, one a corner) when the surface has them, else its triangles. Memory:
// one frame as text (about 35 bytes a vertex) and its bounds, 24 bytes, for every frame.
#pragma once

#include <filesystem>
#include <optional>

#include "pliant/base/result.hpp"
#include "pliant/io/frame_spool.hpp"
#include "pliant/io/frame_writer.hpp"

namespace pliant {

[[nodiscard]] std::optional<Error> write_usda(const std::filesystem::path& path, const SurfaceInfo& surface,
                                              const FrameSpool& frames, double frames_per_second);

}  // namespace pliant
