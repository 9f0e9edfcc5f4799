// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "pliant/io/mesh_problems.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace {

using Json = nlohmann::json;
using Transform = Eigen::Matrix4d;

// Numbers of the glTF 2.0 specification.
constexpr std::uint32_t glb_magic = 0x46546C67, chunk_json = 0x4E4F534A, chunk_bin = 0x004E4942;
constexpr std::int64_t type_u8 = 5121, type_u16 = 5123, type_u32 = 5125, type_float = 5126;
constexpr std::int64_t mode_triangles = 4, mode_strip = 5, mode_fan = 6;

/// Thrown inside this file only: reading stops at the first problem, what follows hangs on it.
struct Refusal {
  std::string place, found, expected, hint;
};

[[noreturn]] void refuse(std::string place, std::string found, std::string expected, std::string hint = "") {
  throw Refusal{std::move(place), std::move(found), std::move(expected), std::move(hint)};
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

// ---- JSON with its path ----

/// What a message shows of a value. No contents of lists and objects: they may be nested without end.
std::string shown(const Json& json) {
  if (json.is_array()) return "a list";
  if (json.is_object()) return "an object";
  return in_quotes(json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

const Json* member(const Json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && at != object.end() ? &*at : nullptr;
}

std::string joined(const std::string& place, const char* key) {
  return place.empty() ? key : fmt::format("{}.{}", place, key);
}

/// A whole number >= 0 of an object, or the default.
std::int64_t count_of(const Json& object, const char* key, const std::string& place,
                      std::optional<std::int64_t> otherwise = {}) {
  const Json* value = member(object, key);
  if (!value && otherwise) return *otherwise;
  const bool good = value && value->is_number_unsigned() &&
                    value->get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<std::int64_t>::max());
  if (!good) refuse(joined(place, key), value ? shown(*value) : "nothing", "a whole number, 0 or more");
  return value->get<std::int64_t>();
}

/// Row `index` of the file's list `list`.
const Json& row(const Json& root, const char* list, std::int64_t index, const std::string& place) {
  const Json* rows = member(root, list);
  const std::size_t count = rows && rows->is_array() ? rows->size() : 0;
  if (std::uint64_t(index) >= count)
    refuse(place, fmt::format("{}", index), fmt::format("one of the {} {} of this file", count, list));
  const Json& found = (*rows)[std::size_t(index)];
  if (!found.is_object()) refuse(fmt::format("{}.{}", list, index), shown(found), "an object");
  return found;
}

/// A list of n finite numbers of an object; false when it has none.
template <std::size_t n>
bool numbers_of(const Json& object, const char* key, const std::string& place, std::array<double, n>& out) {
  const Json* value = member(object, key);
  if (!value) return false;
  bool good = value->is_array() && value->size() == n;
  for (std::size_t i = 0; good && i < n; ++i) {
    good = (*value)[i].is_number();
    if (good) out[i] = (*value)[i].get<double>();
    good = good && std::isfinite(out[i]);
  }
  if (!good) refuse(joined(place, key), shown(*value), fmt::format("{} finite numbers", n));
  return true;
}

// ---- data ----

/// The values of an accessor: `components` of a type, `count` times, `stride` bytes apart.
struct Values {
  const char* data = nullptr;
  std::size_t count = 0, stride = 0, offset = 0;  ///< offset in the binary chunk, for messages
  std::int64_t type = type_float;

  const char* at(std::size_t k) const { return data + k * stride; }
};

std::size_t bytes_of(std::int64_t type) {
  return type == type_u8 ? 1 : type == type_u16 ? 2 : type == type_u32 || type == type_float ? 4 : 0;
}

std::uint32_t unsigned_at(const char* bytes, std::int64_t type) {
  std::uint32_t value = 0;  // little endian: the low bytes come first
  std::memcpy(&value, bytes, bytes_of(type));
  return value;
}

float float_at(const char* bytes) {
  float value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

/// Vertices that primitives of one node share.
struct SharedVertices {
  std::int64_t positions, texcoords;  ///< accessors; -1 = none
  Index first, count, first_texcoord;
};

class GlbReader {
 public:
  explicit GlbReader(std::string_view bytes) : bytes_(bytes) {}

  PolygonMesh read() {
    chunks();
    check_extensions();
    place_scene();
    if (!textured_) {
      mesh_.texcoords.clear();
      mesh_.corner_texcoord.clear();
    }
    return std::move(mesh_);
  }

 private:
  // ---- the container ----

  void chunks() {
    if (bytes_.size() < 20 || word_at(bytes_, 0) != glb_magic)
      refuse("byte 0", in_quotes(bytes_.substr(0, 4)), "'glTF' and a header of 20 bytes");
    if (word_at(bytes_, 4) != 2) refuse("byte 4", fmt::format("version {}", word_at(bytes_, 4)), "version 2");
    const std::size_t told = word_at(bytes_, 8);
    if (told > bytes_.size())
      refuse(fmt::format("byte {}", bytes_.size()), "the end of the file",
             fmt::format("{} bytes, as byte 8 tells", told), "the file is cut off");
    const std::string_view json = chunk(12, told, chunk_json, "JSON");
    const std::size_t next = 20 + (json.size() + 3) / 4 * 4;
    // Chunks of other kinds may follow; without a BIN chunk there is no data.
    if (next + 8 <= told) binary_ = chunk(next, told, chunk_bin, "BIN");
    try {
      root_ = Json::parse(json.begin(), json.end());
    } catch (const Json::parse_error& error) {
      refuse(fmt::format("byte {}", 20 + error.byte), "unreadable JSON", "the JSON of a glTF file");
    } catch (const Json::exception&) {
      refuse("byte 20", "JSON with a number too large", "the JSON of a glTF file");
    }
    if (!root_.is_object()) refuse("byte 20", shown(root_), "an object");
  }

  std::string_view chunk(std::size_t at, std::size_t end, std::uint32_t type, const char* name) const {
    const std::size_t length = at + 8 <= end ? word_at(bytes_, at) : 0;
    if (at + 8 > end || length > end - at - 8)
      refuse(fmt::format("byte {}", at), fmt::format("a chunk of {} bytes", length),
             fmt::format("no more than the file has ({})", end), "the file is cut off");
    if (word_at(bytes_, at + 4) != type)
      refuse(fmt::format("byte {}", at + 4), in_quotes(bytes_.substr(at + 4, 4)),
             fmt::format("a {} chunk", name));
    return bytes_.substr(at + 8, length);
  }

  /// Extensions that a file cannot do without; those of materials, lights and textures do not touch the
  /// surface.
  void check_extensions() const {
    const Json* required = member(root_, "extensionsRequired");
    if (!required || !required->is_array()) return;
    for (const Json& extension : *required) {
      const std::string name = extension.is_string() ? extension.get<std::string>() : "";
      const auto begins = [&name](const char* with) { return name.starts_with(with); };
      if (begins("KHR_materials_") || begins("KHR_texture_") || begins("EXT_texture_") ||
          begins("MSFT_texture_") || begins("KHR_lights_") || begins("KHR_xmp"))
        continue;
      const bool compressed = name == "KHR_draco_mesh_compression" || name == "EXT_meshopt_compression" ||
                              name == "KHR_mesh_quantization";
      refuse("extensionsRequired", in_quotes(name), "plain float positions",
             compressed ? "export the file without compression" : "");
    }
  }

  // ---- accessors ----

  std::string_view view(std::int64_t index, const std::string& place, std::size_t& stride,
                        std::size_t& offset) const {
    const Json& json = row(root_, "bufferViews", index, place + ".bufferView");
    const std::string at = fmt::format("bufferViews.{}", index);
    if (const Json* extensions = member(json, "extensions");
        extensions && member(*extensions, "EXT_meshopt_compression"))
      refuse(at, "EXT_meshopt_compression", "plain data", "export the file without compression");
    const std::int64_t buffer = count_of(json, "buffer", at);
    const Json& of = row(root_, "buffers", buffer, at + ".buffer");
    if (buffer != 0 || member(of, "uri"))
      refuse(fmt::format("buffers.{}", buffer), "data outside of the binary chunk", "all data in the .glb",
             "export as one .glb file");
    const std::int64_t begin = count_of(json, "byteOffset", at, 0), length = count_of(json, "byteLength", at);
    if (begin > std::int64_t(binary_.size()) || length > std::int64_t(binary_.size()) - begin)
      refuse(at, fmt::format("bytes {} to {}", begin, std::uint64_t(begin) + std::uint64_t(length)),
             fmt::format("no more than the {} bytes of the binary chunk", binary_.size()));
    const std::int64_t told = count_of(json, "byteStride", at, 0);
    if (told > 252) refuse(at + ".byteStride", fmt::format("{}", told), "at most 252");
    stride = std::size_t(told);
    offset = std::size_t(begin);
    return binary_.substr(std::size_t(begin), std::size_t(length));
  }

  /// Checked against the file: every value of the result lies inside.
  Values values(std::int64_t index, const std::string& place, const char* type,
                std::size_t components) const {
    const Json& json = row(root_, "accessors", index, place);
    const std::string at = fmt::format("accessors.{}", index);
    if (member(json, "sparse"))
      refuse(at, "a sparse accessor", "plain data", "export the file without sparse accessors");
    const Json* told = member(json, "type");
    if (!told || *told != type) refuse(at + ".type", told ? shown(*told) : "nothing", in_quotes(type));
    Values out;
    out.type = count_of(json, "componentType", at);
    out.count = std::size_t(count_of(json, "count", at));
    const std::size_t size = components * bytes_of(out.type);
    if (size == 0)
      refuse(at + ".componentType", fmt::format("{}", out.type), "5121, 5123, 5125 or 5126 (float)",
             "quantised positions (KHR_mesh_quantization) are not read");
    if (!member(json, "bufferView"))
      refuse(at, "no bufferView", "data in the file", "compressed meshes (Draco) are not read");
    std::size_t stride = 0;
    const std::string_view data = view(count_of(json, "bufferView", at), at, stride, out.offset);
    const std::size_t begin = std::size_t(count_of(json, "byteOffset", at, 0));
    out.stride = stride == 0 ? size : stride;
    if (out.stride < size)
      refuse(at, fmt::format("a stride of {} bytes", out.stride), fmt::format("{} or more", size));
    const bool fits = begin <= data.size() &&
                      (out.count == 0 || (data.size() - begin >= size &&
                                          (data.size() - begin - size) / out.stride >= out.count - 1));
    if (!fits)
      refuse(at, fmt::format("{} values of {} bytes from byte {} on", out.count, out.stride, begin),
             fmt::format("no more than the {} bytes of its view hold", data.size()), "the file is cut off");
    out.data = data.data() + begin;
    out.offset += begin;
    return out;
  }

  // ---- the scene ----

  struct Visit {
    std::int64_t node;
    Transform parent;
    std::string place;
  };

  /// All nodes of the scene, parents before children, in the order of the file's lists.
  void place_scene() {
    std::vector<Visit> stack;
    const auto push = [&stack](const Json* list, const Transform& parent, const std::string& place) {
      if (!list) return;
      if (!list->is_array()) refuse(place, shown(*list), "a list of nodes");
      for (std::size_t i = list->size(); i-- > 0;) {
        const std::string at = fmt::format("{}.{}", place, i);
        if (!(*list)[i].is_number_unsigned()) refuse(at, shown((*list)[i]), "the number of a node");
        const std::uint64_t node = (*list)[i].get<std::uint64_t>();
        stack.push_back({std::int64_t(std::min(node, std::uint64_t(1) << 62)), parent, at});
      }
    };
    const Json* scenes = member(root_, "scenes");
    const Json* nodes = member(root_, "nodes");
    const std::size_t node_count = nodes && nodes->is_array() ? nodes->size() : 0;
    if (scenes && scenes->is_array() && !scenes->empty()) {
      const std::int64_t scene = count_of(root_, "scene", "", 0);
      const Json& json = row(root_, "scenes", scene, "scene");
      push(member(json, "nodes"), Transform::Identity(), fmt::format("scenes.{}.nodes", scene));
    } else {
      return place_library(node_count);
    }
    std::vector<char> seen(node_count, 0);
    while (!stack.empty()) {
      const Visit visit = std::move(stack.back());
      stack.pop_back();
      const Json& json = row(root_, "nodes", visit.node, visit.place);
      if (seen[std::size_t(visit.node)]++)
        refuse(visit.place, fmt::format("node {} a second time", visit.node), "a tree of nodes");
      const std::string place = fmt::format("nodes.{}", visit.node);
      const Transform transform = visit.parent * local_transform(json, place);
      if (member(json, "mesh"))
        add_mesh(count_of(json, "mesh", place), member(json, "skin") ? Transform::Identity() : transform,
                 place);
      push(member(json, "children"), transform, place + ".children");
    }
  }

  /// A file without a scene is a library: its meshes as they are.
  void place_library(std::size_t nodes) {
    const Json* meshes = member(root_, "meshes");
    if (nodes > 0) refuse("scenes", "nothing", "a scene that places the nodes");
    for (std::size_t m = 0; meshes && m < meshes->size(); ++m)
      add_mesh(std::int64_t(m), Transform::Identity(), "meshes");
  }

  /// A matrix (column by column), or scale, then rotation (quaternion x y z w), then translation.
  static Transform local_transform(const Json& node, const std::string& place) {
    std::array<double, 16> matrix{};
    if (numbers_of(node, "matrix", place, matrix)) return Eigen::Map<const Transform>(matrix.data());
    std::array<double, 3> t{0, 0, 0}, s{1, 1, 1};
    std::array<double, 4> q{0, 0, 0, 1};
    numbers_of(node, "translation", place, t);
    numbers_of(node, "scale", place, s);
    if (numbers_of(node, "rotation", place, q)) {
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (!(length > 0 && std::isfinite(length)))
        refuse(place + ".rotation", "a quaternion without length", "a unit quaternion");
      for (double& part : q) part /= length;
    }
    Transform out = Transform::Identity();
    out.topLeftCorner<3, 3>() =
        Eigen::Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix() * Vec3(s[0], s[1], s[2]).asDiagonal();
    out.topRightCorner<3, 1>() = Vec3(t[0], t[1], t[2]);
    return out;
  }

  void add_mesh(std::int64_t index, const Transform& transform, const std::string& place) {
    const Json& json = row(root_, "meshes", index, place + ".mesh");
    const Json* primitives = member(json, "primitives");
    if (!primitives || !primitives->is_array())
      refuse(fmt::format("meshes.{}.primitives", index), primitives ? shown(*primitives) : "nothing",
             "a list");
    shared_.clear();
    for (std::size_t p = 0; p < primitives->size(); ++p)
      add_primitive((*primitives)[p], transform, fmt::format("meshes.{}.primitives.{}", index, p));
  }

  void add_primitive(const Json& json, const Transform& transform, const std::string& place) {
    const std::int64_t mode = count_of(json, "mode", place, mode_triangles);
    if (mode > mode_fan) refuse(place + ".mode", fmt::format("{}", mode), "0 to 6");
    if (mode < mode_triangles) return;  // points and lines
    const Json* attributes = member(json, "attributes");
    if (!attributes) refuse(place + ".attributes", "nothing", "POSITION");
    const std::int64_t positions = count_of(*attributes, "POSITION", place + ".attributes");
    const std::int64_t texcoords =
        member(*attributes, "TEXCOORD_0") ? count_of(*attributes, "TEXCOORD_0", place + ".attributes") : -1;
    const SharedVertices vertices = vertices_of(positions, texcoords, transform, place + ".attributes");
    const bool mirrored = transform.topLeftCorner<3, 3>().determinant() < 0;
    if (!member(json, "indices")) {
      return add_faces(mode, std::size_t(vertices.count), vertices, mirrored, place,
                       [](std::size_t k) { return std::uint32_t(k); });
    }
    const std::string at = place + ".indices";
    const Values indices = values(count_of(json, "indices", place), at, "SCALAR", 1);
    if (indices.type == type_float) refuse(at, "floats", "whole numbers (5121, 5123 or 5125)");
    add_faces(mode, indices.count, vertices, mirrored, at,
              [&indices](std::size_t k) { return unsigned_at(indices.at(k), indices.type); });
  }

  /// Instances multiply data: more than a file can hold itself is allowed up to 10 million.
  void limit(std::size_t have, std::size_t more, std::size_t least, std::size_t per_byte,
             const std::string& place) const {
    const std::size_t most = std::max(least, per_byte * bytes_.size());
    if (more > most || have > most - more)
      refuse(place, fmt::format("{} vertices or corners in all instances", have + more),
             fmt::format("at most {}", most));
  }

  SharedVertices vertices_of(std::int64_t positions, std::int64_t texcoords, const Transform& transform,
                             const std::string& place) {
    for (const SharedVertices& s : shared_)
      if (s.positions == positions && s.texcoords == texcoords) return s;
    const Values xyz = values(positions, place + ".POSITION", "VEC3", 3);
    if (xyz.type != type_float)
      refuse(place + ".POSITION", fmt::format("component type {}", xyz.type), "5126 (float)",
             "quantised positions (KHR_mesh_quantization) are not read");
    limit(mesh_.vertices.size(), xyz.count, 10'000'000, 1, place);
    SharedVertices out{positions, texcoords, Index(mesh_.vertices.size()), Index(xyz.count), -1};
    for (std::size_t k = 0; k < xyz.count; ++k) {
      const char* at = xyz.at(k);
      const Vec3 p(float_at(at), float_at(at + 4), float_at(at + 8));
      const Vec3 placed = (transform * p.homogeneous()).head<3>();
      if (!placed.allFinite())
        refuse(fmt::format("{}.POSITION, vertex {}, byte {} of the binary chunk", place, k,
                           xyz.offset + k * xyz.stride),
               "a coordinate that is not finite", "finite coordinates");
      mesh_.vertices.push_back(placed);
    }
    if (texcoords >= 0) out.first_texcoord = add_texcoords(texcoords, xyz.count, place + ".TEXCOORD_0");
    shared_.push_back(out);
    return out;
  }

  Index add_texcoords(std::int64_t index, std::size_t vertices, const std::string& place) {
    const Values uv = values(index, place, "VEC2", 2);
    if (uv.count != vertices)
      refuse(place, fmt::format("{} values", uv.count), fmt::format("{}, one a vertex", vertices));
    if (uv.type == type_u32) refuse(place, "component type 5125", "5121, 5123 or 5126 (float)");
    const Index first = Index(mesh_.texcoords.size());
    const std::size_t size = bytes_of(uv.type);
    const float whole = uv.type == type_u8 ? 255.0f : 65535.0f;
    for (std::size_t k = 0; k < uv.count; ++k) {
      float value[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const char* at = uv.at(k) + i * size;
        value[i] = uv.type == type_float ? float_at(at) : float(unsigned_at(at, uv.type)) / whole;
        if (!std::isfinite(value[i]))
          refuse(fmt::format("{}, vertex {}", place, k), "a texture coordinate that is not finite",
                 "finite ones");
      }
      mesh_.texcoords.push_back({value[0], 1 - value[1]});  // glTF counts v from the top
    }
    return first;
  }

  template <class IndexAt>
  void add_faces(std::int64_t mode, std::size_t count, const SharedVertices& vertices, bool mirrored,
                 const std::string& place, IndexAt&& index_at) {
    if (mode == mode_triangles && count % 3 != 0)
      refuse(place, fmt::format("{} corners", count), "three a triangle");
    const std::size_t triangles = mode == mode_triangles ? count / 3 : count < 3 ? 0 : count - 2;
    limit(mesh_.corner.size(), 3 * triangles, 30'000'000, 3, place);
    const auto corner = [&](std::size_t k) {
      const std::uint32_t index = index_at(k);
      if (index >= std::uint32_t(vertices.count))
        refuse(fmt::format("{}, corner {}", place, k), fmt::format("vertex {}", index),
               fmt::format("one of the {} vertices of its POSITION, counted from 0", vertices.count));
      return index;
    };
    for (std::size_t t = 0; t < triangles; ++t) {
      std::array<std::size_t, 3> k{3 * t, 3 * t + 1, 3 * t + 2};
      if (mode == mode_strip) k = {t, t + 1 + t % 2, t + 2 - t % 2};
      if (mode == mode_fan) k = {t + 1, t + 2, 0};
      if (mirrored) std::swap(k[1], k[2]);
      for (std::size_t at : k) {
        const Index v = Index(corner(at));
        mesh_.corner.push_back(vertices.first + v);
        mesh_.corner_texcoord.push_back(vertices.first_texcoord < 0 ? -1 : vertices.first_texcoord + v);
      }
      mesh_.face_begin.push_back(Index(mesh_.corner.size()));
    }
    textured_ |= triangles > 0 && vertices.first_texcoord >= 0;
  }

  std::string_view bytes_, binary_;
  Json root_;
  PolygonMesh mesh_;
  bool textured_ = false;
  std::vector<SharedVertices> shared_;  ///< of the mesh placed now
};

}  // namespace

Result<PolygonMesh> parse_glb(std::string_view bytes, const std::string& name) {
  MeshProblems problems(name);
  try {
    return problems.mesh_or_error(GlbReader(bytes).read());
  } catch (const Refusal& refusal) {
    problems.at(refusal.place, refusal.found, refusal.expected, refusal.hint);
    return problems.mesh_or_error({});
  }
}

}  // namespace pliant
