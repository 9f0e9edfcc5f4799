// SPDX-License-Identifier: Apache-2.0
// The address of a page: http://127.0.0.1:PORT/TOKEN/ and what may follow.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace pliant::view {

/// 128 random bits of the system as 22 characters of base64url.
std::string make_token();
/// 16 to 64 characters of A-Z a-z 0-9 - _.
bool usable_token(std::string_view token);
/// Takes the same time wherever they differ.
bool same_text(std::string_view a, std::string_view b);

/// The part of a request's target below the token.
struct PagePath {
  std::string path;                                       ///< "", "ws", "assets/main.js"; percent-decoded
  std::map<std::string, std::string, std::less<>> query;  ///< the first of each name
};
/// Nothing without the token, or when the text is no such target.
std::optional<PagePath> below_token(std::string_view target, std::string_view token);

/// "127.0.0.1:8080" or "localhost:8080", exactly.
bool own_host(std::string_view host, unsigned port);

/// Of a page served under that host.
std::string content_security_policy(std::string_view host);

}  // namespace pliant::view
