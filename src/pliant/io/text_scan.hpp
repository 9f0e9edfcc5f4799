// SPDX-License-Identifier: Apache-2.0
// Lines, words and numbers of a text format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pliant {

/// What a backslash at the end of a line means: in OBJ the line goes on in the next one, elsewhere nothing.
enum class Continued { no, by_backslash };

/// Lines with their numbers, without line end ("\n", "\r\n", "\r") and without comment ("# ..."). A comment
/// ends with its line, also when it ends in a backslash ("# C:\models\").
class LineScan {
 public:
  /// first: the number of the first line.
  explicit LineScan(std::string_view text, std::size_t first = 1, Continued continued = Continued::no)
      : rest_(text), taken_(first - 1), continued_(continued) {}
  bool next();  ///< false: no line is left
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }  ///< where the line begins
  std::size_t bytes_left() const { return rest_.size(); }

  /// "line 7, column 3" of a word of this line; "line 7" for an empty word or a line joined of several.
  std::string place(std::string_view word = {}) const;

 private:
  std::string_view take_physical();
  bool goes_on(std::string_view& line) const;
  std::string_view rest_, line_;
  std::string joined_;
  std::size_t number_ = 0, taken_ = 0;
  Continued continued_;
};

/// Text without the byte order mark some editors put in front.
std::string_view without_mark(std::string_view text);

/// Cuts the first word (between blanks) off the text; empty when there is none.
std::string_view take_word(std::string_view& text);

/// The whole word must be the number. Numbers too small for a double are zero.
bool to_finite(std::string_view word, double& value);
bool to_finite_float(std::string_view word, float& value);
bool to_integer(std::string_view word, std::int64_t& value);

/// The words in any case of the letters A to Z.
bool same_word(std::string_view a, std::string_view b);

/// For messages: in quotes, shortened, control characters and bytes beyond ASCII as '?'.
std::string in_quotes(std::string_view word);
/// The same, or "nothing" for an empty word.
std::string found_word(std::string_view word);

}  // namespace pliant
