// SPDX-License-Identifier: Apache-2.0
// The arguments of a command, checked as they are read: what is missing or wrong refuses the command.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "pliant/base/types.hpp"
#include "pliant/view/refusal.hpp"

namespace pliant::view {

using Json = nlohmann::json;

class Arguments {
 public:
  explicit Arguments(const Json& json);

  bool has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }
  const Json& at(const char* name) const;  ///< refuses when it is missing
  double number(const char* name, double min, double max) const;
  double number_or(const char* name, double otherwise, double min, double max) const;
  int whole(const char* name, int min, int max) const;
  int whole_or(const char* name, int otherwise, int min, int max) const;
  bool yes(const char* name) const;
  bool yes_or(const char* name, bool otherwise) const;
  std::string text(const char* name) const;
  std::string text_or(const char* name, std::string otherwise) const;
  Vec3 vector(const char* name) const;
  /// Whole numbers from 0 to below `end`, at most so many.
  std::vector<int> indices(const char* name, int end, std::size_t most) const;
  Points vectors(const char* name, std::size_t most) const;

 private:
  const Json& json_;
};

Vec3 vector_of(const Json& json, const std::string& name);
Json json_of(const Vec3& v);

}  // namespace pliant::view
