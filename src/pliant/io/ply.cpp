// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/ply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/float_frame.hpp"
#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

enum class Encoding { text, little, big };
enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

struct Property {
  std::string name;
  bool list = false;
  Scalar count = Scalar::u8;  ///< of a list
  Scalar value = Scalar::f32;
};

struct Element {
  std::string name;
  std::int64_t count = 0;
  std::vector<Property> properties;
};

struct Header {
  Encoding encoding = Encoding::text;
  std::vector<Element> elements;
  std::size_t bytes = 0;  ///< where the data begins
  std::size_t lines = 0;
};

bool to_scalar(std::string_view word, Scalar& type) {
  struct Name {
    const char *old_name, *new_name;
    Scalar type;
  };
  static constexpr Name names[] = {{"char", "int8", Scalar::i8},      {"uchar", "uint8", Scalar::u8},
                                   {"short", "int16", Scalar::i16},   {"ushort", "uint16", Scalar::u16},
                                   {"int", "int32", Scalar::i32},     {"uint", "uint32", Scalar::u32},
                                   {"float", "float32", Scalar::f32}, {"double", "float64", Scalar::f64}};
  for (const Name& name : names)
    if (word == name.old_name || word == name.new_name) {
      type = name.type;
      return true;
    }
  return false;
}

bool is_integer(Scalar type) { return type != Scalar::f32 && type != Scalar::f64; }

std::size_t bytes_of(Scalar type) {
  switch (type) {
    case Scalar::i8:
    case Scalar::u8:
      return 1;
    case Scalar::i16:
    case Scalar::u16:
      return 2;
    case Scalar::i32:
    case Scalar::u32:
    case Scalar::f32:
      return 4;
    case Scalar::f64:
      return 8;
  }
  return 0;
}

template <class T>
double value_as(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return double(value);
}

double value_of(Scalar type, const char* bytes) {
  switch (type) {
    case Scalar::i8:
      return value_as<std::int8_t>(bytes);
    case Scalar::u8:
      return value_as<std::uint8_t>(bytes);
    case Scalar::i16:
      return value_as<std::int16_t>(bytes);
    case Scalar::u16:
      return value_as<std::uint16_t>(bytes);
    case Scalar::i32:
      return value_as<std::int32_t>(bytes);
    case Scalar::u32:
      return value_as<std::uint32_t>(bytes);
    case Scalar::f32:
      return value_as<float>(bytes);
    case Scalar::f64:
      return value_as<double>(bytes);
  }
  return 0;
}

/// The next value of the data, whatever its encoding.
class DataScan {
 public:
  DataScan(std::string_view data, Encoding encoding, std::size_t line)
      : rest_(data), encoding_(encoding), lines_(data), first_line_(line) {}

  /// Where the element starts that is read next; one element a line in text.
  bool start_element() {
    if (encoding_ != Encoding::text) return true;
    do {
      if (!lines_.next()) return false;
      rest_ = lines_.line();
    } while (rest_.find_first_not_of(" \t") == std::string_view::npos);
    return true;
  }

  bool next(Scalar type, double& value) {
    if (encoding_ == Encoding::text) return to_finite(take_word(rest_), value);
    const std::size_t size = bytes_of(type);
    if (rest_.size() < size) return false;
    char bytes[8];
    std::memcpy(bytes, rest_.data(), size);
    if (encoding_ == Encoding::big) std::reverse(bytes, bytes + size);
    value = value_of(type, bytes);
    rest_.remove_prefix(size);
    return true;
  }

  /// What a message says about the element read last, the k-th of its kind: its line in text, else k.
  std::size_t mark(std::int64_t k) const {
    return encoding_ == Encoding::text ? first_line_ + lines_.number() : std::size_t(k);
  }
  std::string place(const std::string& element, std::size_t mark) const {
    return fmt::format("{} {}", encoding_ == Encoding::text ? "line" : element, mark);
  }

 private:
  std::string_view rest_;
  Encoding encoding_;
  LineScan lines_;
  std::size_t first_line_;
};

class PlyReader {
 public:
  explicit PlyReader(const std::filesystem::path& path) : problems_(path) {}

  Result<TriMesh> read(std::string_view text) {
    if (header(text)) data(text.substr(header_.bytes));
    return problems_.mesh_or_error(std::move(mesh_));
  }

