// SPDX-License-Identifier: Apache-2.0
// How an object of a scene file is laid out: its options (base/option.hpp) and the objects inside it, said
// once. Reading a file, the JSON Schema and the documentation all walk this one tree.
//
//   layout_of<T>() is specialised for every struct that a file can hold: in scene/spec.cpp, and for the
//   settings of a method in methods/M/entry.cpp.
#pragma once

#include <any>
#include <functional>
#include <initializer_list>
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

/// A field of a struct: what it is, and how it is read from a file into the struct.
struct AnyField {
  Description::Entry about;
  std::function<void(const Json&, const std::string& place, void* to, Problems&)> read;
};

/// A field of T. The type is known here and forgotten in the lists, which are compiled once.
template <class T>
struct Field : AnyField {};

/// Fields of T.
template <class T>
class Fields {
 public:
  Fields() = default;
  Fields(std::initializer_list<Field<T>> fields) : all_(fields.begin(), fields.end()) {}
  void push_back(Field<T> field) { all_.push_back(std::move(field)); }
  const std::vector<AnyField>& all() const { return all_; }

 private:
  std::vector<AnyField> all_;
};

struct FieldList {
  Description description;
  std::vector<AnyField> fields;
};

/// How a T is read.
template <class T>
struct Layout : FieldList {};

template <class T>
const Layout<T>& layout_of();

using NotYet = std::vector<std::pair<std::string, std::string>>;

// The parts that need no type; defined in layout.cpp so that only it sees the JSON library.
namespace layout_detail {
/// Reads the keys of an object into the struct at `to`; reports unknown keys, and wrong counts for a choice.
void read_fields(const Json& json, const std::string& place, const FieldList& layout, void* to,
                 Problems& problems);
void each_element(const Json& json, const std::string& place, const std::function<void(std::size_t)>& resize,
                  const std::function<void(std::size_t, const Json&, const std::string&)>& element,
                  Problems& problems);
AnyField value_field(const AnyOption& option, const void* initial);
Description::Entry about_object(std::string name, Description::Kind kind, std::string help,
                                const Description& of);
FieldList make_list(std::string title, std::string help, const std::vector<AnyOption>& options,
                    const void* initial, const std::vector<AnyField>& objects, NotYet not_yet);
}  // namespace layout_detail

/// Reads an object of a scene into `to`, which keeps its defaults where the file is silent.
template <class T>
void read_object(const Json& json, const std::string& place, T& to, Problems& problems) {
  layout_detail::read_fields(json, place, layout_of<T>(), &to, problems);
}

/// An object inside T, always there with its defaults.
template <class T, class M>
Field<T> object_field(std::string name, M T::*member, std::string help) {
  return {{layout_detail::about_object(std::move(name), Description::Kind::object, std::move(help),
                                       layout_of<M>().description),
           [member](const Json& json, const std::string& place, void* to, Problems& problems) {
             read_object(json, place, static_cast<T*>(to)->*member, problems);
           }}};
}

/// An object inside T whose presence means something.
template <class T, class M>
Field<T> optional_field(std::string name, std::optional<M> T::*member, std::string help) {
  return {{layout_detail::about_object(std::move(name), Description::Kind::optional_object, std::move(help),
                                       layout_of<M>().description),
           [member](const Json& json, const std::string& place, void* to, Problems& problems) {
             read_object(json, place, (static_cast<T*>(to)->*member).emplace(), problems);
           }}};
}

template <class T, class M>
Field<T> list_field(std::string name, std::vector<M> T::*member, std::string help) {
  return {{layout_detail::about_object(std::move(name), Description::Kind::list, std::move(help),
                                       layout_of<M>().description),
           [member](const Json& json, const std::string& place, void* to, Problems& problems) {
             std::vector<M>& list = static_cast<T*>(to)->*member;
             layout_detail::each_element(
                 json, place, [&](std::size_t count) { list = std::vector<M>(count); },
                 [&](std::size_t i, const Json& element, const std::string& at) {
                   read_object(element, at, list[i], problems);
                 },
                 problems);
           }}};
}

/// One alternative of a choice T, which holds its alternatives in the variant T::is.
template <class T, class M>
Field<T> alternative(std::string name, std::string help) {
  return {{layout_detail::about_object(std::move(name), Description::Kind::object, std::move(help),
                                       layout_of<M>().description),
           [](const Json& json, const std::string& place, void* to, Problems& problems) {
             read_object(json, place, static_cast<T*>(to)->is.template emplace<M>(), problems);
           }}};
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
  const M initial{};
  const AnyField inner = layout_detail::value_field(option, &initial);
  return {{inner.about, [inner](const Json& json, const std::string& place, void* to, Problems& problems) {
             inner.read(json, place, &static_cast<T*>(to)->is.template emplace<M>(), problems);
           }}};
}

template <class T>
Layout<T> make_layout(std::string title, std::string help, const OptionTable<T>& options,
                      const Fields<T>& objects = {}, NotYet not_yet = {}) {
  const T initial{};
  return {layout_detail::make_list(std::move(title), std::move(help), options.all(), &initial, objects.all(),
                                   std::move(not_yet))};
}

template <class T>
Layout<T> make_choice(std::string title, std::string help, const Fields<T>& alternatives,
                      NotYet not_yet = {}) {
  Layout<T> layout = make_layout<T>(std::move(title), std::move(help), {}, alternatives, std::move(not_yet));
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
