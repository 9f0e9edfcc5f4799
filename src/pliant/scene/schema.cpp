// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pliant/base/version.hpp"
#include "pliant/scene/spec_layout.hpp"

namespace pliant {
namespace {

using Ordered = nlohmann::ordered_json;
using Kind = Description::Kind;

const Description& root() { return layout_of<SceneSpec>().description; }

/// Every description below and including `from`, each once, outer ones first.
void collect(const Description& from, std::vector<const Description*>& all) {
  if (std::find(all.begin(), all.end(), &from) != all.end()) return;
  all.push_back(&from);
  for (const Description::Entry& entry : from.entries)
    if (entry.of) collect(*entry.of, all);
}

std::string slug(const std::string& title) {
  std::string text = title;
  std::replace(text.begin(), text.end(), ' ', '-');
  return text;
}

// ---- JSON Schema -----------------------------------------------------------------------------------------

Ordered numbers(const char* type, const OptionFacts& facts) {
  Ordered schema{{"type", type}};
  if (std::isfinite(facts.min)) schema[facts.above_min ? "exclusiveMinimum" : "minimum"] = facts.min;
  if (std::isfinite(facts.max)) schema["maximum"] = facts.max;
  return schema;
}

Ordered fixed_list(Ordered items, int count) {
  return {{"type", "array"}, {"items", std::move(items)}, {"minItems", count}, {"maxItems", count}};
}

struct ValueSchema {
  const OptionFacts& facts;
  Ordered operator()(double) const { return numbers("number", facts); }
  Ordered operator()(int) const { return numbers("integer", facts); }
  Ordered operator()(bool) const { return {{"type", "boolean"}}; }
  Ordered operator()(const std::string&) const {
    return facts.choices.empty() ? Ordered{{"type", "string"}} : Ordered{{"enum", facts.choices}};
  }
  Ordered operator()(const Vec3&) const { return fixed_list(numbers("number", facts), 3); }
  Ordered operator()(const std::array<int, 3>&) const { return fixed_list(numbers("integer", facts), 3); }
  Ordered operator()(const std::array<int, 2>&) const { return fixed_list(numbers("integer", facts), 2); }
  Ordered operator()(const std::array<double, 2>&) const { return fixed_list(numbers("number", facts), 2); }
  Ordered operator()(const std::array<Vec3, 2>&) const {
    return fixed_list(fixed_list(numbers("number", facts), 3), 2);
  }
  Ordered operator()(const std::vector<int>&) const {
    return {{"type", "array"}, {"items", numbers("integer", facts)}};
  }
  Ordered operator()(const std::vector<std::string>&) const {
    return {{"type", "array"}, {"items", (*this)(std::string())}};
  }
  Ordered operator()(const std::optional<bool>&) const { return {{"type", "boolean"}}; }
  Ordered operator()(const WordOrNumber&) const {
    return {{"anyOf", Ordered::array({{{"enum", facts.choices}}, numbers("number", facts)})}};
  }
};

Ordered reference(const Description& to) { return {{"$ref", "#/$defs/" + slug(to.title)}}; }

Ordered entry_schema(const Description::Entry& entry) {
  Ordered schema;
  if (entry.kind == Kind::value) {
    schema = std::visit(ValueSchema{entry.facts}, entry.initial);
    const std::string initial = value_text(entry.initial);
    if (initial != "none") schema["default"] = Ordered::parse(initial);
    if (!entry.facts.unit.empty()) schema["x-unit"] = entry.facts.unit;
    if (entry.facts.scale == Scale::logarithmic) schema["x-scale"] = "logarithmic";
    schema["x-change"] = entry.facts.change == Change::live ? "live" : "rebuild";
  } else {
    const Ordered inner = reference(*entry.of);
    schema = entry.kind == Kind::list ? Ordered{{"type", "array"}, {"items", inner}} : inner;
  }
  schema["description"] = entry.facts.help;
  return schema;
}

Ordered object_schema(const Description& description) {
  Ordered properties = Ordered::object();
  Ordered others = Ordered::array();  // flat alternatives: objects of their own
  for (const Description::Entry& entry : description.entries)
    if (entry.flat)
      others.push_back(reference(*entry.of));
    else
      properties[entry.name] = entry_schema(entry);
  Ordered schema{{"type", "object"},
                 {"description", description.help},
                 {"properties", properties},
                 {"additionalProperties", false}};
  if (description.choice) schema["minProperties"] = schema["maxProperties"] = 1;
  if (others.empty()) return schema;
  others.insert(others.begin(), std::move(schema));
  return {{"anyOf", others}};
}

// A test builds it. METHOD: the default's settings.
constexpr const char* scene_example = R"({
  "frames": 180,
  "bodies": [{
    "name": "ball",
    "shape": {"sphere": {"radius": 0.5, "center": [0, 1, 0]}},
    "METHOD": {"stiffness": 1e5},
    "pins": [{"select": {"halfspace": {"point": [0, 1.4, 0], "normal": [0, 1, 0]}}}],
    "handles": [{
      "select": {"sphere": {"center": [0, 0.5, 0], "radius": 0.2}},
      "motion": [{"time": 0}, {"time": 1, "translate": [0.3, 0, 0]}],
      "release": 1
    }]
  }],
  "expect": [{"metric": "inverted", "body": "ball", "at": "always", "max": 0}]
}
)";

// ---- Markdown --------------------------------------------------------------------------------------------

