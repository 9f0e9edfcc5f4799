// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/obj.hpp"

#include <fmt/format.h>

#include <limits>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& name)
      : lines_(without_mark(text), 1, Continued::by_backslash), problems_(name) {}

  Result<PolygonMesh> read() {
    while (!problems_.full() && lines_.next()) line(lines_.line());
    check_forward();
    keep_normals_of_points();
    if (!textured_) {
      mesh_.texcoords.clear();
      mesh_.corner_texcoord.clear();
    }
    return problems_.mesh_or_error(std::move(mesh_));
  }

 private:
  /// A corner whose vertex or texture coordinate is not in the file yet when its face is read.
  struct Forward {
    Index number;
    bool texcoord;
    std::size_t line;
  };

  void line(std::string_view text) {
    const std::string_view word = take_word(text);
    if (word == "v") vertex(text);
    if (word == "vt") texcoord(text);
    if (word == "vn") normal(text);
    if (word == "f") face(text);
    points_ |= word == "p";
  }

  /// Only clouds of points (`p`) need them; others may have any.
  void normal(std::string_view text) {
    Vec3 n(0, 0, 0);
    bool good = true;
    for (int axis = 0; axis < 3; ++axis) good &= to_finite(take_word(text), n[axis]);
    const double length = n.stableNorm();
    if (good && length > 0) mesh_.normals.push_back(n / length);
  }

  void keep_normals_of_points() {
    if (!points_ || mesh_.faces() > 0 || mesh_.normals.size() != mesh_.vertices.size()) mesh_.normals.clear();
  }

  void vertex(std::string_view text) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = take_word(text);
      if (to_finite(word, p[axis])) continue;
      problems_.at(lines_.place(word), found_word(word),
                   fmt::format("a finite {} of vertex {}", "xyz"[axis], mesh_.vertices.size() + 1));
      p[axis] = 0;  // keep the vertex: the indices of the others must not shift
    }
    mesh_.vertices.push_back(p);
  }

  /// `vt u`, `vt u v` or `vt u v w`.
  void texcoord(std::string_view text) {
    float uv[2] = {0, 0};
    for (int axis = 0; axis < 2; ++axis) {
      const std::string_view word = take_word(text);
      if (axis == 1 && word.empty()) break;
      if (!to_finite_float(word, uv[axis]))
        problems_.at(lines_.place(word), found_word(word), "a finite texture coordinate");
    }
    mesh_.texcoords.push_back({uv[0], uv[1]});
  }

  /// Counted from 1; below zero it counts back from the last one so far. -1 = not a number of one.
  Index index(std::string_view digits, std::size_t count, bool texcoord) {
    std::int64_t number = 0;
    if (!to_integer(digits, number)) return -1;
    if (number < 0) number += std::int64_t(count) + 1;
    if (number < 1 || number > std::numeric_limits<Index>::max()) return -1;
    if (number > std::int64_t(count)) forward_.push_back({Index(number), texcoord, lines_.number()});
    return Index(number - 1);
  }

  /// A corner is "v", "v/vt", "v//vn" or "v/vt/vn".
  bool corner(std::string_view word) {
    const std::size_t slash = word.find('/');
    const Index vertex = index(word.substr(0, slash), mesh_.vertices.size(), false);
    Index texcoord = -1;
    bool good = vertex >= 0;
    if (slash != std::string_view::npos) {
      const std::string_view rest = word.substr(slash + 1), digits = rest.substr(0, rest.find('/'));
      if (!digits.empty()) {
        texcoord = index(digits, mesh_.texcoords.size(), true);
        good = good && texcoord >= 0;
      }
    }
    if (!good) {
      problems_.at(lines_.place(word), in_quotes(word),
                   "a vertex, or a vertex and texture coordinate, of this file, counted from 1");
      return false;
    }
    textured_ |= texcoord >= 0;
    mesh_.corner.push_back(vertex);
    mesh_.corner_texcoord.push_back(texcoord);
    return true;
  }

  void face(std::string_view text) {
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text))
      if (!corner(word)) break;
    mesh_.face_begin.push_back(Index(mesh_.corner.size()));
  }

  /// Last, because a face may stand before its vertices.
  void check_forward() {
    for (const Forward& f : forward_) {
      const std::size_t count = f.texcoord ? mesh_.texcoords.size() : mesh_.vertices.size();
      const char* what = f.texcoord ? "texture coordinate" : "vertex";
      if (std::size_t(f.number) > count)
        problems_.at(fmt::format("line {}", f.line), fmt::format("{} {}", what, f.number),
                     f.texcoord ? fmt::format("one of the {} texture coordinates of this file", count)
                                : fmt::format("one of the {} vertices of this file", count));
      if (problems_.full()) return;
    }
  }

  LineScan lines_;
  PolygonMesh mesh_;
  bool points_ = false;  ///< the file has elements `p`
  bool textured_ = false;
  std::vector<Forward> forward_;
  MeshProblems problems_;
};

void add_faces(fmt::memory_buffer& text, const PolygonMesh& faces) {
  const auto out = fmt::appender(text);
  for (const auto& [u, v] : faces.texcoords) fmt::format_to(out, "vt {} {}\n", u, v);
  for (Index f = 0; f < faces.faces(); ++f) {
    if (faces.corners_of(f) < 3) continue;
    text.push_back('f');
    for (Index c = faces.face_begin[f]; c < faces.face_begin[f + 1]; ++c) {
      const Index texcoord = faces.corner_texcoord.empty() ? -1 : faces.corner_texcoord[c];
      fmt::format_to(out, " {}", faces.corner[c] + std::int64_t(1));
      if (texcoord >= 0) fmt::format_to(out, "/{}", texcoord + std::int64_t(1));
    }
    text.push_back('\n');
  }
}

}  // namespace

std::optional<Error> write_obj(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles, const PolygonMesh& faces) {
  return write_obj(path, xyz, triangles, faces, FrameNormals(faces));
}

std::optional<Error> write_obj(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                               const FrameNormals& normals) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  fmt::memory_buffer text;
  const auto out = fmt::appender(text);
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    fmt::format_to(out, "v {} {} {}\n", xyz[i], xyz[i + 1], xyz[i + 2]);
  if (is_cloud(faces)) {
    const FloatFrame n = normals.at(xyz, triangles);
    for (std::size_t i = 0; i + 2 < n.size(); i += 3)
      fmt::format_to(out, "vn {} {} {}\n", n[i], n[i + 1], n[i + 2]);
    for (std::size_t v = 1; v <= xyz.size() / 3; ++v) fmt::format_to(out, "p {}\n", v);
  } else if (faces.faces() > 0) {
    add_faces(text, faces);
  } else {
    for (const Triangle& t : triangles) fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  }
  file->write(text.data(), text.size());
  return file->commit();
}

Result<PolygonMesh> parse_obj(std::string_view text, const std::string& name) {
  return ObjReader(text, name).read();
}

}  // namespace pliant
