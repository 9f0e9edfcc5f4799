// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/ply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/texcoords.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

enum class Encoding { text, little, big };
enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

/// What a property of a vertex or face is to us.
enum class Role { none, x, y, z, nx, ny, nz, u, v, corners, texcoords };

struct Property {
  std::string name;
  Role role = Role::none;
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

Role role_of(const std::string& element, const Property& p) {
  struct Named {
    const char* name;
    Role role;
  };
  static constexpr Named of_vertex[] = {
      {"x", Role::x},         {"y", Role::y},         {"z", Role::z},         {"s", Role::u},
      {"t", Role::v},         {"u", Role::u},         {"v", Role::v},         {"texture_u", Role::u},
      {"texture_v", Role::v}, {"texture_s", Role::u}, {"texture_t", Role::v}, {"nx", Role::nx},
      {"ny", Role::ny},       {"nz", Role::nz}};
  static constexpr Named of_face[] = {
      {"vertex_indices", Role::corners}, {"vertex_index", Role::corners}, {"texcoord", Role::texcoords}};
  const bool vertex = element == "vertex" && !p.list, face = element == "face" && p.list;
  if (vertex)
    for (const Named& n : of_vertex)
      if (p.name == n.name) return n.role;
  if (face)
    for (const Named& n : of_face)
      if (p.name == n.name) return n.role;
  return Role::none;
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
  DataScan(std::string_view file, std::size_t begin, Encoding encoding, std::size_t line)
      : file_(file), rest_(file.substr(begin)), encoding_(encoding), lines_(rest_, line) {}

  /// Where the element starts that is read next; one element a line in text.
  bool start_element() {
    begin_ = file_.size() - rest_.size();
    if (encoding_ != Encoding::text) return true;
    do {
      if (!lines_.next()) return false;
      rest_ = lines_.line();
    } while (rest_.find_first_not_of(" \t") == std::string_view::npos);
    return true;
  }

  bool next(Scalar type, double& value) {
    if (encoding_ == Encoding::text) {
      word_ = take_word(rest_);
      return to_number(word_, value);
    }
    const std::size_t size = bytes_of(type);
    if (rest_.size() < size) return false;
    char bytes[8];
    std::memcpy(bytes, rest_.data(), size);
    if (encoding_ == Encoding::big) std::reverse(bytes, bytes + size);
    value = value_of(type, bytes);
    rest_.remove_prefix(size);
    return true;
  }

  std::size_t bytes_left() const { return encoding_ == Encoding::text ? lines_.bytes_left() : rest_.size(); }

  /// Where the k-th of its kind stands, the element read last: "line 7, vertex 3" or "byte 99, vertex 3".
  std::string place(const Element& e, std::int64_t k) const {
    if (encoding_ == Encoding::text) return fmt::format("{}, {} {}", lines_.place(), printable(e.name), k);
    return fmt::format("byte {}, {} {}", begin_, printable(e.name), k);
  }
  std::string word() const { return encoding_ == Encoding::text ? found_word(word_) : "the end of the file"; }

 private:
  static std::string printable(const std::string& name) {
    const std::string quoted = in_quotes(name);
    return quoted.substr(1, quoted.size() - 2);
  }
  /// "nan" and "inf" are read as such: their vertex is named by the caller.
  static bool to_number(std::string_view word, double& value) {
    if (to_finite(word, value)) return true;
    if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
    if (!same_word(word, "nan") && !same_word(word, "inf") && !same_word(word, "infinity")) return false;
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }

  std::string_view file_, rest_, word_;
  Encoding encoding_;
  LineScan lines_;
  std::size_t begin_ = 0;
};

class PlyReader {
 public:
  explicit PlyReader(const std::string& name) : problems_(name) {}

  Result<PolygonMesh> read(std::string_view file) {
    if (header(file)) data(file);
    if (!problems_.any()) attach_texcoords();
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
        problems_.at("line 1", found_word(line), "'ply'");
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
      if (!is_keyword(word) && pass_over(whole)) continue;
      problems_.at(fmt::format("line {}", header_.lines), in_quotes(whole),
                   "a format, element, property, comment or end_header line");
      return false;
    }
    problems_.at("header", "no end_header", "a PLY header");
    return false;
  }