struct TypeText {
  std::string operator()(double) const { return "number"; }
  std::string operator()(int) const { return "whole number"; }
  std::string operator()(bool) const { return "true or false"; }
  std::string operator()(const std::string&) const { return "text"; }
  std::string operator()(const Vec3&) const { return "[x, y, z]"; }
  std::string operator()(const std::array<int, 3>&) const { return "3 whole numbers"; }
  std::string operator()(const std::array<int, 2>&) const { return "2 whole numbers"; }
  std::string operator()(const std::array<double, 2>&) const { return "2 numbers"; }
  std::string operator()(const std::array<Vec3, 2>&) const { return "[[x, y, z], [x, y, z]]"; }
  std::string operator()(const std::vector<int>&) const { return "list of whole numbers"; }
  std::string operator()(const std::vector<std::string>&) const { return "list of texts"; }
  std::string operator()(const std::optional<bool>&) const { return "true or false"; }
  std::string operator()(const WordOrNumber&) const { return "word or number"; }
};

std::string range_cell(const OptionFacts& facts) {
  std::string text;
  for (const std::string& choice : facts.choices)
    text += fmt::format("{}`{}`", text.empty() ? "" : ", ", choice);
  const bool low = std::isfinite(facts.min), high = std::isfinite(facts.max);
  if (!text.empty() && (low || high)) text += "; ";
  if (low) text += fmt::format("{} {:g}", facts.above_min ? ">" : ">=", facts.min);
  if (high) text += fmt::format("{}<= {:g}", low ? ", " : "", facts.max);
  return text;
}

std::string entry_row(const Description::Entry& entry) {
  const OptionFacts& facts = entry.facts;
  if (entry.kind == Kind::value)
    return fmt::format("| `{}` | {} | {} | {} | `{}` | {} |\n", entry.name,
                       std::visit(TypeText{}, entry.initial), facts.unit, range_cell(facts),
                       value_text(entry.initial), facts.help);
  if (entry.flat)
    return fmt::format("| `{}` | text, with the other keys of [{}](#{}) beside it | | | | {} |\n", entry.name,
                       entry.of->title, slug(entry.of->title), facts.help);
  const char* initial = entry.kind == Kind::list ? "`[]`" : entry.kind == Kind::optional_object ? "none" : "";
  return fmt::format("| `{}` | {}[{}](#{}) | | | {} | {} |\n", entry.name,
                     entry.kind == Kind::list ? "list of " : "", entry.of->title, slug(entry.of->title),
                     initial, facts.help);
}

std::string section(const Description& description) {
  std::string text = fmt::format("\n## {}\n\n{}{}\n\n", description.title, description.help,
                                 description.choice ? ". Exactly one of:" : ".");
  text += "| key | value | unit | range | default | meaning |\n|---|---|---|---|---|---|\n";
  for (const Description::Entry& entry : description.entries) text += entry_row(entry);
  return text;
}

void append_keys(const Description& description, const std::string& path, std::string& text) {
  for (const Description::Entry& entry : description.entries) {
    const std::string at = path + (path.empty() ? "" : ".") + entry.name;
    const std::string& unit = entry.facts.unit;
    if (entry.kind == Kind::value)
      text += fmt::format("  {:<44} {}{}\n", at, entry.facts.help,
                          unit.empty() || unit == "1" ? "" : ", " + unit);
    else if (!entry.of->choice)  // a selector or a shape has too many forms to list here
      append_keys(*entry.of, at + (entry.kind == Kind::list ? ".N" : ""), text);
  }
}

}  // namespace

std::string json_schema(const std::string& title, const Description& root) {
  Ordered schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", title},
                 {"x-pliant-version", version()}};
  schema.update(object_schema(root));
  std::vector<const Description*> all;
  collect(root, all);
  Ordered definitions = Ordered::object();
  for (std::size_t i = 1; i < all.size(); ++i) definitions[slug(all[i]->title)] = object_schema(*all[i]);
  schema["$defs"] = definitions;
  return schema.dump(2) + "\n";
}

std::string key_tables(const Description& root) {
  std::vector<const Description*> all;
  collect(root, all);
  std::string text;
  for (const Description* description : all) text += section(*description);
  return text;
}

std::string scene_schema() { return json_schema("pliant scene", root()); }

std::string scene_markdown() {
  std::string text =
      "# Scene format\n\n"
      "<!-- Made by `pliant schema --markdown`; the keys are declared in src/pliant/scene/spec.cpp and\n"
      "src/pliant/methods/*/options.cpp. -->\n\n"
      "A scene is a JSON file; `//` and `/* */` comments are allowed. Every key has a default. Unknown keys "
      "are\n"
      "errors. `pliant run SCENE --set PATH=VALUE` changes one value, `PATH` being keys joined by dots; an\n"
      "element of a list is named by index or by its `name`: `bodies.0.density=500`,\n"
      "`bodies.bar.METHOD.stiffness=1e6`.\n\n"
      "A soft ball, held at its top, pulled aside for a second and let go:\n\n"
      "```json\n" +
      std::string(scene_example) +
      "```\n\n"
      "What is left out takes its default: a body without `shape` is a box, a pin or handle without `select` "
      "takes\nevery node.\n";
  for (auto at = text.find("METHOD"); at != std::string::npos; at = text.find("METHOD", at))
    text.replace(at, 6, method_names().front());
  return text + key_tables(root());
}

std::string scene_keys_help() {
  std::string text;
  append_keys(root(), "", text);
  return text;
}

}  // namespace pliant
