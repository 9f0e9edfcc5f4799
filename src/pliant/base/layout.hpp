// SPDX-License-Identifier: Apache-2.0
// How an object of a scene file is laid out: its options (base/option.hpp) and the objects inside it, said
// once. Reading a file, the JSON Schema and the documentation all walk this one tree.
//
//   layout_of<T>() is specialised for every struct that a file can hold: in scene/spec.cpp, and for the
//   settings of a method in methods/M/entry.cpp.
#pragma once

#include <any>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pliant/base/option.hpp"
#include "pliant/base/result.hpp"

namespace pliant {

using Json = nlohmann::json;
using Problems = std::vector<Problem>;

/// The type-free view of a layout: all that a schema, a help text or a slider needs.
struct Description {
  enum class Kind { value, object, optional_object, list };
  struct Entry {
    std::string name;
    Kind kind = Kind::value;
    OptionFacts facts;                ///< help always; the rest for values
    OptionValue initial = 0.0;        ///< for values: the default; tells the type too
    const Description* of = nullptr;  ///< for the other kinds
    /// In a choice: the object's keys stand beside this one, {"mesh": FILE, "scale": 2}, which is its first.
    bool flat = false;
  };
  std::string title;  ///< "body"
  std::string help;
  bool choice = false;  ///< exactly one of the entries is present
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>> not_yet;  ///< names that later versions know, and a reason
};

/// A field of T: what it is, and how it is read from a file.
template <class T>
struct Field {
  Description::Entry about;
  std::function<void(const Json&, const std::string& place, T&, Problems&)> read;
};

template <class T>
struct Layout {
  Description description;
  std::vector<Field<T>> fields;
};

template <class T>
const Layout<T>& layout_of();

// The parts of reading that need no type; defined in layout.cpp so that only it sees the JSON library.
namespace layout_detail {
std::optional<OptionValue> read_value(const Json& json, const std::string& place, const OptionFacts& facts,
                                      const OptionValue& like, Problems& problems);
/// Calls entry(i, value, place) for every known key; reports the unknown ones, and wrong counts for a choice.
void each_known_key(const Json& json, const std::string& place, const Description& description,
                    const std::function<void(std::size_t, const Json&, const std::string&)>& entry,
                    Problems& problems);
void each_element(const Json& json, const std::string& place, const std::function<void(std::size_t)>& resize,
                  const std::function<void(std::size_t, const Json&, const std::string&)>& element,
                  Problems& problems);
}  // namespace layout_detail

/// Reads an object of a scene into `to`, which keeps its defaults where the file is silent.
template <class T>
void read_object(const Json& json, const std::string& place, T& to, Problems& problems) {
  const Layout<T>& layout = layout_of<T>();
  layout_detail::each_known_key(
      json, place, layout.description,
      [&](std::size_t i, const Json& value, const std::string& at) {
        layout.fields[i].read(value, at, to, problems);
      },
      problems);
}

template <class T>
Field<T> value_field(const Option<T>& option) {
  const T initial = {};
  Description::Entry about{option.name, Description::Kind::value, option.facts, option.get(initial), nullptr};
  auto read = [option, about](const Json& json, const std::string& place, T& to, Problems& problems) {
    if (auto value = layout_detail::read_value(json, place, about.facts, about.initial, problems))
      option.set(to, *value);
  };
  return {about, read};
}

/// An object inside T, always there with its defaults.
template <class T, class M>
Field<T> object_field(std::string name, M T::*member, std::string help) {
  Description::Entry about{std::move(name),
                           Description::Kind::object,
                           {.help = std::move(help)},
                           0.0,
                           &layout_of<M>().description};
  return {about, [member](const Json& json, const std::string& place, T& to, Problems& problems) {
            read_object(json, place, to.*member, problems);
          }};
}

/// An object inside T whose presence means something.
template <class T, class M>
Field<T> optional_field(std::string name, std::optional<M> T::*member, std::string help) {
  Description::Entry about{std::move(name),
                           Description::Kind::optional_object,
                           {.help = std::move(help)},
                           0.0,
                           &layout_of<M>().description};
  return {about, [member](const Json& json, const std::string& place, T& to, Problems& problems) {
            read_object(json, place, (to.*member).emplace(), problems);
          }};
}

template <class T, class M>
Field<T> list_field(std::string name, std::vector<M> T::*member, std::string help) {
  Description::Entry about{
      std::move(name), Description::Kind::list, {.help = std::move(help)}, 0.0, &layout_of<M>().description};
  return {about, [member](const Json& json, const std::string& place, T& to, Problems& problems) {
            layout_detail::each_element(
                json, place, [&](std::size_t count) { to.*member = std::vector<M>(count); },
                [&](std::size_t i, const Json& element, const std::string& at) {
                  read_object(element, at, (to.*member)[i], problems);
                },
                problems);
          }};
}

/// One alternative of a choice T, which holds its alternatives in the variant T::is.
template <class T, class M>
Field<T> alternative(std::string name, std::string help) {
  Description::Entry about{std::move(name),
                           Description::Kind::object,
                           {.help = std::move(help)},
                           0.0,
                           &layout_of<M>().description};
  return {about, [](const Json& json, const std::string& place, T& to, Problems& problems) {
            read_object(json, place, to.is.template emplace<M>(), problems);
          }};
}

/// An alternative whose first option has this name and whose others stand beside it.
template <class T, class M>
Field<T> flat_alternative(std::string name, std::string help) {
  Field<T> field = alternative<T, M>(std::move(name), std::move(help));
  field.about.flat = true;
  return field;
}

/// An alternative that is a single value, the only option of M.
template <class T, class M>
Field<T> value_alternative(const Option<M>& option) {
  const Field<M> inner = value_field<M>(option);
  return {inner.about, [inner](const Json& json, const std::string& place, T& to, Problems& problems) {
            inner.read(json, place, to.is.template emplace<M>(), problems);
          }};
}

template <class T>
Layout<T> make_layout(std::string title, std::string help, const OptionTable<T>& options,
                      std::vector<Field<T>> objects = {},
                      std::vector<std::pair<std::string, std::string>> not_yet = {}) {
  Layout<T> layout;
  for (const Option<T>& option : options) layout.fields.push_back(value_field<T>(option));
  for (Field<T>& field : objects) layout.fields.push_back(std::move(field));
  layout.description.title = std::move(title);
  layout.description.help = std::move(help);
  layout.description.not_yet = std::move(not_yet);
  for (const Field<T>& field : layout.fields) layout.description.entries.push_back(field.about);
  return layout;
}

template <class T>
Layout<T> make_choice(std::string title, std::string help, std::vector<Field<T>> alternatives,
                      std::vector<std::pair<std::string, std::string>> not_yet = {}) {
  Layout<T> layout =
      make_layout<T>(std::move(title), std::move(help), {}, std::move(alternatives), std::move(not_yet));
  layout.description.choice = true;
  return layout;
}

/// The layout of a struct that only its maker knows; the value travels in a std::any.
struct AnyLayout {
  const Description* description;
  void (*read)(const Json&, const std::string& place, std::any& to, Problems&);
};

template <class T>
const AnyLayout& any_layout() {
  static const AnyLayout layout{&layout_of<T>().description, [](const Json& json, const std::string& place,
                                                                std::any& to, Problems& problems) {
                                  read_object(json, place, std::any_cast<T&>(to), problems);
                                }};
  return layout;
}

/// "a number > 0 kg/m^3, at most 1e+06": what a value of this kind must be.
std::string expectation(const OptionFacts& facts, const OptionValue& like);
/// The value as JSON text: "[0, -9.81, 0]"; "none" for an infinite number.
std::string value_text(const OptionValue& value);

/// The candidate with the smallest edit distance, when it is near enough to be meant; else empty.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);
/// "did you mean \"x\"?" or empty.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace pliant