  static bool is_keyword(std::string_view word) {
    return word == "format" || word == "element" || word == "property";
  }

  /// Some programs write lines of their own, without "comment" before them.
  bool pass_over(std::string_view line) {
    constexpr std::size_t most = 20;  // a file with more is of another kind
    if (mesh_.remarks.size() == most) return false;
    mesh_.remarks.push_back(fmt::format("line {} of the header, {}, is none that PLY knows: passed over.",
                                        header_.lines, in_quotes(line)));
    return true;
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
    p.role = role_of(header_.elements.back().name, p);
    header_.elements.back().properties.push_back(std::move(p));
    return true;
  }

  static bool has(const Element& e, Role role) {
    return std::any_of(e.properties.begin(), e.properties.end(),
                       [&](const Property& p) { return p.role == role; });
  }

  bool check_elements() {
    int vertex_elements = 0;
    for (const Element& e : header_.elements) {
      if (e.properties.empty() && e.count > 0) {
        problems_.at("header", "element " + in_quotes(e.name) + " without properties", "one or more");
        return false;
      }
      if (e.name == "tristrips" && e.count > 0) {
        problems_.at("header", "triangle strips (element 'tristrips')", "faces (element 'face')",
                     "export the mesh as triangles");
        return false;
      }
      if (e.name == "face" && e.count > 0 && !has(e, Role::corners)) {
        problems_.at("header", "element 'face' without a list of corners", "the list vertex_indices");
        return false;
      }
      has_wedges_ |= has(e, Role::texcoords);
      has_faces_ |= e.name == "face" && e.count > 0;
      if (e.name != "vertex") continue;
      vertices_ = e.count;
      textured_ = has(e, Role::u) && has(e, Role::v);
      has_normals_ = has(e, Role::nx) && has(e, Role::ny) && has(e, Role::nz);
      for (auto [axis, role] : {std::pair{'x', Role::x}, {'y', Role::y}, {'z', Role::z}})
        if (!has(e, role)) {
          problems_.at("header", fmt::format("element 'vertex' without property {}", axis), "x, y and z");
          return false;
        }
      if (++vertex_elements > 1) {
        problems_.at("header", "element 'vertex' twice", "one");
        return false;
      }
    }
    return true;
  }

  /// The least an element takes: every list empty, in text a digit and a blank or line end a value.
  std::size_t least_bytes(const Element& e) const {
    std::size_t bytes = 0;
    for (const Property& p : e.properties)
      bytes += header_.encoding == Encoding::text ? 2 : bytes_of(p.list ? p.count : p.value);
    return bytes;
  }

  void data(std::string_view file) {
    DataScan scan(file, header_.bytes, header_.encoding, header_.lines + 1);
    for (const Element& e : header_.elements) {
      // Before anything is kept: the header may promise more than the file can hold.
      const std::size_t left = scan.bytes_left();
      if (e.count > 0 && std::size_t(e.count) > (left + 1) / least_bytes(e)) {
        problems_.at("header", fmt::format("{} elements {}", e.count, in_quotes(e.name)),
                     fmt::format("no more than the {} bytes behind can hold", left),
                     "the file is cut off or its header is wrong");
        return;
      }
      for (std::int64_t k = 0; k < e.count; ++k) {
        if (!read_element(scan, e, k)) return;  // the place of everything behind it is unknown
        if (problems_.full()) return;
      }
    }
  }

  bool read_element(DataScan& scan, const Element& e, std::int64_t k) {
    if (!scan.start_element()) return ends(scan, e, k);
    Vec3 p(0, 0, 0), normal(0, 0, 0);
    std::array<double, 2> uv{};
    wedge_.clear();
    const std::size_t first_corner = mesh_.corner.size();
    for (const Property& property : e.properties) {
      const Role role = property.role;
      if (property.list) {
        if (!read_list(scan, e, property, k)) return false;
        continue;
      }
      double value = 0;
      if (!scan.next(property.value, value)) return unreadable(scan, e, k);
      if (role == Role::x || role == Role::y || role == Role::z) p[int(role) - int(Role::x)] = value;
      if (role == Role::nx || role == Role::ny || role == Role::nz) normal[int(role) - int(Role::nx)] = value;
      if (role == Role::u || role == Role::v) uv[std::size_t(role) - std::size_t(Role::u)] = value;
    }
    if (e.name == "vertex") add_vertex(scan, e, k, p, uv);
    if (e.name == "vertex" && has_normals_ && !has_faces_) add_normal(scan, e, k, normal);
    if (e.name == "face") add_face(scan, e, k, first_corner);
    return true;
  }

