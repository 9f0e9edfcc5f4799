// SPDX-License-Identifier: Apache-2.0
// Scenes by name or path, from file to bodies in one call.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pliant/scene/build.hpp"

namespace pliant {

/// How a scene is found and changed before it is built.
struct LoadOptions {
  std::vector<std::string> sets;                 ///< PATH=VALUE, as --set takes them
  int threads = 1;                               ///< 0 = one per processor
  std::vector<std::filesystem::path> libraries;  ///< folders of shipped scenes
  std::function<bool(const std::string& stage, double fraction)> progress = {};  ///< BuildOptions
};

/// A path, or the name of a scene in one of the libraries ("geometric/bar").
Result<Scene> load_scene(const std::string& path_or_name, const LoadOptions& options = {});

/// The scene as written, by path or name; the Error says that there is none.
Result<ParsedScene> read_scene(const std::string& path_or_name,
                               const std::vector<std::filesystem::path>& libraries,
                               const std::vector<std::string>& sets = {});

/// The same for those who may not open every file: the name of a scene in the libraries, and no path.
Result<ParsedScene> read_library_scene(const std::string& name,
                                       const std::vector<std::filesystem::path>& libraries);

/// One of the scenes that come with pliant.
struct ShippedScene {
  std::string name;         ///< "geometric/bar"
  std::string description;  ///< one line
  std::filesystem::path file;
};
/// All scenes of the libraries, sorted by name; of two with the same name the first library's.
std::vector<ShippedScene> shipped_scenes(const std::vector<std::filesystem::path>& libraries);

}  // namespace pliant
