// SPDX-License-Identifier: Apache-2.0
// The fibre directions of a body from their text file.
#pragma once

#include <filesystem>

#include "pliant/base/layout.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// One direction "x y z" a line and node, in the order of the nodes; "#" begins a comment. What is wrong is
/// told at `place`, the scene's key, with file and line.
Points read_directions(const std::filesystem::path& file, std::size_t nodes, const std::string& place,
                       Problems& problems);

}  // namespace pliant
