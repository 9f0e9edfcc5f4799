// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/usda.hpp"

#include <fmt/format.h>

#include <string>

#include "pliant/io/atomic_file.hpp"

namespace pliant {
namespace {

/// A prim's name is an identifier: letters, digits and '_', no digit in front.
std::string prim_name(const std::string& name) {
  std::string out;
  for (char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (digit && out.empty()) out += '_';
    out += letter || digit ? c : '_';
  }
  return out;
}

std::string tuples(std::span<const float> xyz) {
  fmt::memory_buffer text;
  const auto out = fmt::appender(text);
  text.push_back('[');
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    fmt::format_to(out, "{}({}, {}, {})", i == 0 ? "" : ", ", xyz[i], xyz[i + 1], xyz[i + 2]);
  text.push_back(']');
  return fmt::to_string(text);
}

std::string extent(const FloatBounds& b) {
  const float corners[] = {b.min[0], b.min[1], b.min[2], b.max[0], b.max[1], b.max[2]};
  return tuples(corners);
}

std::string face_counts(std::size_t triangles) {
  std::string text;
  for (std::size_t t = 0; t < triangles; ++t) text += t == 0 ? "3" : ", 3";
  return text;
}

std::string face_corners(const std::vector<Triangle>& triangles) {
  fmt::memory_buffer text;
  for (std::size_t t = 0; t < triangles.size(); ++t)
    fmt::format_to(fmt::appender(text), "{}{}, {}, {}", t == 0 ? "" : ", ", triangles[t][0], triangles[t][1],
                   triangles[t][2]);
  return fmt::to_string(text);
}

}  // namespace

std::optional<Error> write_usda(const std::filesystem::path& path, const SurfaceInfo& surface,
                                const FrameSpool& frames, double frames_per_second) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  const std::vector<FrameStamp>& stamps = frames.stamps();
  const std::string name = prim_name(surface.name);
  const FloatFrame rest = to_floats(surface.rest);
  file->write(fmt::format(
      "#usda 1.0\n(\n    defaultPrim = \"{0}\"\n    doc = \"made by pliant\"\n    endTimeCode = {1}\n"
      "    framesPerSecond = {3}\n    metersPerUnit = 1\n    startTimeCode = {2}\n    timeCodesPerSecond = "
      "{3}\n"
      "    upAxis = \"Y\"\n)\n\ndef Mesh \"{0}\"\n{{\n",
      name, stamps.empty() ? 0 : stamps.back().frame, stamps.empty() ? 0 : stamps.front().frame,
      frames_per_second));
  file->write(fmt::format("    int[] faceVertexCounts = [{}]\n    int[] faceVertexIndices = [{}]\n",
                          face_counts(surface.triangles.size()), face_corners(surface.triangles)));
  file->write(
      "    uniform token orientation = \"rightHanded\"\n    uniform token subdivisionScheme = \"none\"\n");
  file->write(fmt::format("    float3[] extent = {}\n    point3f[] points = {}\n", extent(bounds_of(rest)),
                          tuples(rest)));
  std::vector<FloatBounds> bounds;
  if (!stamps.empty()) {
    file->write("    point3f[] points.timeSamples = {\n");
    FloatFrame xyz;
    for (std::size_t k = 0; k < stamps.size(); ++k) {
      if (auto error = frames.read(k, xyz)) return error;
      bounds.push_back(bounds_of(xyz));
      file->write(fmt::format("        {}: ", stamps[k].frame));
      file->write(tuples(xyz));
      file->write(",\n");
    }
    file->write("    }\n    float3[] extent.timeSamples = {\n");
    for (std::size_t k = 0; k < stamps.size(); ++k)
      file->write(fmt::format("        {}: {},\n", stamps[k].frame, extent(bounds[k])));
    file->write("    }\n");
  }
  file->write("}\n");
  return file->commit();
}

}  // namespace pliant
