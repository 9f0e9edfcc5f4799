// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/downloads.hpp"

#include <algorithm>
#include <fstream>

#include "pliant/io/write_mesh.hpp"

namespace pliant::view {
namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string file_name(const std::string& name, const std::string& otherwise) {
  const std::string last = name.substr(name.find_last_of('/') + 1);
  return std::filesystem::path(last.empty() ? otherwise : last).stem().string();
}

Outcome<Download> refused(std::string code, std::string message, std::string where = {},
                          std::string advice = {}) {
  return {{}, {std::move(code), std::move(message), std::move(where), {}, std::move(advice)}};
}

Outcome<Download> posed_mesh(const World& world, const std::string& body, const std::string& format,
                             const std::filesystem::path& folder) {
  std::size_t index = 0;
  const std::size_t count = world.pieces().size();
  if (!body.empty()) {
    if (body.size() > 6 || !std::all_of(body.begin(), body.end(), ::isdigit))
      return refused("bad_argument", "body must be a number", "body");
    index = std::stoul(body);
  }
  if (index >= count) return refused("bad_argument", "there is no such body", "body");
  const std::string ending = format.empty() ? "obj" : format;
  const Body& of = world.simulation().bodies()[index];
  const auto file = folder / ("posed." + ending);
  if (!can_write_mesh(file))
    return refused("not_supported", "a mesh is not saved as " + ending, "format", mesh_formats());
  if (const auto error =
          write_mesh(file, {of.name(), of.triangles(), of.rest_surface(), of.faces()}, of.surface()))
    return {{}, refusal_of(*error, "internal")};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return {Download{of.name() + "." + ending, "application/octet-stream", bytes_of(text)}, {}};
}

}  // namespace

Outcome<Download> make_download(const World& world, const Figures& figures, const Recordings& recordings,
                                const std::filesystem::path& folder, const std::string& kind,
                                const std::string& body, const std::string& format) {
  const std::string name = file_name(world.name(), "scene");
  if (kind == "scene")
    return {Download{name + ".json", "application/json", bytes_of(world.saved_scene().dump(2) + "\n")}, {}};
  if (kind == "session") {
    const std::string session = world.saved_session();
    if (session.empty())
      return refused("too_large",
                     "the session cannot be saved: too many commands, or no room in the folder of "
                     "temporary files",
                     {}, "load the scene again");
    return {Download{name + ".session.json", "application/json", bytes_of(session + "\n")}, {}};
  }
  if (kind == "mesh") return posed_mesh(world, body, format, folder);
  if (kind == "metrics") return {Download{name + ".csv", "text/csv", bytes_of(figures.metrics())}, {}};
  if (kind == "recording") return recordings.download();
  return refused("not_supported", "there is no " + kind + " to save", "kind",
                 "scene, session, mesh, metrics or recording");
}

}  // namespace pliant::view
