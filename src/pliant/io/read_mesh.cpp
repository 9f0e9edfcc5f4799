// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_mesh.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "pliant/io/glb_reader.hpp"
#include "pliant/io/obj.hpp"
#include "pliant/io/off.hpp"
#include "pliant/io/ply.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/stl.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

struct Format {
  const char* extension;
  Result<PolygonMesh> (*parse)(std::string_view bytes, const std::string& name);
};
constexpr Format formats[] = {
    {".obj", parse_obj}, {".ply", parse_ply}, {".stl", parse_stl}, {".off", parse_off}, {".glb", parse_glb}};

/// Files that often carry the wrong name, by their first bytes.
struct Stranger {
  std::string_view begin;
  const char* is;
};
constexpr Stranger strangers[] = {
    {"%PDF", "a PDF document"},       {"\x89PNG", "a PNG picture"},   {"\xff\xd8\xff", "a JPEG picture"},
    {"PK\x03\x04", "a ZIP archive"},  {"\x1f\x8b", "a gzip archive"}, {"<!DOCTYPE", "a web page"},
    {"<!doctype", "a web page"},      {"<html", "a web page"},        {"<?xml", "an XML document"},
    {"BLENDER", "a Blender project"}, {"Kaydara FBX", "an FBX scene"}};

/// With its mark of byte order, or letters with a zero byte between them. Binary formats of ours begin otherwise.
bool is_utf16(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return true;
  constexpr std::size_t looked_at = 8;
  if (bytes.size() < looked_at) return false;
  const auto letter = [&](std::size_t i) { return bytes[i] >= ' ' && bytes[i] <= '~'; };
  for (const std::size_t first : {0, 1}) {
    bool alternate = true;
    for (std::size_t i = 0; i < looked_at; ++i)
      alternate &= i % 2 == first ? letter(i) || bytes[i] == '\n' || bytes[i] == '\r' : bytes[i] == '\0';
    if (alternate) return true;
  }
  return false;
}

const char* stranger_in(std::string_view bytes) {
  for (const Stranger& stranger : strangers)
    if (bytes.starts_with(stranger.begin)) return stranger.is;
  return nullptr;
}

const Format* format_of(std::string_view extension) {
  for (const Format& format : formats)
    if (same_word(extension, format.extension)) return &format;
  return nullptr;
}

}  // namespace

Result<PolygonMesh> read_polygons(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  const Format* format = format_of(extension);
  if (!format)
    return Error{path.string(),
                 {{"", extension.empty() ? "no extension" : "extension " + in_quotes(extension),
                   ".obj, .ply, .stl, .off or .glb",
                   same_word(extension, ".gltf") ? "export it as one binary file, .glb" : ""}}};
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  if (bytes->empty()) return Error{path.string(), {{"byte 0", "an empty file", "a mesh", ""}}};
  if (const char* is = stranger_in(*bytes))
    return Error{path.string(), {{"byte 0", is, "a mesh", fmt::format("export the mesh as {}", extension)}}};
  if (is_utf16(*bytes))
    return Error{path.string(),
                 {{"byte 0", "UTF-16 text", "ASCII or UTF-8 text, or a binary mesh", "save it as UTF-8"}}};
  return format->parse(*bytes, path.string());
}

Result<TriMesh> read_mesh(const std::filesystem::path& path) {
  Result<PolygonMesh> mesh = read_polygons(path);
  if (!mesh) return mesh.error();
  return TriMesh{std::move(mesh->vertices), fan_triangles(*mesh)};
}

}  // namespace pliant
