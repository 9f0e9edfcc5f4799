// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/address.hpp"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

namespace pliant::view {
namespace {

constexpr std::string_view base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// Nothing for a broken escape, or one that hides a zero byte.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (!high || !low || (*high == 0 && *low == 0)) return std::nullopt;
    out += char(*high * 16 + *low);
    i += 2;
  }
  return out;
}

bool read_query(std::string_view text, PagePath& out) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    const std::size_t equals = pair.find('=');
    const auto name = percent_decoded(pair.substr(0, equals), true);
    const auto value =
        percent_decoded(equals == pair.npos ? std::string_view() : pair.substr(equals + 1), true);
    if (!name || !value) return false;
    out.query.emplace(*name, *value);
  }
  return true;
}

}  // namespace

std::string make_token() {
  std::array<std::uint8_t, 16> bits{};
  if (getrandom(bits.data(), bits.size(), 0) != ssize_t(bits.size()))
    throw std::runtime_error("the system gives no random bits for the token");
  std::string token;
  std::uint32_t held = 0;
  int count = 0;
  for (const std::uint8_t byte : bits) {
    held = held << 8 | byte;
    for (count += 8; count >= 6; count -= 6) token += base64url[held >> (count - 6) & 63];
  }
  token += base64url[held << (6 - count) & 63];
  return token;
}

bool usable_token(std::string_view token) {
  return token.size() >= 16 && token.size() <= 64 && token.find_first_not_of(base64url) == token.npos;
}

bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  volatile unsigned char differs = 0;  // no early way out for the optimiser
  for (std::size_t i = 0; i < a.size(); ++i) differs = static_cast<unsigned char>(differs | (a[i] ^ b[i]));
  return differs == 0;
}

std::optional<PagePath> below_token(std::string_view target, std::string_view token) {
  if (target.empty() || target[0] != '/') return std::nullopt;
  target.remove_prefix(1);
  const std::size_t slash = target.find('/');
  if (slash == target.npos || !same_text(target.substr(0, slash), token)) return std::nullopt;
  target.remove_prefix(slash + 1);
  const std::size_t question = target.find('?');
  const auto path = percent_decoded(target.substr(0, question), false);
  if (!path) return std::nullopt;
  PagePath out{*path, {}};
  if (question != target.npos && !read_query(target.substr(question + 1), out)) return std::nullopt;
  return out;
}

bool own_host(std::string_view host, unsigned port) {
  return host == fmt::format("127.0.0.1:{}", port) || host == fmt::format("localhost:{}", port);
}

std::string content_security_policy(std::string_view host) {
  return fmt::format(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
      "connect-src 'self' ws://{}; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'",
      host);
}

}  // namespace pliant::view
