// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "commands.hpp"
#include "libraries.hpp"
#include "pliant/scene/library.hpp"

namespace pliant::cli {
namespace {

void list_scenes() {
  const std::vector<ShippedScene> scenes = shipped_scenes(scene_libraries());
  std::size_t width = 0;
  for (const ShippedScene& scene : scenes) width = std::max(width, scene.name.size());
  for (const ShippedScene& scene : scenes) fmt::print("{:<{}}  {}\n", scene.name, width, scene.description);
  if (scenes.empty()) throw InputError("no shipped scenes found; set PLIANT_SCENES to their folder");
}

}  // namespace

std::vector<std::filesystem::path> scene_libraries() {
  namespace fs = std::filesystem;
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("PLIANT_SCENES")) folders.emplace_back(named);
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  if (!error) {  // installed, or in a build folder of the source tree, wherever that was moved
    folders.push_back(binary.parent_path().parent_path() / "share/pliant/scenes");
    folders.push_back(binary.parent_path().parent_path() / "scenes");
  }
  folders.emplace_back(PLIANT_SCENES_DIR);
  return folders;
}

void add_scenes(CLI::App& app) {
  CLI::App* command = app.add_subcommand("scenes", "the shipped scenes, one line each");
  command->footer("Example: pliant scenes");
  command->callback(list_scenes);
}

}  // namespace pliant::cli
