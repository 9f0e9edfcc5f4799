// SPDX-License-Identifier: Apache-2.0
// Options declared once. A struct of settings lists its fields with unit, range, default and help; the
// parser, `--set`, the JSON Schema, `--help`, the docs and the viewer's sliders all read that list.
//
//   struct Damping { double mass = 0.1; double stiffness = 0; };
//   inline const OptionTable<Damping>& options(const Damping*) {
//     static const OptionTable<Damping> table{
//         option("mass", &Damping::mass, {.unit = "1/s", .min = 0, .max = 1e4, .help = "viscous medium"}),
//         ...};
//     return table;
//   }
// The default is the member's initial value: it is not said twice.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

enum class Scale { linear, logarithmic };
enum class Change { live, rebuild };  ///< takes effect at the next step, or needs the body built again

struct OptionFacts {
  std::string unit = {};                  ///< "Pa", "kg/m^3", "1" for a pure number, empty for words
  std::vector<std::string> choices = {};  ///< for words: the allowed ones, in the order of the enumeration
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool above_min = false;  ///< the minimum itself is not allowed
  Scale scale = Scale::linear;
  Change change = Change::rebuild;
  std::string help = {};
};

/// A word out of the choices, or a number in the unit's range.
struct WordOrNumber {
  std::string word;  ///< empty: the number counts
  double number = 0;
  bool operator==(const WordOrNumber&) const = default;
};

/// Number, whole number, yes or no, word, vector, whole numbers and numbers of fixed count, a pair of
/// corners, a list of whole numbers, a word or a number, yes or no or not given, a list of texts. A number
/// that starts as infinity means "not given".
using OptionValue = std::variant<double, int, bool, std::string, Vec3, std::array<int, 3>, std::array<int, 2>,
                                 std::array<double, 2>, std::array<Vec3, 2>, std::vector<int>, WordOrNumber,
                                 std::optional<bool>, std::vector<std::string>>;

/// One field of S, seen from outside: name, facts, and how to read and write it. The alternative that get()
/// returns tells the type; words of an enumeration travel as their names.
template <class S>
struct Option {
  std::string name;
  OptionFacts facts;
  std::function<OptionValue(const S&)> get;
  std::function<void(S&, const OptionValue&)> set;
};

template <class S>
using OptionTable = std::vector<Option<S>>;

template <class S, class T>
Option<S> option(std::string name, T S::*member, OptionFacts facts) {
  if constexpr (std::is_enum_v<T>) {
    const std::vector<std::string> words = facts.choices;
    auto get = [member, words](const S& s) { return OptionValue(words.at(std::size_t(s.*member))); };
    auto set = [member, words](S& s, const OptionValue& v) {
      for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i] == std::get<std::string>(v)) s.*member = T(i);
    };
    return {std::move(name), std::move(facts), get, set};
  } else {
    auto get = [member](const S& s) { return OptionValue(s.*member); };
    auto set = [member](S& s, const OptionValue& v) { s.*member = std::get<T>(v); };
    return {std::move(name), std::move(facts), get, set};
  }
}

}  // namespace pliant
