// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace pliant {
namespace {

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto start = before.rfind('\n');
  const std::size_t column = start == std::string_view::npos ? before.size() + 1 : before.size() - start;
  return fmt::format("line {}, column {}", line, column);
}

/// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..." without the preamble.
std::string plain_message(const std::string& what) {
  const auto colon = what.find("column ");
  const auto start = colon == std::string::npos ? what.find("] ") : what.find(": ", colon);
  return start == std::string::npos ? what : what.substr(start + 2);
}

/// Numbers too large for a double come without a place: it is where their digits first stand.
std::string place_of_number(std::string_view text, const std::string& what) {
  const auto open = what.find('\''), close = what.rfind('\'');
  if (open == std::string::npos || close <= open) return {};
  const auto byte = text.find(what.substr(open + 1, close - open - 1));
  return byte == std::string_view::npos ? std::string() : line_and_column(text, byte);
}

/// A scene is a dozen levels deep; writing a value out recurses, and thousands of levels would end the stack.
constexpr int deepest = 100;
struct TooDeep {};

/// Keys that appear twice in one object would silently lose the first value.
class DuplicateKeys {
 public:
  explicit DuplicateKeys(Problems& problems) : problems_(problems) {}
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > deepest) throw TooDeep{};
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key && !open_.back().insert(parsed.get<std::string>()).second)
      problems_.push_back({parsed.get<std::string>(), "this key twice in one object", "it once", {}});
    return true;
  }

 private:
  Problems& problems_;
  std::vector<std::set<std::string>> open_;
};

}  // namespace

bool parse_json(std::string_view text, Json& json, Problems& problems) {
  DuplicateKeys duplicates(problems);
  try {
    json = Json::parse(text.begin(), text.end(), std::ref(duplicates), true, true);
    return true;
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    problems.push_back({line_and_column(text, byte), "broken JSON", "", plain_message(error.what())});
  } catch (const Json::exception& error) {
    problems.push_back({place_of_number(text, error.what()), "broken JSON", "", plain_message(error.what())});
  } catch (const TooDeep&) {
    problems.push_back(
        {"", "lists and objects within one another", fmt::format("at most {} levels", deepest), {}});
  }
  return false;
}

}  // namespace pliant
