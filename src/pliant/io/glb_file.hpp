// SPDX-License-Identifier: Apache-2.0
// The container of a .glb: its JSON, with the path of everything that is asked of it, and its accessors,
// checked against the bytes that are there. For the readers of surfaces and of skins; a problem is thrown as
// a GlbRefusal and ends with them.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "pliant/base/types.hpp"
#include "pliant/io/gltf_numbers.hpp"

namespace pliant {

/// Reading stops at the first problem, what follows hangs on it.
struct GlbRefusal {
  std::string place, found, expected, hint;
};

namespace glb {

using Json = nlohmann::json;
using Transform = Eigen::Matrix4d;

using namespace gltf;

[[noreturn]] void refuse(std::string place, std::string found, std::string expected, std::string hint = "");

/// What a message shows of a value. No contents of lists and objects: they may be nested without end.
std::string shown(const Json& json);

const Json* member(const Json& object, const char* key);
std::string joined(const std::string& place, const char* key);

/// A whole number >= 0 of an object, or the default.
std::int64_t count_of(const Json& object, const char* key, const std::string& place,
                      std::optional<std::int64_t> otherwise = {});
/// An element of a list that is a whole number >= 0.
std::int64_t count_at(const Json& list, std::size_t index, const std::string& place, const char* what);

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
  if (!good) refuse(joined(place, key), shown(*value), std::to_string(n) + " finite numbers");
  return true;
}

/// Scale, then rotation, then translation of a node.
struct Placing {
  Vec3 translation{0, 0, 0};
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Vec3 scale{1, 1, 1};
};
/// Of a node that has no matrix.
Placing placing_of(const Json& node, const std::string& place);
/// A matrix (column by column), or the placing as one.
Transform local_transform(const Json& node, const std::string& place);

/// The values of an accessor: `components` of a type, `count` times, `stride` bytes apart.
struct Values {
  const char* data = nullptr;
  std::size_t count = 0, stride = 0, offset = 0;  ///< offset in the binary chunk, for messages
  std::int64_t type = type_float;

  const char* at(std::size_t k) const { return data + k * stride; }
  /// Component i of value k as a whole number; types u8, u16, u32.
  std::uint32_t whole(std::size_t k, std::size_t i) const;
  /// Component i of value k; integers stand for the range 0 .. 1 or -1 .. 1, as "normalized" ones do.
  double real(std::size_t k, std::size_t i) const;
};

}  // namespace glb

class GlbFile {
 public:
  /// Keeps a view of the bytes.
  explicit GlbFile(std::string_view bytes);

  const glb::Json& root() const { return root_; }
  std::size_t size() const { return bytes_.size(); }
  std::size_t rows(const char* list) const;
  /// Row `index` of the file's list `list`.
  const glb::Json& row(const char* list, std::int64_t index, const std::string& place) const;
  /// Checked against the file: every value of the result lies inside. `signed_too`: i8 and i16 may occur.
  glb::Values values(std::int64_t accessor, const std::string& place, const char* type,
                     std::size_t components, bool signed_too = false) const;

 private:
  void chunks();
  void check_extensions() const;
  std::string_view chunk(std::size_t at, std::size_t end, std::uint32_t type, const char* name) const;
  std::string_view view(std::int64_t index, const std::string& place, std::size_t& stride,
                        std::size_t& offset) const;

  std::string_view bytes_, binary_;
  glb::Json root_;
};

}  // namespace pliant
