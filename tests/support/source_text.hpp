// SPDX-License-Identifier: Apache-2.0
// Sources as tests read them.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace pliant {

inline std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Comments of C++, or of TypeScript, whose literals have three kinds of quotes, are left out. What looks like one
/// in a literal is kept.
inline std::string without_comments(const std::string& text, bool typescript = false) {
  static const std::regex cpp(R"re("(?:\\.|[^"\\\n])*"|//[^\n]*|/\*[\s\S]*?\*/)re"),
      ts(R"re("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|//[^\n]*|/\*[\s\S]*?\*/)re");
  std::string out;
  std::size_t end = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), typescript ? ts : cpp), none; at != none; ++at) {
    out += text.substr(end, std::size_t(at->position()) - end);
    if (at->str().front() != '/') out += at->str();
    end = std::size_t(at->position() + at->length());
  }
  return out + text.substr(end);
}

}  // namespace pliant
