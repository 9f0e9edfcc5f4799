// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/text_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

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

/// The next line of the file, without its comment.
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
  return line.substr(0, line.find('#'));
}

/// Takes the backslash off a line that goes on in the next one.
bool LineScan::goes_on(std::string_view& line) const {
  if (continued_ == Continued::no || !line.ends_with('\\')) return false;
  line.remove_suffix(1);
  return true;
}

bool LineScan::next() {
  if (rest_.empty()) return false;
  line_ = take_physical();
  number_ = taken_;
  if (goes_on(line_)) {
    joined_.assign(line_);
    bool more = true;
    while (more && !rest_.empty()) {
      std::string_view line = take_physical();
      more = goes_on(line);
      joined_.append(" ").append(line);
    }
    line_ = joined_;
  }
  return true;
}

std::string LineScan::place(std::string_view word) const {
  const bool inside = !word.empty() && line_.data() != joined_.data();
  if (!inside) return fmt::format("line {}", number_);
  return fmt::format("line {}, column {}", number_, word.data() - line_.data() + 1);
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

std::string_view take_word(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return text = {};
  const std::size_t end = text.find_first_of(blanks, begin);
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  return word;
}

bool to_finite(std::string_view word, double& value) {
  word = without_plus(word);
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return false;
  if (code != std::errc::result_out_of_range) return code == std::errc() && std::isfinite(value);
  // from_chars tells too small and too large alike; a wider number tells them apart. It must see an end of
  // text: libstdc++ reads a wide number up to there, whatever end it is given.
  const std::string text(word);
  long double wide = 0;
  value = 0;
  return parse(std::string_view(text), wide) && std::abs(wide) < std::numeric_limits<double>::min();
}

bool to_finite_float(std::string_view word, float& value) {
  double wide = 0;
  if (!to_finite(word, wide) || std::abs(wide) > std::numeric_limits<float>::max()) return false;
  value = float(wide);
  return true;
}

bool to_integer(std::string_view word, std::int64_t& value) { return parse(word, value); }

bool same_word(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char l, char r) { return lower(l) == lower(r); });
}

std::string found_word(std::string_view word) { return word.empty() ? "nothing" : in_quotes(word); }

std::string in_quotes(std::string_view word) {
  constexpr std::size_t longest = 40;
  std::string out = "'";
  for (char c : word.substr(0, longest)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (word.size() > longest ? "...'" : "'");
}

}  // namespace pliant
