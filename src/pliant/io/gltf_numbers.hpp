// SPDX-License-Identifier: Apache-2.0
// Numbers of the glTF 2.0 format, for the reader and the writer of .glb files.
#pragma once

#include <cstdint>

namespace pliant::gltf {

inline constexpr std::uint32_t glb_magic = 0x46546C67, chunk_json = 0x4E4F534A, chunk_bin = 0x004E4942;
inline constexpr int type_i8 = 5120, type_u8 = 5121, type_i16 = 5122, type_u16 = 5123, type_u32 = 5125,
                     type_float = 5126;
inline constexpr int target_vertices = 34962, target_indices = 34963;

}  // namespace pliant::gltf