  void add_vertex(const DataScan& scan, const Element& e, std::int64_t k, const Vec3& p,
                  const std::array<double, 2>& uv) {
    if (!p.allFinite())
      problems_.at(scan.place(e, k), "a coordinate that is not finite", "finite coordinates");
    mesh_.vertices.push_back(p);
    if (textured_) add_texcoord(scan, e, k, uv[0], uv[1]);
  }

  /// Only points without faces need theirs: the normals of a surface are those of its faces.
  void add_normal(const DataScan& scan, const Element& e, std::int64_t k, const Vec3& normal) {
    const double length = normal.stableNorm();
    const bool good = normal.allFinite() && length > 0;
    if (!good)
      problems_.at(scan.place(e, k),
                   normal.allFinite() ? "a normal of length 0" : "a normal that is not finite",
                   "the outward direction of the surface at this point");
    mesh_.normals.push_back(good ? Vec3(normal / length) : Vec3(0, 1, 0));
  }

  void add_texcoord(const DataScan& scan, const Element& e, std::int64_t k, double u, double v) {
    constexpr double most = std::numeric_limits<float>::max();
    const bool good = std::abs(u) <= most && std::abs(v) <= most;
    if (!good) problems_.at(scan.place(e, k), "a texture coordinate that is not finite", "finite ones");
    mesh_.texcoords.push_back(good ? std::array<float, 2>{float(u), float(v)} : std::array<float, 2>{});
  }

  /// A face may carry a texture coordinate for each of its corners, or none.
  void add_face(const DataScan& scan, const Element& e, std::int64_t k, std::size_t first_corner) {
    const std::size_t corners = mesh_.corner.size() - first_corner;
    mesh_.face_begin.push_back(Index(mesh_.corner.size()));
    if (textured_ || !has_wedges_) return;
    if (!wedge_.empty() && wedge_.size() != 2 * corners) {
      problems_.at(scan.place(e, k), fmt::format("{} texture values", wedge_.size()),
                   fmt::format("{} for {} corners", 2 * corners, corners));
      return;
    }
    for (std::size_t c = 0; c < corners; ++c) {
      mesh_.corner_texcoord.push_back(wedge_.empty() ? -1 : Index(mesh_.texcoords.size()));
      if (!wedge_.empty()) add_texcoord(scan, e, k, wedge_[2 * c], wedge_[2 * c + 1]);
    }
  }

  bool read_list(DataScan& scan, const Element& e, const Property& property, std::int64_t k) {
    double count = 0;
    if (!scan.next(property.count, count)) return unreadable(scan, e, k);
    if (!(count >= 0) || count != std::floor(count)) {
      problems_.at(scan.place(e, k), fmt::format("a list of {} values", count), "0 or more");
      return false;
    }
    for (double i = 0; i < count; ++i) {
      double value = 0;
      if (!scan.next(property.value, value)) return unreadable(scan, e, k);
      if (property.role == Role::texcoords) wedge_.push_back(value);
      if (property.role != Role::corners) continue;
      if (!(value >= 0) || value >= double(vertices_) || value != std::floor(value)) {
        problems_.at(scan.place(e, k), fmt::format("vertex {}", value),
                     fmt::format("one of the {} vertices of this file, counted from 0", vertices_));
        value = 0;
      }
      mesh_.corner.push_back(Index(value));
    }
    return true;
  }

  bool ends(const DataScan& scan, const Element& e, std::int64_t k) {
    problems_.at(scan.place(e, k), "the end of the file",
                 fmt::format("{} of {} elements {}", k + 1, e.count, in_quotes(e.name)));
    return false;
  }

  bool unreadable(const DataScan& scan, const Element& e, std::int64_t k) {
    problems_.at(scan.place(e, k), scan.word(),
                 fmt::format("a finite number in element {} of {} {}", k + 1, e.count, in_quotes(e.name)));
    return false;
  }

