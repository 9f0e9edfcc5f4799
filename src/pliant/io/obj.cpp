// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/obj.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

class ObjReader {
 public:
  explicit ObjReader(const std::filesystem::path& path) : problems_(path) {}

  Result<TriMesh> read(std::string_view text) {
    LineScan lines(text);
    while (lines.next() && !problems_.full()) line(lines.line(), lines.number());
    check_corners();
    return problems_.mesh_or_error(std::move(mesh_));
  }

 private:
  void line(std::string_view text, std::size_t number) {
    const std::string_view word = take_word(text);
    if (word == "v") vertex(text, number);
    if (word == "f") face(text, number);
  }

  void vertex(std::string_view text, std::size_t number) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
      const std::string_view word = take_word(text);
      if (!to_finite(word, p[axis])) {
        problems_.at_line(number, word.empty() ? "nothing" : in_quotes(word), "a finite coordinate");
        p[axis] = 0;  // keep the vertex: the indices of the others must not shift
      }
    }
    mesh_.vertices.push_back(p);
  }

  /// A corner is "v", "v/vt", "v//vn" or "v/vt/vn"; below zero it counts back from the last vertex so far.
  bool corner(std::string_view word, std::size_t number, Index& vertex) {
    const std::string_view digits = word.substr(0, word.find('/'));
    std::int64_t index = 0;
    if (!to_integer(digits, index) || index == 0) {
      problems_.at_line(number, in_quotes(word), "a vertex number, counted from 1");
      return false;
    }
    if (index < 0) index += std::int64_t(mesh_.vertices.size()) + 1;
    if (index < 1 || index > std::numeric_limits<Index>::max()) {
      problems_.at_line(number, in_quotes(word), "the number of a vertex of this file");
      return false;
    }
    vertex = Index(index - 1);
    return true;
  }

  void face(std::string_view text, std::size_t number) {
    Triangle fan{};
    int corners = 0;
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text), ++corners) {
      Index vertex = 0;
      if (!corner(word, number, vertex)) return;
      if (corners < 3) {
        fan[corners] = vertex;
      } else {
        fan = {fan[0], fan[2], vertex};
      }
      if (corners < 2) continue;
      mesh_.triangles.push_back(fan);
      lines_.push_back(number);
    }
    if (corners < 3) problems_.at_line(number, fmt::format("a face of {} corners", corners), "3 or more");
  }

  /// Last, because a face may stand before its vertices.
  void check_corners() {
    const std::size_t count = mesh_.vertices.size();
    for (std::size_t t = 0; t < mesh_.triangles.size() && !problems_.full(); ++t)
      for (Index v : mesh_.triangles[t])
        if (std::size_t(v) >= count) {
          problems_.at_line(lines_[t], fmt::format("vertex {}", v + std::int64_t(1)),
                            fmt::format("one of the {} vertices of this file", count));
          break;
        }
  }

  TriMesh mesh_;
  std::vector<std::size_t> lines_;  ///< of every triangle
  MeshProblems problems_;
};

}  // namespace

std::optional<Error> write_obj(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  fmt::memory_buffer text;
  const auto out = fmt::appender(text);
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    fmt::format_to(out, "v {} {} {}\n", xyz[i], xyz[i + 1], xyz[i + 2]);
  for (const Triangle& t : triangles) fmt::format_to(out, "f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  file->write(text.data(), text.size());
  return file->commit();
}

Result<TriMesh> read_obj(const std::filesystem::path& path) {
  const Result<std::string> text = read_file(path);
  if (!text) return text.error();
  return ObjReader(path).read(*text);
}

}  // namespace pliant
