// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/write_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/io/frame_spool.hpp"
#include "pliant/io/glb.hpp"
#include "pliant/io/obj.hpp"
#include "pliant/io/ply.hpp"
#include "pliant/io/stl.hpp"
#include "pliant/io/text_scan.hpp"
#include "pliant/io/usda.hpp"
#include "pliant/io/vtu.hpp"

namespace pliant {
namespace {

using Path = std::filesystem::path;

/// The surface with x as its only shape.
SurfaceInfo still(const SurfaceInfo& surface, const Points& x) {
  return {surface.name, surface.triangles, x, surface.faces};
}

struct Format {
  const char* extension;
  std::optional<Error> (*write)(const Path&, const SurfaceInfo&, const Points&);
};
const Format formats[] = {
    {".obj", [](const Path& path, const SurfaceInfo& s,
                const Points& x) { return write_obj(path, to_floats(x), s.triangles, s.faces); }},
    {".ply", [](const Path& path, const SurfaceInfo& s,
                const Points& x) { return write_ply(path, to_floats(x), s.triangles, s.faces); }},
    {".stl", [](const Path& path, const SurfaceInfo& s,
                const Points& x) { return write_stl(path, to_floats(x), s.triangles); }},
    {".glb", [](const Path& path, const SurfaceInfo& s,
                const Points& x) { return write_glb(path, still(s, x), FrameSpool::none(x.size())); }},
    {".vtu",
     [](const Path& path, const SurfaceInfo& s, const Points& x) {
       return write_vtu(path, to_floats(x), to_floats(s.rest), s.triangles, 0, s.faces);
     }},
    {".usda", [](const Path& path, const SurfaceInfo& s, const Points& x) {
       return write_usda(path, still(s, x), FrameSpool::none(x.size()), 24);
     }}};

const Format* format_of(const Path& path) {
  const std::string extension = path.extension().string();
  for (const Format& format : formats)
    if (same_word(extension, format.extension)) return &format;
  return nullptr;
}

}  // namespace

std::string mesh_formats() { return ".obj, .ply, .stl, .glb, .vtu or .usda"; }

bool can_write_mesh(const Path& path) { return format_of(path) != nullptr; }

std::optional<Error> write_mesh(const Path& path, const SurfaceInfo& surface, const Points& x) {
  std::vector<Problem> wrong = check_surface(surface);
  if (x.size() != surface.rest.size())
    wrong.push_back({"x", fmt::format("{} positions", x.size()),
                     fmt::format("{}, one a vertex", surface.rest.size()), ""});
  if (!std::all_of(x.begin(), x.end(), [](const Vec3& p) { return p.allFinite(); }))
    wrong.push_back({"x", "a coordinate that is not finite", "finite positions, m", ""});
  if (!wrong.empty()) return Error{path.string(), std::move(wrong)};
  const Format* format = format_of(path);
  const std::string extension = path.extension().string();
  if (!format)
    return Error{
        path.string(),
        {{"", extension.empty() ? "no extension" : "extension " + in_quotes(extension), mesh_formats(), ""}}};
  if (is_cloud(surface.faces) && !same_word(extension, ".obj") && !same_word(extension, ".ply") &&
      !same_word(extension, ".vtu"))
    return Error{path.string(), {{"", "a cloud of points", "a file .obj, .ply or .vtu", ""}}};
  return format->write(path, surface, x);
}

}  // namespace pliant