  /// A vertex's own texture coordinate serves all its corners.
  void attach_texcoords() {
    if (textured_) mesh_.corner_texcoord = mesh_.corner;
    const std::vector<Index>& used = mesh_.corner_texcoord;
    if (std::any_of(used.begin(), used.end(), [](Index t) { return t >= 0; })) return;
    mesh_.texcoords.clear();
    mesh_.corner_texcoord.clear();
  }

  Header header_;
  PolygonMesh mesh_;
  std::int64_t vertices_ = 0;
  bool textured_ = false;     ///< vertices carry texture coordinates
  bool has_wedges_ = false;   ///< faces do
  bool has_normals_ = false;  ///< vertices have
  bool has_faces_ = false;
  std::vector<double> wedge_;  ///< of the face read now
  MeshProblems problems_;
};

// ---- writing ----

void put_vertices(AtomicFile& file, std::span<const float> xyz, const FloatFrame& normals,
                  std::span<const Texcoord> texcoords) {
  for (std::size_t v = 0; v < xyz.size() / 3; ++v) {
    file.write(&xyz[3 * v], 3 * sizeof(float));
    file.write(&normals[3 * v], 3 * sizeof(float));
    if (!texcoords.empty()) file.write(texcoords[v].data(), sizeof(Texcoord));
  }
}

/// How many values a list has: one byte when that holds every list of the file, as most readers like best.
void put_count(AtomicFile& file, Index count, bool small) {
  const std::uint8_t byte = std::uint8_t(count);
  if (small) {
    file.write(&byte, 1);
  } else {
    file.write(&count, sizeof(count));
  }
}

/// A list of texture coordinates has two values a corner.
bool lists_are_small(const PolygonMesh& faces) {
  for (Index f = 0; f < faces.faces(); ++f)
    if (faces.corners_of(f) > 127) return false;
  return true;
}

void put_triangles(AtomicFile& file, const std::vector<Triangle>& triangles) {
  for (const Triangle& t : triangles) {
    put_count(file, 3, true);
    file.write(t.data(), sizeof(t));
  }
}

void put_faces(AtomicFile& file, const PolygonMesh& faces, bool wedges, bool small) {
  for (Index f = 0; f < faces.faces(); ++f) {
    const Index corners = faces.corners_of(f), begin = faces.face_begin[f];
    if (corners < 3) continue;
    put_count(file, corners, small);
    file.write(&faces.corner[begin], corners * sizeof(Index));
    if (!wedges) continue;
    bool whole = true;
    for (Index c = begin; c < begin + corners; ++c) whole &= faces.corner_texcoord[c] >= 0;
    put_count(file, whole ? 2 * corners : 0, small);
    for (Index c = begin; whole && c < begin + corners; ++c)
      file.write(faces.texcoords[faces.corner_texcoord[c]].data(), sizeof(Texcoord));
  }
}

}  // namespace

std::optional<Error> write_ply(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles, const PolygonMesh& faces) {
  return write_ply(path, xyz, triangles, faces, FrameNormals(faces));
}

std::optional<Error> write_ply(const std::filesystem::path& path, std::span<const float> xyz,
                               const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                               const FrameNormals& normals) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  const std::vector<Texcoord> texcoords = vertex_texcoords(faces, xyz.size() / 3);
  const bool polygons = faces.faces() > 0;
  const bool wedges = texcoords.empty() && !faces.corner_texcoord.empty();
  const bool small = lists_are_small(faces);
  const char* count = small ? "uchar" : "int";
  file->write(fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment made by pliant; metres, y up\nelement vertex {}\n"
      "property float x\nproperty float y\nproperty float z\n"
      "property float nx\nproperty float ny\nproperty float nz\n{}"
      "element face {}\nproperty list {} int vertex_indices\n{}end_header\n",
      xyz.size() / 3, texcoords.empty() ? "" : "property float s\nproperty float t\n",
      polygons ? written_faces(faces) : triangles.size(), count,
      wedges ? fmt::format("property list {} float texcoord\n", count) : ""));
  put_vertices(*file, xyz, normals.at(xyz, triangles), texcoords);
  if (polygons) {
    put_faces(*file, faces, wedges, small);
  } else {
    put_triangles(*file, triangles);
  }
  return file->commit();
}

Result<PolygonMesh> parse_ply(std::string_view bytes, const std::string& name) {
  return PlyReader(name).read(bytes);
}

}  // namespace pliant
