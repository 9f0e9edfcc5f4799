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

#include <array>
#include <cstddef>
#include <initializer_list>
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

/// One field of a struct, seen from outside: name, facts, where it lies and how a value of its type travels. It does not know
/// the struct, so that lists of fields are one type and are compiled once. The alternative that get() returns tells the type
/// of the field; words of an enumeration travel as their names.
struct AnyOption {
  std::string name;
  OptionFacts facts;
  std::ptrdiff_t offset = 0;  ///< of the field in its struct, B
  OptionValue (*read)(const void* field, const OptionFacts&) = nullptr;
  void (*write)(void* field, const OptionFacts&, const OptionValue&) = nullptr;

  OptionValue get(const void* of) const { return read(static_cast<const char*>(of) + offset, facts); }
  void set(void* of, const OptionValue& value) const { write(static_cast<char*>(of) + offset, facts, value); }
};

/// A field of S.
template <class S>
struct Option : AnyOption {};

/// The fields of S that are options.
template <class S>
class OptionTable {
 public:
  OptionTable(std::initializer_list<Option<S>> options) : all_(options.begin(), options.end()) {}
  void push_back(Option<S> option) { all_.push_back(std::move(option)); }
  const std::vector<AnyOption>& all() const { return all_; }

 private:
  std::vector<AnyOption> all_;
};

namespace option_detail {

/// Two functions for each type of value, whatever struct it is in.
template <class T>
OptionValue read(const void* field, const OptionFacts& facts) {
  const T& value = *static_cast<const T*>(field);
  if constexpr (std::is_enum_v<T>)
    return facts.choices.at(std::size_t(value));
  else
    return value;
}

template <class T>
void write(void* field, const OptionFacts& facts, const OptionValue& value) {
  T& to = *static_cast<T*>(field);
  if constexpr (std::is_enum_v<T>) {
    for (std::size_t i = 0; i < facts.choices.size(); ++i)
      if (facts.choices[i] == std::get<std::string>(value)) to = T(i);
  } else {
    to = std::get<T>(value);
  }
}

template <class S, class T>
std::ptrdiff_t offset_of(T S::*member) {
  static const S any{};
  return reinterpret_cast<const char*>(&(any.*member)) - reinterpret_cast<const char*>(&any);
}

}  // namespace option_detail

template <class S, class T>
Option<S> option(std::string name, T S::*member, OptionFacts facts) {
  return {{std::move(name), std::move(facts), option_detail::offset_of(member), option_detail::read<T>,
           option_detail::write<T>}};
}

/// A field of a struct that is a field of S.
template <class S, class L, class T>
Option<S> option(std::string name, L S::*outer, T L::*member, OptionFacts facts) {
  Option<S> inner{{std::move(name), std::move(facts), option_detail::offset_of(member),
                   option_detail::read<T>, option_detail::write<T>}};
  inner.offset += option_detail::offset_of(outer);
  return inner;
}

}  // namespace pliant
