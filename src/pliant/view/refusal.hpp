// SPDX-License-Identifier: Apache-2.0
// Why a command or a request of a page is not done, in the words of the protocol.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pliant/base/result.hpp"

namespace pliant::view {

/// `error` of a reply. code: bad_json bad_message unknown_command bad_argument out_of_range unknown_path
/// not_supported read_only busy too_large too_many stale_epoch build_failed internal.
struct Refusal {
  std::string code, message;
  std::string where = {}, nearest = {}, advice = {};
  nlohmann::json json() const;
};

/// The problems of a scene as one refusal: the first in full, the others in the message.
Refusal refusal_of(const Error& error, std::string code);

template <class T>
struct Outcome {
  std::optional<T> value;
  Refusal refusal;
  explicit operator bool() const { return value.has_value(); }
};

/// Thrown while a command is being understood; never leaves the world (view/world.hpp).
struct Refused {
  Refusal refusal;
};
[[noreturn]] void refuse(std::string code, std::string message, std::string advice = {},
                         std::string where = {}, std::string nearest = {});

}  // namespace pliant::view
