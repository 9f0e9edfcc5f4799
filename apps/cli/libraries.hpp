// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace pliant::cli {

/// Folders of shipped scenes, first match wins: the environment variable PLIANT_SCENES, the share folder
/// beside an installed command, the source tree it was built from.
std::vector<std::filesystem::path> scene_libraries();

}  // namespace pliant::cli
