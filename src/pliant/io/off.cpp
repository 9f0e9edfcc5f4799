// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/off.hpp"

#include <fmt/format.h>

#include <limits>

#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

class OffReader {
 public:
  OffReader(std::string_view text, const std::string& name) : lines_(without_mark(text)), problems_(name) {}

  Result<PolygonMesh> read() {
    if (header() && counts() && vertices() && faces() && textured_) mesh_.corner_texcoord = mesh_.corner;
    if (!textured_) mesh_.texcoords.clear();
    return problems_.mesh_or_error(std::move(mesh_));
  }

 private:
  /// The next line that is not blank.
  bool next_line() {
    do {
      if (!lines_.next()) return false;
      line_ = lines_.line();
    } while (line_.find_first_not_of(" \t\v\f") == std::string_view::npos);
    return true;
  }

  /// The next word, from the lines below when this one is used up: an element may be broken.
  std::string_view word() {
    std::string_view found = take_word(line_);
    while (found.empty() && next_line()) found = take_word(line_);
    return found;
  }

  bool ends(const std::string& expected) {
    problems_.at(lines_.place(), "the end of the file", expected);
    return false;
  }

  bool wrong(std::string_view found, const std::string& expected) {
    problems_.at(lines_.place(found), found_word(found), expected);
    return false;
  }

  /// [ST][C][N][4][n]OFF [BINARY]
  bool header() {
    const std::string_view keyword = word();
    std::string_view rest = keyword;
    const auto prefix = [&rest](std::string_view with) {
      if (!rest.starts_with(with)) return false;
      rest.remove_prefix(with.size());
      return true;
    };
    textured_ = prefix("ST");
    prefix("C");
    prefix("N");
    if (rest == "4OFF" || rest == "nOFF" || rest == "4nOFF")
      return wrong(keyword, "OFF: vertices of three coordinates");
    if (rest != "OFF") return wrong(keyword, "OFF, COFF, NOFF, STOFF or a mixture of them");
    std::string_view behind = line_;
    const std::string_view encoding = take_word(behind);
    if (encoding == "BINARY") return wrong(encoding, "a text OFF");
    return true;
  }

  bool count(std::string_view found, std::int64_t& value, const char* what) {
    if (!to_integer(found, value) || value < 0)
      return wrong(found, fmt::format("the number of {}, 0 or more", what));
    // Before anything is kept: a file cannot hold more of them than it has bytes. A vertex is at least
    // "0 0 0\n", a face "0\n".
    const std::size_t left = lines_.bytes_left() + 1;
    if (value > std::int64_t(left / 2)) {
      problems_.at(lines_.place(found), fmt::format("{} {}", value, what),
                   fmt::format("no more than the {} bytes behind can hold", left - 1),
                   "the file is cut off or its counts are wrong");
      return false;
    }
    return true;
  }

  /// Vertices, faces and, often left out, edges; behind the keyword or in a line of their own.
  bool counts() {
    return count(word(), vertex_count_, "vertices") && count(take_word(line_), face_count_, "faces");
  }

  bool vertices() {
    for (std::int64_t v = 0; v < vertex_count_ && !problems_.full(); ++v) {
      if (!next_line()) return ends(fmt::format("vertex {} of {}, counted from 0", v, vertex_count_));
      Vec3 p;
      for (int axis = 0; axis < 3; ++axis) {
        const std::string_view found = word();
        if (to_finite(found, p[axis])) continue;
        wrong(found, fmt::format("a finite {} of vertex {}, counted from 0", "xyz"[axis], v));
        if (found.empty()) return false;
        p[axis] = 0;
      }
      mesh_.vertices.push_back(p);
      if (textured_) texcoord(v);
    }
    return !problems_.any();
  }

  /// The last two values of the line: normals and colours stand in front, and colours have 3 or 4 values.
  void texcoord(std::int64_t vertex) {
    std::string_view last[2] = {};
    for (std::string_view found = take_word(line_); !found.empty(); found = take_word(line_)) {
      last[0] = last[1];
      last[1] = found;
    }
    std::array<float, 2> uv{};
    for (int k = 0; k < 2; ++k)
      if (!to_finite_float(last[k], uv[k]))
        wrong(last[k], fmt::format("a finite texture coordinate of vertex {}, counted from 0", vertex));
    mesh_.texcoords.push_back(uv);
  }

  bool faces() {
    for (std::int64_t f = 0; f < face_count_ && !problems_.full(); ++f) {
      if (!next_line()) return ends(fmt::format("face {} of {}, counted from 0", f, face_count_));
      std::int64_t corners = 0;
      const std::string_view told = word();
      if (!to_integer(told, corners) || corners < 0)
        return wrong(told, fmt::format("how many corners face {} has", f));
      for (std::int64_t c = 0; c < corners; ++c) {
        std::int64_t vertex = 0;
        const std::string_view found = word();
        if (to_integer(found, vertex) && vertex >= 0 && vertex < vertex_count_) {
          mesh_.corner.push_back(Index(vertex));
          continue;
        }
        wrong(found, fmt::format("one of the {} vertices of this file, counted from 0", vertex_count_));
        if (found.empty()) return false;
        break;
      }
      mesh_.face_begin.push_back(Index(mesh_.corner.size()));  // what is left of the line is a colour
    }
    return !problems_.any();
  }

  LineScan lines_;
  std::string_view line_;  ///< what is left of the present line
  PolygonMesh mesh_;
  std::int64_t vertex_count_ = 0, face_count_ = 0;
  bool textured_ = false;
  MeshProblems problems_;
};

}  // namespace

Result<PolygonMesh> parse_off(std::string_view text, const std::string& name) {
  return OffReader(text, name).read();
}

}  // namespace pliant
