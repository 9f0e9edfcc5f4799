// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/option_check.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pliant/base/layout.hpp"

namespace pliant {
namespace {

struct InRange {
  const OptionFacts& facts;

  bool number(double value) const {
    return (facts.above_min ? value > facts.min : value >= facts.min) && value <= facts.max;
  }
  template <class List>
  bool all(const List& list) const {
    return std::all_of(list.begin(), list.end(), [&](const auto& value) { return (*this)(value); });
  }
  bool operator()(double value) const { return number(value); }
  bool operator()(int value) const { return number(value); }
  bool operator()(bool) const { return true; }
  bool operator()(const std::optional<bool>&) const { return true; }
  bool operator()(const std::string& word) const {
    return facts.choices.empty() ||
           std::find(facts.choices.begin(), facts.choices.end(), word) != facts.choices.end();
  }
  bool operator()(const Vec3& v) const { return number(v.x()) && number(v.y()) && number(v.z()); }
  bool operator()(const WordOrNumber& value) const {
    return value.word.empty() ? number(value.number) : (*this)(value.word);
  }
  template <class T, std::size_t N>
  bool operator()(const std::array<T, N>& list) const {
    return all(list);
  }
  template <class T>
  bool operator()(const std::vector<T>& list) const {
    return all(list);
  }
};

}  // namespace

void check_options(const std::vector<AnyOption>& options, const void* settings, const void* initial,
                   const std::string& place, std::vector<Problem>& problems) {
  for (const AnyOption& option : options) {
    const OptionValue like = option.get(initial);
    const std::string at = place.empty() ? option.name : place + "." + option.name;
    try {
      const OptionValue value = option.get(settings);
      if (value != like && !std::visit(InRange{option.facts}, value))
        problems.push_back({at, value_text(value), expectation(option.facts, like), {}});
    } catch (const std::out_of_range&) {  // a value of no name
      problems.push_back({at, "a value of no name", expectation(option.facts, like), {}});
    }
  }
}

}  // namespace pliant
