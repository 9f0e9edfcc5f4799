// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/text_scan.hpp"

#include <charconv>
#include <cmath>

namespace pliant {
namespace {

constexpr std::string_view blanks = " \t\v\f";

/// Files write "+1"; from_chars does not read it.
std::string_view without_plus(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  return word;
}

template <class T>
bool parse(std::string_view word, T& value) {
  word = without_plus(word);
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  return code == std::errc() && end == word.data() + word.size();
}

}  // namespace

std::string_view LineScan::take_physical() {
  ++taken_;
  const std::size_t end = rest_.find_first_of("\r\n");
  const std::string_view line = rest_.substr(0, end);
  if (end == std::string_view::npos) {
    rest_ = {};
  } else {
    const bool pair = rest_.substr(end, 2) == "\r\n";
    rest_.remove_prefix(end + (pair ? 2 : 1));
  }
  return line;
}

bool LineScan::next() {
  if (rest_.empty()) return false;
  line_ = take_physical();
  number_ = taken_;
  if (line_.ends_with('\\')) {
    joined_.assign(line_.substr(0, line_.size() - 1));
    bool more = true;
    while (more && !rest_.empty()) {
      std::string_view line = take_physical();
      more = line.ends_with('\\');
      if (more) line.remove_suffix(1);
      joined_.append(" ").append(line);
    }
    line_ = joined_;
  }
  line_ = line_.substr(0, line_.find('#'));
  return true;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return text = {};
  const std::size_t end = text.find_first_of(blanks, begin);
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  return word;
}

bool to_finite(std::string_view word, double& value) { return parse(word, value) && std::isfinite(value); }

bool to_integer(std::string_view word, std::int64_t& value) { return parse(word, value); }

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (char c : word.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (word.size() > longest ? "...'" : "'");
}

}  // namespace pliant
