// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/stl.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cstdint>
#include <cstring>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

// 80 bytes of anything and the number of triangles; a triangle is a normal, three corners and two bytes.
constexpr std::size_t head_bytes = 84, triangle_bytes = 50;

std::uint32_t told_triangles(std::string_view bytes) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof(count));
  return count;
}

/// Binary files may begin with "solid", too; but text holds no zero bytes.
bool is_text(std::string_view bytes) {
  if (bytes.size() >= head_bytes &&
      bytes.size() == head_bytes + std::uint64_t(told_triangles(bytes)) * triangle_bytes)
    return false;
  std::string_view start = without_mark(bytes).substr(0, 1000);
  if (start.find('\0') != std::string_view::npos) return false;
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  return same_word(start.substr(0, 5), "solid");
}

Result<PolygonMesh> parse_binary(std::string_view bytes, MeshProblems problems) {
  PolygonMesh mesh;
  const std::size_t data = bytes.size() - std::min(bytes.size(), head_bytes);
  if (bytes.size() < head_bytes) {
    problems.at(fmt::format("byte {}", bytes.size()), "the end of the file",
                "'solid', or the 84 bytes a binary STL begins with");
    return problems.mesh_or_error(std::move(mesh));
  }
  const std::uint64_t count = told_triangles(bytes);
  if (count > data / triangle_bytes) {
    problems.at(fmt::format("byte {}, triangle {}", bytes.size(), data / triangle_bytes),
                "the end of the file", fmt::format("{} triangles of 50 bytes, as byte 80 tells", count),
                "the file is cut off or not an STL");
    return problems.mesh_or_error(std::move(mesh));
  }
  // Some programs append a few bytes of their own; whole triangles are a wrong count.
  if (const std::size_t more = data - count * triangle_bytes; more > 0 && more % triangle_bytes == 0) {
    problems.at("byte 80", fmt::format("a count of {} triangles", count),
                fmt::format("{}, as many as the file holds", data / triangle_bytes), "export the mesh again");
    return problems.mesh_or_error(std::move(mesh));
  }
  for (std::uint64_t t = 0; t < count && !problems.full(); ++t) {
    const std::size_t at = head_bytes + t * triangle_bytes;
    float corners[9];
    std::memcpy(corners, bytes.data() + at + 12, sizeof(corners));  // behind the normal
    for (int c = 0; c < 3; ++c) {
      const Vec3 p(corners[3 * c], corners[3 * c + 1], corners[3 * c + 2]);
      if (!p.allFinite())
        problems.at(fmt::format("byte {}, triangle {}, vertex {}", at + 12 + 12 * c, t, c),
                    "a coordinate that is not finite", "finite coordinates");
      mesh.corner.push_back(Index(mesh.vertices.size()));
      mesh.vertices.push_back(p);
    }
    mesh.face_begin.push_back(Index(mesh.corner.size()));
  }
  return problems.mesh_or_error(std::move(mesh));
}

class StlText {
 public:
  StlText(std::string_view text, MeshProblems problems)
      : lines_(without_mark(text)), problems_(std::move(problems)) {}

  Result<PolygonMesh> read() {
    while (!problems_.full() && lines_.next())
      if (!line(lines_.line())) break;
    if (!problems_.any() && in_facet_)
      problems_.at(fmt::format("line {}", lines_.number()), "the end of the file",
                   fmt::format("the end of the facet of line {}", facet_line_));
    if (!problems_.any() && in_solid_)
      mesh_.remarks.push_back(fmt::format(
          "the file ends without endsolid: the {} facets before its end are read.", mesh_.faces()));
    return problems_.mesh_or_error(std::move(mesh_));
  }

 private:
  /// False: this is no STL, reading on makes no sense.
  bool line(std::string_view text) {
    const std::string_view word = take_word(text);
    if (word.empty() || same_word(word, "outer") || same_word(word, "endloop")) return true;
    if (same_word(word, "solid")) return in_solid_ = true;  // what follows is a name
    if (same_word(word, "endsolid")) return in_solid_ = false, true;
    if (same_word(word, "facet") && !in_facet_) return begin_facet();
    if (same_word(word, "endfacet") && in_facet_) return end_facet();
    if (same_word(word, "vertex") && in_facet_) return vertex(text);
    problems_.at(lines_.place(word), in_quotes(word),
                 in_facet_ ? "vertex, endloop or endfacet" : "facet or endsolid");
    return false;
  }

  bool begin_facet() {
    in_facet_ = true;
    facet_line_ = lines_.number();
    return true;
  }

  bool end_facet() {
    in_facet_ = false;
    mesh_.face_begin.push_back(Index(mesh_.corner.size()));
    return true;
  }

  bool vertex(std::string_view text) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = take_word(text);
      if (to_finite(word, p[axis])) continue;
      problems_.at(lines_.place(word), found_word(word), "a finite coordinate of the vertex");
      p[axis] = 0;
    }
    mesh_.corner.push_back(Index(mesh_.vertices.size()));
    mesh_.vertices.push_back(p);
    return true;
  }

  LineScan lines_;
  PolygonMesh mesh_;
  bool in_solid_ = false, in_facet_ = false;
  std::size_t facet_line_ = 0;
  MeshProblems problems_;
};

}  // namespace

std::optional<Error> write_stl(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  // Not "solid": readers take that for the text form.
  char head[head_bytes] = "made by pliant, metres, y up";
  const std::uint32_t count = std::uint32_t(triangles.size());
  std::memcpy(head + 80, &count, sizeof(count));
  file->write(head, sizeof(head));
  for (const Triangle& triangle : triangles) {
    float numbers[12];
    Vec3 corner[3];
    for (int c = 0; c < 3; ++c)
      for (int axis = 0; axis < 3; ++axis)
        corner[c][axis] = numbers[3 + 3 * c + axis] = xyz[3 * std::size_t(triangle[std::size_t(c)]) + axis];
    const Vec3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]).normalized();
    for (int axis = 0; axis < 3; ++axis) numbers[axis] = float(normal[axis]);
    char bytes[triangle_bytes] = {};
    std::memcpy(bytes, numbers, sizeof(numbers));
    file->write(bytes, sizeof(bytes));
  }
  return file->commit();
}

Result<PolygonMesh> parse_stl(std::string_view bytes, const std::string& name) {
  MeshProblems problems(name);
  if (is_text(bytes)) return StlText(bytes, std::move(problems)).read();
  return parse_binary(bytes, std::move(problems));
}

}  // namespace pliant
