// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/arguments.hpp"

#include <fmt/format.h>

namespace pliant::view {
namespace {

constexpr double far_away = 1e9;  // m

[[noreturn]] void wrong(const std::string& name, const std::string& expected) {
  refuse("bad_argument", fmt::format("{} must be {}", name, expected), {}, name);
}

}  // namespace

Arguments::Arguments(const Json& json) : json_(json) {
  if (!json.is_object()) refuse("bad_argument", "args must be an object");
}

const Json& Arguments::at(const char* name) const {
  if (!has(name)) refuse("bad_argument", fmt::format("{} is missing", name), {}, name);
  return json_[name];
}

double Arguments::number(const char* name, double min, double max) const {
  const Json& value = at(name);
  if (!value.is_number() || !std::isfinite(value.get<double>())) wrong(name, "a finite number");
  const double number = value.get<double>();
  if (!(number >= min && number <= max))
    refuse("out_of_range", fmt::format("{} is {:g}, allowed are {:g} to {:g}", name, number, min, max), {},
           name);
  return number;
}

double Arguments::number_or(const char* name, double otherwise, double min, double max) const {
  return has(name) ? number(name, min, max) : otherwise;
}

int Arguments::whole(const char* name, int min, int max) const {
  const double value = number(name, min, max);
  if (value != std::floor(value)) wrong(name, "a whole number");
  return int(value);
}

int Arguments::whole_or(const char* name, int otherwise, int min, int max) const {
  return has(name) ? whole(name, min, max) : otherwise;
}

bool Arguments::yes(const char* name) const {
  const Json& value = at(name);
  if (!value.is_boolean()) wrong(name, "true or false");
  return value.get<bool>();
}

bool Arguments::yes_or(const char* name, bool otherwise) const { return has(name) ? yes(name) : otherwise; }

std::string Arguments::text(const char* name) const {
  const Json& value = at(name);
  if (!value.is_string()) wrong(name, "a text");
  return value.get<std::string>();
}

std::string Arguments::text_or(const char* name, std::string otherwise) const {
  return has(name) ? text(name) : otherwise;
}

Vec3 vector_of(const Json& json, const std::string& name) {
  if (!json.is_array() || json.size() != 3) wrong(name, "three numbers");
  Vec3 out = Vec3::Zero();
  for (int c = 0; c < 3; ++c) {
    const Json& value = json[std::size_t(c)];
    if (!value.is_number() || !(std::abs(value.get<double>()) <= far_away))
      wrong(name, "three numbers, none beyond 1e9");
    out[c] = value.get<double>();
  }
  return out;
}

Vec3 Arguments::vector(const char* name) const { return vector_of(at(name), name); }

std::vector<int> Arguments::indices(const char* name, int end, std::size_t most) const {
  const Json& list = at(name);
  if (!list.is_array()) wrong(name, "a list of whole numbers");
  if (list.size() > most)
    refuse("too_large", fmt::format("{} has {} entries, at most {} are taken", name, list.size(), most), {},
           name);
  std::vector<int> out;
  for (const Json& value : list) {
    if (!value.is_number_integer()) wrong(name, "a list of whole numbers");
    const auto index = value.get<std::int64_t>();
    if (index < 0 || index >= end)
      refuse("out_of_range", fmt::format("{} has {}, there are {}", name, index, end), {}, name);
    out.push_back(int(index));
  }
  return out;
}

Points Arguments::vectors(const char* name, std::size_t most) const {
  const Json& list = at(name);
  if (!list.is_array() || list.size() > most) wrong(name, fmt::format("a list of at most {} places", most));
  Points out;
  for (const Json& value : list) out.push_back(vector_of(value, name));
  return out;
}

Json json_of(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

}  // namespace pliant::view
