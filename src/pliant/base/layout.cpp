// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace pliant {
namespace {

std::string shown(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

std::string range_text(const OptionFacts& facts) {
  std::string text;
  const bool low = std::isfinite(facts.min), high = std::isfinite(facts.max);
  if (low) text = fmt::format(" {} {:g}", facts.above_min ? ">" : ">=", facts.min);
  if (high) text += fmt::format("{} <= {:g}", low ? " and" : "", facts.max);
  if (!facts.unit.empty() && facts.unit != "1") text += " " + facts.unit;
  return text;
}

bool in_range(const OptionFacts& facts, double number) {
  return (facts.above_min ? number > facts.min : number >= facts.min) && number <= facts.max;
}

bool is_choice(const OptionFacts& facts, const std::string& word) {
  return std::find(facts.choices.begin(), facts.choices.end(), word) != facts.choices.end();
}

std::optional<double> number_in(const Json& json, const OptionFacts& facts) {
  if (!json.is_number()) return std::nullopt;
  const double number = json.get<double>();
  return in_range(facts, number) ? std::optional(number) : std::nullopt;
}

std::optional<int> whole_in(const Json& json, const OptionFacts& facts) {
  if (!json.is_number()) return std::nullopt;
  const double number = json.get<double>();
  if (number != std::floor(number) || std::abs(number) > 2147483647.0) return std::nullopt;
  return in_range(facts, number) ? std::optional(int(number)) : std::nullopt;
}

/// Reads `count` numbers into something indexable; false when one does not fit.
template <class List, class ReadOne>
bool read_all(const Json& json, std::size_t count, List& list, ReadOne&& read_one) {
  if (!json.is_array() || json.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto one = read_one(json[i]);
    if (!one) return false;
    list[i] = *one;
  }
  return true;
}

/// Turns JSON into the alternative of OptionValue it is called with; nothing when it does not fit.
struct ValueReader {
  const Json& json;
  const OptionFacts& facts;
  using Value = std::optional<OptionValue>;

  template <class T>
  Value list(std::size_t count) const {
    T out{};
    const bool whole = std::is_same_v<std::decay_t<decltype(out[0])>, int>;
    if constexpr (whole) {
      if (!read_all(json, count, out, [&](const Json& j) { return whole_in(j, facts); })) return {};
    } else {
      if (!read_all(json, count, out, [&](const Json& j) { return number_in(j, facts); })) return {};
    }
    return OptionValue(out);
  }
  Value operator()(double) const {
    const auto number = number_in(json, facts);
    return number ? Value(*number) : Value();
  }
  Value operator()(int) const {
    const auto whole = whole_in(json, facts);
    return whole ? Value(*whole) : Value();
  }
  Value operator()(bool) const { return json.is_boolean() ? Value(json.get<bool>()) : Value(); }
  Value operator()(const std::string&) const {
    if (!json.is_string()) return {};
    const std::string word = json.get<std::string>();
    return facts.choices.empty() || is_choice(facts, word) ? Value(word) : Value();
  }
  Value operator()(const Vec3&) const { return list<Vec3>(3); }
  Value operator()(const std::array<int, 3>&) const { return list<std::array<int, 3>>(3); }
  Value operator()(const std::array<int, 2>&) const { return list<std::array<int, 2>>(2); }
  Value operator()(const std::array<double, 2>&) const { return list<std::array<double, 2>>(2); }
  Value operator()(const std::array<Vec3, 2>&) const {
    std::array<Vec3, 2> corners{};
    const auto corner = [&](const Json& j) -> std::optional<Vec3> {
      Vec3 v = Vec3::Zero();
      if (!read_all(j, 3, v, [&](const Json& n) { return number_in(n, facts); })) return std::nullopt;
      return v;
    };
    if (!read_all(json, 2, corners, corner)) return {};
    return OptionValue(corners);
  }
  Value operator()(const std::vector<int>&) const {
    if (!json.is_array()) return {};
    std::vector<int> out(json.size());
    if (!read_all(json, json.size(), out, [&](const Json& j) { return whole_in(j, facts); })) return {};
    return OptionValue(out);
  }
  Value operator()(const std::vector<std::string>&) const {
    if (!json.is_array()) return {};
    std::vector<std::string> out;
    for (const Json& word : json) {
      if (!word.is_string()) return {};
      out.push_back(word.get<std::string>());
      if (!facts.choices.empty() && !is_choice(facts, out.back())) return {};
    }
    return OptionValue(out);
  }
  Value operator()(const std::optional<bool>&) const {
    return json.is_boolean() ? Value(std::optional<bool>(json.get<bool>())) : Value();
  }
  Value operator()(const WordOrNumber&) const {
    if (json.is_string() && is_choice(facts, json.get<std::string>()))
      return OptionValue(WordOrNumber{json.get<std::string>(), 0});
    const auto number = number_in(json, facts);
    return number ? Value(WordOrNumber{"", *number}) : Value();
  }
};

std::string one_of(const OptionFacts& facts) {
  return fmt::format("{}\"{}\"", facts.choices.size() > 1 ? "one of " : "",
                     fmt::join(facts.choices, "\", \""));
}

struct ExpectationText {
  const OptionFacts& facts;
  std::string operator()(double) const { return "a number" + range_text(facts); }
  std::string operator()(int) const { return "a whole number" + range_text(facts); }
  std::string operator()(bool) const { return "true or false"; }
  std::string operator()(const std::string&) const {
    return facts.choices.empty() ? "a text" : one_of(facts);
  }
  std::string operator()(const Vec3&) const { return "three numbers [x, y, z]" + range_text(facts); }
  std::string operator()(const std::array<int, 3>&) const {
    return "three whole numbers" + range_text(facts);
  }
  std::string operator()(const std::array<int, 2>&) const { return "two whole numbers" + range_text(facts); }
  std::string operator()(const std::array<double, 2>&) const { return "two numbers" + range_text(facts); }
  std::string operator()(const std::array<Vec3, 2>&) const {
    return "two corners [[x, y, z], [x, y, z]]" + range_text(facts);
  }
  std::string operator()(const std::vector<int>&) const {
    return "a list of whole numbers" + range_text(facts);
  }
  std::string operator()(const std::vector<std::string>&) const {
    return facts.choices.empty() ? "a list of texts"
                                 : fmt::format("a list out of \"{}\"", fmt::join(facts.choices, "\", \""));
  }
  std::string operator()(const std::optional<bool>&) const { return "true or false"; }
  std::string operator()(const WordOrNumber&) const {
    return one_of(facts) + " or a number" + range_text(facts);
  }
};

std::string number_text(double number) {
  return std::isfinite(number) ? fmt::format("{:.6g}", number) : "none";
}

struct ValueText {
  std::string operator()(double v) const { return number_text(v); }
  std::string operator()(int v) const { return std::to_string(v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
  std::string operator()(const Vec3& v) const {
    return fmt::format("[{}, {}, {}]", number_text(v[0]), number_text(v[1]), number_text(v[2]));
  }
  std::string operator()(const std::array<Vec3, 2>& v) const {
    return fmt::format("[{}, {}]", (*this)(v[0]), (*this)(v[1]));
  }
  std::string operator()(const std::vector<std::string>& v) const {
    return v.empty() ? "[]" : fmt::format("[\"{}\"]", fmt::join(v, "\", \""));
  }
  std::string operator()(const std::optional<bool>& v) const { return v ? (*this)(*v) : "none"; }
  std::string operator()(const WordOrNumber& v) const {
    return v.word.empty() ? number_text(v.number) : "\"" + v.word + "\"";
  }
  template <class List>
  std::string operator()(const List& v) const {
    return fmt::format("[{}]", fmt::join(v, ", "));
  }
};

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replace, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::vector<std::string> entry_names(const Description& description) {
  std::vector<std::string> names;
  for (const Description::Entry& entry : description.entries) names.push_back(entry.name);
  return names;
}

std::string join_place(const std::string& place, const std::string& key) {
  return place.empty() ? key : place + "." + key;
}

Problem unknown_key(const std::string& key, const std::string& place, const Description& description) {
  const std::vector<std::string> names = entry_names(description);
  Problem problem{join_place(place, key), fmt::format("unknown key \"{}\"", key),
                  fmt::format("one of {}", fmt::join(names, ", ")), did_you_mean(key, names)};
  for (const auto& [name, reason] : description.not_yet)
    if (name == key) problem.hint = reason;
  return problem;
}

}  // namespace

namespace {

std::optional<OptionValue> read_value(const Json& json, const std::string& place, const OptionFacts& facts,
                                      const OptionValue& like, Problems& problems) {
  auto value = std::visit(ValueReader{json, facts}, like);
  if (!value) {
    std::string hint;
    if (!facts.choices.empty())
      for (const Json& word : json.is_array() ? json : Json::array({json}))
        if (word.is_string() && hint.empty() && !is_choice(facts, word.get<std::string>()))
          hint = did_you_mean(word.get<std::string>(), facts.choices);
    problems.push_back({place, shown(json), expectation(facts, like), hint});
  }
  return value;
}

/// Calls entry(i, value, place) for every known key; reports the unknown ones, and wrong counts for a choice.
void each_known_key(const Json& json, const std::string& place, const Description& description,
                    const std::function<void(std::size_t, const Json&, const std::string&)>& entry,
                    Problems& problems) {
  const std::vector<std::string> names = entry_names(description);
  if (!json.is_object()) {
    problems.push_back({place,
                        shown(json),
                        fmt::format("an object ({}) with {}{}", description.title,
                                    description.choice ? "one of " : "keys out of ", fmt::join(names, ", ")),
                        {}});
    return;
  }
  if (description.choice)
    for (std::size_t i = 0; i < names.size(); ++i)
      if (description.entries[i].flat && json.contains(names[i])) return entry(i, json, place);
  if (description.choice && json.size() != 1)
    problems.push_back({place,
                        fmt::format("{} keys", json.size()),
                        fmt::format("exactly one of {}", fmt::join(names, ", ")),
                        {}});
  for (const auto& [key, value] : json.items()) {
    const auto at = std::find(names.begin(), names.end(), key);
    if (at == names.end())
      problems.push_back(unknown_key(key, place, description));
    else
      entry(std::size_t(at - names.begin()), value, join_place(place, key));
  }
}

}  // namespace

namespace layout_detail {

void read_fields(const Json& json, const std::string& place, const FieldList& layout, void* to,
                 Problems& problems) {
  each_known_key(
      json, place, layout.description,
      [&](std::size_t i, const Json& value, const std::string& at) {
        layout.fields[i].read(value, at, to, problems);
      },
      problems);
}

void each_element(const Json& json, const std::string& place, const std::function<void(std::size_t)>& resize,
                  const std::function<void(std::size_t, const Json&, const std::string&)>& element,
                  Problems& problems) {
  if (!json.is_array()) {
    problems.push_back({place, shown(json), "a list [...]", {}});
    return;
  }
  resize(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) element(i, json[i], join_place(place, std::to_string(i)));
}

AnyField value_field(const AnyOption& option, const void* initial) {
  Description::Entry about{option.name, Description::Kind::value, option.facts, option.get(initial), nullptr};
  auto read = [option, like = about.initial](const Json& json, const std::string& place, void* to,
                                             Problems& problems) {
    if (auto value = read_value(json, place, option.facts, like, problems)) option.set(to, *value);
  };
  return {std::move(about), std::move(read)};
}

Description::Entry about_object(std::string name, Description::Kind kind, std::string help,
                                const Description& of) {
  return {std::move(name), kind, {.help = std::move(help)}, 0.0, &of};
}

FieldList make_list(std::string title, std::string help, const std::vector<AnyOption>& options,
                    const void* initial, const std::vector<AnyField>& objects, NotYet not_yet) {
  FieldList list;
  for (const AnyOption& option : options) list.fields.push_back(value_field(option, initial));
  list.fields.insert(list.fields.end(), objects.begin(), objects.end());
  list.description.title = std::move(title);
  list.description.help = std::move(help);
  list.description.not_yet = std::move(not_yet);
  for (const AnyField& field : list.fields) list.description.entries.push_back(field.about);
  return list;
}

}  // namespace layout_detail

std::string expectation(const OptionFacts& facts, const OptionValue& like) {
  return std::visit(ExpectationText{facts}, like);
}

std::string value_text(const OptionValue& value) { return std::visit(ValueText{}, value); }

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) best = candidate, best_distance = distance;
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string best = nearest_name(name, candidates);
  return best.empty() ? best : fmt::format("did you mean \"{}\"?", best);
}

}  // namespace pliant
