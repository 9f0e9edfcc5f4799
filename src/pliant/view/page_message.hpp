// SPDX-License-Identifier: Apache-2.0
// What a page sends: JSON text, checked here so strictly that nothing behind it needs to.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "pliant/view/frame_message.hpp"

namespace pliant::view {

inline constexpr std::size_t most_message_bytes = std::size_t(64) << 10;
inline constexpr int most_nesting = 16;

/// The first message of a page.
struct Hello {
  PageWish wish;
  bool watch = false;  ///< read only
};
/// The binary message `seq` was decoded.
struct Ack {
  std::uint32_t seq = 0;
};
/// A change of what is sent.
struct ViewChange {
  std::optional<Channels> channels;
  std::optional<bool> quantised;
  std::optional<double> max_rate;

  void apply(PageWish& wish) const;
};
struct PageCommand {
  std::uint32_t id = 0;
  std::string cmd;
  nlohmann::json args = nlohmann::json::object();
};
/// With an id: the command is answered by a reply. Without: by an `error`.
struct BadMessage {
  std::optional<std::uint32_t> id;
  std::string code, message;
};

using PageMessage = std::variant<Hello, Ack, ViewChange, PageCommand, BadMessage>;

PageMessage read_page_message(std::string_view text);

}  // namespace pliant::view
