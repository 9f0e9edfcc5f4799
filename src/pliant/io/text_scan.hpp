// SPDX-License-Identifier: Apache-2.0
// Lines, words and numbers of a text format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pliant {

/// Lines with their numbers, without line end ("\n", "\r\n", "\r") and without comment ("# ..."). A line that
/// ends in a backslash goes on in the next one, as OBJ allows.
class LineScan {
 public:
  explicit LineScan(std::string_view text) : rest_(text) {}
  bool next();  ///< false: no line is left
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }  ///< from 1, where the line begins

 private:
  std::string_view take_physical();
  std::string_view rest_, line_;
  std::string joined_;
  std::size_t number_ = 0, taken_ = 0;
};

/// Cuts the first word (between blanks) off the text; empty when there is none.
std::string_view take_word(std::string_view& text);

/// The whole word must be the number.
bool to_finite(std::string_view word, double& value);
bool to_integer(std::string_view word, std::int64_t& value);

/// For messages: in quotes, shortened, control characters and bytes beyond ASCII as '?'.
std::string in_quotes(std::string_view word);

}  // namespace pliant
