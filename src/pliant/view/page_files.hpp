// SPDX-License-Identifier: Apache-2.0
// The files of the interactive page, embedded in the binary at build time.
#pragma once

#include <span>
#include <string_view>

namespace pliant {

struct PageFile {
  std::string_view path;   ///< below the token, without leading slash: "index.html", "assets/main-3f2a.js"
  std::string_view type;   ///< "text/html; charset=utf-8"
  std::string_view bytes;  ///< as served
};

/// "index.html" is among them; "" and "./" are served as it. Names under "assets/" carry a hash of their
/// bytes.
std::span<const PageFile> page_files();

}  // namespace pliant
