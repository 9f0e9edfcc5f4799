// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "pliant/io/text_scan.hpp"

namespace pliant {
namespace glb {
namespace {

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, sizeof(word));
  return word;
}

std::size_t bytes_of(std::int64_t type) {
  switch (type) {
    case type_i8:
    case type_u8:
      return 1;
    case type_i16:
    case type_u16:
      return 2;
    case type_u32:
    case type_float:
      return 4;
    default:
      return 0;
  }
}

template <class T>
T value_at(const char* bytes) {
  T value{};
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

void refuse(std::string place, std::string found, std::string expected, std::string hint) {
  throw GlbRefusal{std::move(place), std::move(found), std::move(expected), std::move(hint)};
}

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

std::int64_t count_of(const Json& object, const char* key, const std::string& place,
                      std::optional<std::int64_t> otherwise) {
  const Json* value = member(object, key);
  if (!value && otherwise) return *otherwise;
  const bool good = value && value->is_number_unsigned() &&
                    value->get<std::uint64_t>() <= std::uint64_t(std::numeric_limits<std::int64_t>::max());
  if (!good) refuse(joined(place, key), value ? shown(*value) : "nothing", "a whole number, 0 or more");
  return value->get<std::int64_t>();
}

std::int64_t count_at(const Json& list, std::size_t index, const std::string& place, const char* what) {
  const Json& value = list[index];
  if (!value.is_number_unsigned()) refuse(fmt::format("{}.{}", place, index), shown(value), what);
  return std::int64_t(std::min(value.get<std::uint64_t>(), std::uint64_t(1) << 62));
}

Placing placing_of(const Json& node, const std::string& place) {
  Placing out;
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
  out.translation = Vec3(t[0], t[1], t[2]);
  out.scale = Vec3(s[0], s[1], s[2]);
  out.rotation = Eigen::Quaterniond(q[3], q[0], q[1], q[2]);
  return out;
}

Transform local_transform(const Json& node, const std::string& place) {
  std::array<double, 16> matrix{};
  if (numbers_of(node, "matrix", place, matrix)) return Eigen::Map<const Transform>(matrix.data());
  const Placing placing = placing_of(node, place);
  Transform out = Transform::Identity();
  out.topLeftCorner<3, 3>() = placing.rotation.toRotationMatrix() * placing.scale.asDiagonal();
  out.topRightCorner<3, 1>() = placing.translation;
  return out;
}

std::uint32_t Values::whole(std::size_t k, std::size_t i) const {
  std::uint32_t value = 0;  // little endian: the low bytes come first
  std::memcpy(&value, at(k) + i * bytes_of(type), bytes_of(type));
  return value;
}

double Values::real(std::size_t k, std::size_t i) const {
  const char* bytes = at(k) + i * bytes_of(type);
  switch (type) {
    case type_i8:
      return std::max(value_at<std::int8_t>(bytes) / 127.0, -1.0);
    case type_u8:
      return value_at<std::uint8_t>(bytes) / 255.0;
    case type_i16:
      return std::max(value_at<std::int16_t>(bytes) / 32767.0, -1.0);
    case type_u16:
      return value_at<std::uint16_t>(bytes) / 65535.0;
    case type_u32:
      return value_at<std::uint32_t>(bytes) / 4294967295.0;
    default:
      return value_at<float>(bytes);
  }
}

}  // namespace glb

using namespace glb;

GlbFile::GlbFile(std::string_view bytes) : bytes_(bytes) {
  chunks();
  check_extensions();
}

std::size_t GlbFile::rows(const char* list) const {
  const Json* rows = member(root_, list);
  return rows && rows->is_array() ? rows->size() : 0;
}

const Json& GlbFile::row(const char* list, std::int64_t index, const std::string& place) const {
  if (std::uint64_t(index) >= rows(list))
    refuse(place, fmt::format("{}", index), fmt::format("one of the {} {} of this file", rows(list), list));
  const Json& found = (*member(root_, list))[std::size_t(index)];
  if (!found.is_object()) refuse(fmt::format("{}.{}", list, index), shown(found), "an object");
  return found;
}

void GlbFile::chunks() {
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

std::string_view GlbFile::chunk(std::size_t at, std::size_t end, std::uint32_t type, const char* name) const {
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
void GlbFile::check_extensions() const {
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

std::string_view GlbFile::view(std::int64_t index, const std::string& place, std::size_t& stride,
                               std::size_t& offset) const {
  const Json& json = row("bufferViews", index, place + ".bufferView");
  const std::string at = fmt::format("bufferViews.{}", index);
  if (const Json* extensions = member(json, "extensions");
      extensions && member(*extensions, "EXT_meshopt_compression"))
    refuse(at, "EXT_meshopt_compression", "plain data", "export the file without compression");
  const std::int64_t buffer = count_of(json, "buffer", at);
  const Json& of = row("buffers", buffer, at + ".buffer");
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

Values GlbFile::values(std::int64_t index, const std::string& place, const char* type, std::size_t components,
                       bool signed_too) const {
  const Json& json = row("accessors", index, place);
  const std::string at = fmt::format("accessors.{}", index);
  if (member(json, "sparse"))
    refuse(at, "a sparse accessor", "plain data", "export the file without sparse accessors");
  const Json* told = member(json, "type");
  if (!told || *told != type) refuse(at + ".type", told ? shown(*told) : "nothing", in_quotes(type));
  Values out;
  out.type = count_of(json, "componentType", at);
  out.count = std::size_t(count_of(json, "count", at));
  const std::size_t size = components * bytes_of(out.type);
  const bool is_signed = out.type == type_i8 || out.type == type_i16;
  if (size == 0 || (is_signed && !signed_too))
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

}  // namespace pliant
