// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/library.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>

#include "pliant/base/layout.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

struct Found {
  std::string name;
  fs::path file;
};

std::optional<Found> find_by_name(const std::string& wanted, const std::vector<fs::path>& libraries) {
  for (const ShippedScene& scene : shipped_scenes(libraries))
    if (scene.name == wanted) return Found{scene.name, scene.file};
  return std::nullopt;
}

std::optional<Found> find_scene(const std::string& wanted, const std::vector<fs::path>& libraries) {
  std::error_code ignored;
  // any kind of file, so that a pipe will do
  if (fs::exists(wanted, ignored) && !fs::is_directory(wanted, ignored))
    return Found{fs::path(wanted).stem().string(), wanted};
  return find_by_name(wanted, libraries);
}

/// By the whole name, or by its last part: "bar-twist" for "geometric/bar-twist".
std::string nearest_scene(const std::string& wanted, const std::vector<ShippedScene>& scenes) {
  std::vector<std::string> names, last_parts;
  for (const ShippedScene& scene : scenes) {
    names.push_back(scene.name);
    last_parts.push_back(fs::path(scene.name).filename().string());
  }
  const std::string part = nearest_name(wanted, last_parts);
  const auto at = std::find(last_parts.begin(), last_parts.end(), part);
  const std::string hint = did_you_mean(wanted, names);
  return hint.empty() && at != last_parts.end()
             ? did_you_mean(names[std::size_t(at - last_parts.begin())], names)
             : hint;
}

Error no_such_scene(const std::string& wanted, const std::vector<fs::path>& libraries) {
  std::error_code ignored;
  const bool folder = fs::is_directory(wanted, ignored);
  const std::string hint = folder ? "" : nearest_scene(wanted, shipped_scenes(libraries));
  return {
      wanted,
      {{"", folder ? "a folder" : "no such file", "the path of a scene file, or the name of a shipped scene",
        hint.empty() ? "`pliant scenes` lists them" : hint}}};
}

std::optional<std::string> read_text(const fs::path& path) {
  constexpr std::size_t most = std::size_t(1) << 28;  // B: a device may never end
  if (path.native().find('\0') != std::string::npos) return errno = EINVAL, std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text;
  char part[1 << 14];
  while (in.read(part, sizeof part), in.gcount() > 0) {
    text.append(part, std::size_t(in.gcount()));
    if (text.size() > most) return errno = EFBIG, std::nullopt;
  }
  return in.bad() ? std::nullopt : std::optional(std::move(text));
}

}  // namespace

namespace {

Result<ParsedScene> read_found(const Found& found, const std::vector<std::string>& sets) {
  const std::optional<std::string> text = read_text(found.file);
  if (!text)
    return Error{found.file.string(), {{"", "a file that cannot be read", "a scene", std::strerror(errno)}}};
  return parse_scene(*text, found.file.string(), sets);
}

}  // namespace

Result<ParsedScene> read_scene(const std::string& path_or_name, const std::vector<fs::path>& libraries,
                               const std::vector<std::string>& sets) {
  const std::optional<Found> found = find_scene(path_or_name, libraries);
  if (!found) return no_such_scene(path_or_name, libraries);
  return read_found(*found, sets);
}

Result<ParsedScene> read_library_scene(const std::string& name, const std::vector<fs::path>& libraries) {
  const std::optional<Found> found = find_by_name(name, libraries);
  if (!found) {
    const std::string hint = nearest_scene(name, shipped_scenes(libraries));
    return Error{name,
                 {{"", "no shipped scene", "a name that `pliant scenes` lists",
                   hint.empty() ? "other files are opened by `pliant view FILE`" : hint}}};
  }
  return read_found(*found, {});
}

Result<Scene> load_scene(const std::string& path_or_name, const LoadOptions& options) {
  const std::optional<Found> found = find_scene(path_or_name, options.libraries);
  if (!found) return no_such_scene(path_or_name, options.libraries);
  const Result<ParsedScene> parsed = read_found(*found, options.sets);
  if (!parsed) return parsed.error();
  Result<Scene> scene =
      build_scene(*parsed, BuildOptions{.threads = options.threads, .progress = options.progress});
  if (scene) scene->name = found->name;
  return scene;
}

std::vector<ShippedScene> shipped_scenes(const std::vector<fs::path>& libraries) {
  std::vector<ShippedScene> scenes;
  for (const fs::path& library : libraries) {
    std::error_code error;
    for (fs::recursive_directory_iterator at(library, error), end; !error && at != end; at.increment(error)) {
      if (at->path().filename() == "assets") at.disable_recursion_pending();  // what scenes use: bones, poses
      if (at->path().extension() != ".json") continue;
      const std::string name = at->path().lexically_relative(library).replace_extension().generic_string();
      const bool known = std::any_of(scenes.begin(), scenes.end(),
                                     [&](const ShippedScene& scene) { return scene.name == name; });
      const std::optional<std::string> text = read_text(at->path());
      if (known || !text) continue;
      scenes.push_back({name, parse_scene(*text, at->path().string()).spec.description, at->path()});
    }
  }
  std::sort(scenes.begin(), scenes.end(),
            [](const ShippedScene& a, const ShippedScene& b) { return a.name < b.name; });
  return scenes;
}

}  // namespace pliant
