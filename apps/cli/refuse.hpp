// SPDX-License-Identifier: Apache-2.0
// Wrong input ends a command: InputError with place, what was found and what was expected.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "commands.hpp"
#include "pliant/base/result.hpp"

namespace pliant::cli {

[[noreturn]] inline void refuse(std::string place, std::string found, std::string expected,
                                std::string hint = {}) {
  throw InputError(
      Error{{}, {{std::move(place), std::move(found), std::move(expected), std::move(hint)}}}.text());
}

template <class T>
T value_or_refuse(Result<T> result) {
  if (!result) throw InputError(result.error().text());
  return std::move(*result);
}

inline void refuse_on(const std::optional<Error>& error) {
  if (error) throw InputError(error->text());
}

/// ".png", in small letters.
inline std::string ending(const std::string& file) {
  std::string text = std::filesystem::path(file).extension().string();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

}  // namespace pliant::cli
