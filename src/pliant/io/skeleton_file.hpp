// SPDX-License-Identifier: Apache-2.0
// A skeleton as a JSON file (docs/skeletons.md): joints with their parents, rest positions and keys.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/geometry/skeleton.hpp"

namespace pliant {

/// All problems of the text together, each with its JSON path.
Result<Skeleton> parse_skeleton(std::string_view text, const std::string& name);

/// Empty of a skeleton with problems (check_skeleton), which write_skeleton tells.
std::string skeleton_text(const Skeleton& skeleton);
[[nodiscard]] std::optional<Error> write_skeleton(const std::filesystem::path& path,
                                                  const Skeleton& skeleton);

/// From a skeleton file (.json), or the skin of a .glb with its first animation (io/glb_skin.hpp).
Result<Skeleton> load_skeleton(const std::filesystem::path& path);

}  // namespace pliant
