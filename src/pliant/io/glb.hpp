// SPDX-License-Identifier: Apache-2.0
// glTF 2.0 binary: the rest surface, one morph target a frame, and an animation that runs through them.
//
// A target holds offsets from rest, as glTF demands, so a reader's position is float(rest + offset): exact to
// half a unit in the last place of the larger of the two. At the time of frame k the weight of target k is 1
// and all others 0; between frames positions blend linearly. Normals travel with the targets. Size: 24 bytes
// a vertex and frame plus 4 bytes a pair of frames, at most 4 GiB by the format. Memory: two frames and about
// 2 kB of JSON a frame.
//
// The vertices of the surface keep their numbers. glTF has one texture coordinate a vertex: a vertex that has
// several (a seam of an OBJ) is copied behind the last vertex for each further one, and the copy moves with
// it.
#pragma once

#include <filesystem>
#include <optional>

#include "pliant/base/result.hpp"
#include "pliant/io/frame_spool.hpp"
#include "pliant/io/frame_writer.hpp"

namespace pliant {

[[nodiscard]] std::optional<Error> write_glb(const std::filesystem::path& path, const SurfaceInfo& surface,
                                             const FrameSpool& frames);

}  // namespace pliant
