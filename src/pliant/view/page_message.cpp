// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/page_message.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace pliant::view {
namespace {

using nlohmann::json;

constexpr double highest_rate = 240;  ///< frames a second

/// Nesting of brackets outside strings; counted before anything is built from the text.
int nesting(std::string_view text) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

BadMessage bad(std::string message, std::optional<std::uint32_t> id = {}) {
  return {id, "bad_message", std::move(message)};
}

std::optional<std::uint32_t> unsigned_32(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto value = found->get<std::uint64_t>();
  if (value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return std::uint32_t(value);
}

/// "" or what is wrong.
std::string read_channels(const json& list, std::optional<Channels>& out) {
  if (!list.is_array() || list.size() > 32) return "channels: expected a list of names";
  Channels set = 0;
  for (const json& name : list) {
    const auto known =
        name.is_string() ? channel_names().find(name.get_ref<const std::string&>()) : channel_names().end();
    if (known == channel_names().end()) {
      std::string names;
      for (const auto& [each, channel] : channel_names()) names += (names.empty() ? "" : ", ") + each;
      return "channels: expected some of " + names;
    }
    set |= only(known->second);
  }
  out = set;
  return "";
}

std::string read_wish(const json& object, ViewChange& change) {
  if (const auto found = object.find("channels"); found != object.end())
    if (std::string why = read_channels(*found, change.channels); !why.empty()) return why;
  if (const auto found = object.find("format"); found != object.end()) {
    if (*found != "f32" && *found != "u16") return "format: expected \"f32\" or \"u16\"";
    change.quantised = *found == "u16";
  }
  if (const auto found = object.find("max_rate"); found != object.end()) {
    const double rate = found->is_number() ? found->get<double>() : -1;
    if (!(rate >= 0 && rate <= highest_rate))
      return fmt::format("max_rate: expected 0 to {} frames a second", highest_rate);
    change.max_rate = rate;
  }
  return "";
}

PageMessage read_hello(const json& object) {
  ViewChange change;
  if (std::string why = read_wish(object, change); !why.empty()) return bad("hello: " + why);
  Hello hello;
  change.apply(hello.wish);
  if (const auto found = object.find("watch"); found != object.end()) {
    if (!found->is_boolean()) return bad("hello: watch: expected true or false");
    hello.watch = found->get<bool>();
  }
  return hello;
}

PageMessage read_typed(const json& object) {
  const auto type = object.find("type");
  if (type == object.end() || !type->is_string()) return bad("expected \"type\" or \"cmd\", a text");
  const std::string& name = type->get_ref<const std::string&>();
  if (name == "hello") return read_hello(object);
  if (name == "ack") {
    const auto seq = unsigned_32(object, "seq");
    if (!seq) return bad("ack: seq: expected an integer from 0 to 4294967295");
    return Ack{*seq};
  }
  if (name == "view") {
    ViewChange change;
    if (std::string why = read_wish(object, change); !why.empty()) return bad("view: " + why);
    return change;
  }
  return bad("type: expected hello, ack or view");
}

PageMessage read_command(json& object) {
  const auto id = unsigned_32(object, "id");
  if (!id) return bad("id: expected an integer from 0 to 4294967295");
  PageCommand command{*id, {}};
  if (!object["cmd"].is_string()) return bad("cmd: expected a text", id);
  command.cmd = object["cmd"].get<std::string>();
  if (const auto args = object.find("args"); args != object.end()) {
    if (!args->is_object()) return bad("args: expected an object", id);
    command.args = std::move(*args);
  }
  return command;
}

}  // namespace

void ViewChange::apply(PageWish& wish) const {
  if (channels) wish.channels = *channels;
  if (quantised) wish.quantised = *quantised;
  if (max_rate) wish.max_rate = *max_rate;
}

PageMessage read_page_message(std::string_view text) {
  if (text.size() > most_message_bytes)
    return BadMessage{{}, "too_large", fmt::format("a message has at most {} bytes", most_message_bytes)};
  if (nesting(text) > most_nesting)
    return BadMessage{{}, "bad_json", fmt::format("nested deeper than {}", most_nesting)};
  // Refuses bad UTF-8 and numbers beyond a double; JSON has no others that are not finite.
  json object = json::parse(text, nullptr, false);
  if (object.is_discarded()) return BadMessage{{}, "bad_json", "this is no JSON"};
  if (!object.is_object()) return bad("expected an object");
  return object.contains("cmd") ? read_command(object) : read_typed(object);
}

}  // namespace pliant::view