 private:
  /// Header lines by hand: the data behind them may be binary and hold any byte.
  bool header(std::string_view text) {
    std::string_view rest = text;
    bool has_format = false;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++header_.lines;
      if (header_.lines == 1) {
        if (line == "ply") continue;
        problems_.at_line(1, in_quotes(line), "'ply'");
        return false;
      }
      const std::string_view whole = line;
      const std::string_view word = take_word(line);
      if (word == "end_header") {
        header_.bytes = text.size() - rest.size();
        if (!has_format) problems_.at("header", "no format", "a line such as 'format ascii 1.0'");
        return has_format && check_elements();
      }
      if (word == "comment" || word == "obj_info" || word.empty()) continue;
      const bool known = (word == "format" && (has_format = format(line))) ||
                         (word == "element" && element(line)) || (word == "property" && property(line));
      if (known) continue;
      problems_.at_line(header_.lines, in_quotes(whole),
                        "a format, element, property, comment or end_header line");
      return false;
    }
    problems_.at("header", "no end_header", "a PLY header");
    return false;
  }

  bool format(std::string_view line) {
    const std::string_view name = take_word(line), version = take_word(line);
    if (name == "ascii") header_.encoding = Encoding::text;
    if (name == "binary_little_endian") header_.encoding = Encoding::little;
    if (name == "binary_big_endian") header_.encoding = Encoding::big;
    return version == "1.0" &&
           (name == "ascii" || name == "binary_little_endian" || name == "binary_big_endian");
  }

  bool element(std::string_view line) {
    Element e;
    e.name = take_word(line);
    if (e.name.empty() || !to_integer(take_word(line), e.count)) return false;
    if (e.count < 0 || e.count > std::numeric_limits<Index>::max()) return false;
    header_.elements.push_back(std::move(e));
    return true;
  }

  bool property(std::string_view line) {
    if (header_.elements.empty()) return false;
    Property p;
    std::string_view word = take_word(line);
    p.list = word == "list";
    if (p.list) {
      if (!to_scalar(take_word(line), p.count) || !is_integer(p.count)) return false;
      word = take_word(line);
    }
    if (!to_scalar(word, p.value)) return false;
    p.name = take_word(line);
    if (p.name.empty()) return false;
    header_.elements.back().properties.push_back(std::move(p));
    return true;
  }

  bool check_elements() {
    for (const Element& e : header_.elements) {
      for (const char* axis : {"x", "y", "z"})
        if (e.name == "vertex" &&
            std::none_of(e.properties.begin(), e.properties.end(),
                         [&](const Property& p) { return !p.list && p.name == axis; })) {
          problems_.at("header", fmt::format("element 'vertex' without property {}", axis), "x, y and z");
          return false;
        }
      if (e.properties.empty() && e.count > 0) {
        problems_.at("header", "element " + in_quotes(e.name) + " without properties", "one or more");
        return false;
      }
    }
    return true;
  }

  void data(std::string_view bytes) {
    DataScan scan(bytes, header_.encoding, header_.lines);
    for (const Element& e : header_.elements)
      for (std::int64_t k = 0; k < e.count; ++k) {
        if (!read_element(scan, e, k)) return;  // the place of everything behind it is unknown
        if (problems_.full()) return;
      }
    check_corners(scan);
  }

  bool read_element(DataScan& scan, const Element& e, std::int64_t k) {
    if (!scan.start_element()) return cut_off(scan, e, k);
    Vec3 p(0, 0, 0);
    for (const Property& property : e.properties) {
      if (property.list) {
        if (!read_list(scan, e, property, k)) return false;
        continue;
      }
      double value = 0;
      if (!scan.next(property.value, value)) return cut_off(scan, e, k);
      for (int axis = 0; axis < 3; ++axis)
        if (property.name.size() == 1 && property.name[0] == "xyz"[axis]) p[axis] = value;
    }
    if (e.name != "vertex") return true;
    if (!p.allFinite())
      problems_.at(scan.place(e.name, scan.mark(k)), "a coordinate that is not finite", "finite coordinates");
    mesh_.vertices.push_back(p);
    return true;
  }

  bool read_list(DataScan& scan, const Element& e, const Property& property, std::int64_t k) {
    const bool corners =
        e.name == "face" && (property.name == "vertex_indices" || property.name == "vertex_index");
    double count = 0;
    if (!scan.next(property.count, count)) return cut_off(scan, e, k);
    if (count < 0 || count != std::floor(count)) return cut_off(scan, e, k);
    if (corners && count < 3)
      problems_.at(scan.place(e.name, scan.mark(k)), fmt::format("a face of {} corners", count), "3 or more");
    Triangle fan{};
    for (double i = 0; i < count; ++i) {
      double value = 0;
      if (!scan.next(property.value, value)) return cut_off(scan, e, k);
      if (!corners) continue;
      if (value < 0 || value > std::numeric_limits<Index>::max() || value != std::floor(value)) {
        problems_.at(scan.place(e.name, scan.mark(k)), fmt::format("vertex {}", value),
                     "the number of a vertex, from 0");
        value = 0;
      }
      const Index vertex = Index(value);
      if (i < 3) {
        fan[std::size_t(i)] = vertex;
      } else {
        fan = {fan[0], fan[2], vertex};
      }
      if (i < 2) continue;
      mesh_.triangles.push_back(fan);
      marks_.push_back(scan.mark(k));
    }
    return true;
  }

  bool cut_off(const DataScan& scan, const Element& e, std::int64_t k) {
    problems_.at(scan.place(e.name, scan.mark(k)), "an incomplete or unreadable element",
                 fmt::format("{} of {} elements '{}'", k + 1, e.count, e.name));
    return false;
  }

  void check_corners(const DataScan& scan) {
    const std::size_t count = mesh_.vertices.size();
    for (std::size_t t = 0; t < mesh_.triangles.size() && !problems_.full(); ++t)
      for (Index v : mesh_.triangles[t])
        if (std::size_t(v) >= count) {
          problems_.at(scan.place("face", marks_[t]), fmt::format("vertex {}", v),
                       fmt::format("one of the {} vertices, counted from 0", count));
          break;
        }
  }

  Header header_;
  TriMesh mesh_;
  std::vector<std::size_t> marks_;  ///< of every triangle
  MeshProblems problems_;
};

}  // namespace

std::optional<Error> write_ply(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  const std::size_t vertices = xyz.size() / 3;
  file->write(fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment made by pliant; metres, y up\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\n"
      "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
      vertices, triangles.size()));
  const FloatFrame normals = frame_normals(xyz, triangles);
  for (std::size_t v = 0; v < vertices; ++v) {
    file->write(&xyz[3 * v], 3 * sizeof(float));
    file->write(&normals[3 * v], 3 * sizeof(float));
  }
  for (const Triangle& t : triangles) {
    const unsigned char corners = 3;
    file->write(&corners, 1);
    file->write(t.data(), sizeof(t));
  }
  return file->commit();
}

Result<TriMesh> read_ply(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  return PlyReader(path).read(*bytes);
}

}  // namespace pliant
