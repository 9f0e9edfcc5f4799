// SPDX-License-Identifier: Apache-2.0
// The meshes that `make models` fetches; tests that need them skip without.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace pliant {

inline constexpr const char* models_missing = "needs the models: run `make models`";

inline std::filesystem::path model_folder() { return source_folder() + "/models/meshes"; }

inline bool have_models() { return std::filesystem::exists(model_folder() / "elephant.off"); }

/// All meshes, by name.
inline std::vector<std::filesystem::path> model_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(model_folder())) {
    const auto extension = entry.path().extension();
    if (extension == ".off" || extension == ".ply" || extension == ".stl") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace pliant
