// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/usda.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/texcoords.hpp"

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

/// "1, 2, 3" of any range of numbers.
class List {
 public:
  void add(std::int64_t value) {
    fmt::format_to(fmt::appender(text_), "{}{}", text_.size() == 0 ? "" : ", ", value);
  }
  std::string_view text() const { return {text_.data(), text_.size()}; }

 private:
  fmt::memory_buffer text_;
};

void put_topology(AtomicFile& file, const SurfaceInfo& surface) {
  const PolygonMesh& faces = surface.faces;
  List counts, corners;
  for (Index f = 0; f < faces.faces(); ++f) {
    if (faces.corners_of(f) < 3) continue;
    counts.add(faces.corners_of(f));
    for (Index c = faces.face_begin[f]; c < faces.face_begin[f + 1]; ++c) corners.add(faces.corner[c]);
  }
  if (faces.faces() == 0)
    for (const Triangle& t : surface.triangles) {
      counts.add(3);
      for (Index v : t) corners.add(v);
    }
  file.write("    int[] faceVertexCounts = [");
  file.write(counts.text());
  file.write("]\n    int[] faceVertexIndices = [");
  file.write(corners.text());
  file.write("]\n");
}

/// One texture coordinate a corner, by number; corners without one share a last one, (0, 0).
void put_texcoords(AtomicFile& file, const PolygonMesh& faces) {
  if (faces.corner_texcoord.empty()) return;
  fmt::memory_buffer values;
  for (const Texcoord& t : faces.texcoords)
    fmt::format_to(fmt::appender(values), "{}({}, {})", values.size() == 0 ? "" : ", ", t[0], t[1]);
  List indices;
  bool gaps = false;
  for (Index f = 0; f < faces.faces(); ++f)
    for (Index c = faces.face_begin[f]; faces.corners_of(f) >= 3 && c < faces.face_begin[f + 1]; ++c) {
      const Index texcoord = faces.corner_texcoord[c];
      gaps |= texcoord < 0;
      indices.add(texcoord < 0 ? std::int64_t(faces.texcoords.size()) : texcoord);
    }
  file.write("    texCoord2f[] primvars:st = [");
  file.write(std::string_view(values.data(), values.size()));
  file.write(gaps ? ", (0, 0)] (" : "] (");
  file.write("\n        interpolation = \"faceVarying\"\n    )\n    int[] primvars:st:indices = [");
  file.write(indices.text());
  file.write("]\n");
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
  put_topology(*file, surface);
  put_texcoords(*file, surface.faces);
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
