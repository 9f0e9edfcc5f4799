// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/option_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "pliant/scene/material.hpp"
#include "pliant/scene/spec_layout.hpp"
#include "pliant/view/method_facts.hpp"

namespace pliant::view {
namespace {

using Kind = Description::Kind;

const Description::Entry* entry_of(const Description& description, const std::string& name) {
  for (const Description::Entry& entry : description.entries)
    if (entry.name == name) return &entry;
  return nullptr;
}

const Description& scene_description() { return layout_of<SceneSpec>().description; }
const Description& body_description() { return *entry_of(scene_description(), "bodies")->of; }

/// "yield_strain" -> "Yield strain".
std::string title(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  if (!name.empty()) name[0] = char(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

/// The kinds that a page has controls for; empty for the others.
struct TypeName {
  const OptionFacts& facts;
  std::string operator()(double) const { return "number"; }
  std::string operator()(int) const { return "integer"; }
  std::string operator()(bool) const { return "boolean"; }
  std::string operator()(const Vec3&) const { return "vector3"; }
  std::string operator()(const std::string&) const { return facts.choices.empty() ? "" : "choice"; }
  template <class Other>
  std::string operator()(const Other&) const {
    return "";
  }
};

std::string type_of(const Description::Entry& entry) {
  return std::visit(TypeName{entry.facts}, entry.initial);
}

Json initial_of(const Description::Entry& entry) {
  const std::string text = value_text(entry.initial);
  return text == "none" ? Json() : Json::parse(text, nullptr, false);
}

/// One option found on the walk over the layout.
struct Found {
  const Description::Entry* entry = nullptr;
  std::string path, group, when;  ///< when: the object that must be there
  bool present = false;           ///< the option is the presence of an object
};

constexpr const char* basic_names[] = {"material", "stiffness", "poisson",  "density", "friction",
                                       "gravity",  "timestep",  "substeps", "yield",   "creep",
                                       "nodes",    "budget",    "operator", "volume",  "keep_volume",
                                       "strength", "plasticity"};

bool is_basic(const Found& found) {
  const std::string& name = found.entry->name;
  return found.group == "Damping" || std::any_of(std::begin(basic_names), std::end(basic_names),
                                                 [&](const char* b) { return name == b; });
}

class Walk {
 public:
  explicit Walk(const Json& document) : document_(document) {
    for (const char* name : {"gravity", "timestep", "substeps"})
      add(*entry_of(scene_description(), name), name, "Scene");
    if (!document.contains("bodies") || !document["bodies"].is_array()) return;
    for (std::size_t i = 0; i < document["bodies"].size(); ++i)
      body(fmt::format("bodies.{}", i), document["bodies"][i]);
  }
  const std::vector<Found>& found() const { return found_; }

 private:
  void body(const std::string& path, const Json& json) {
    const Description& description = body_description();
    const std::string method = method_of(json);
    add(*entry_of(description, "material"), path + ".material", "Material");
    add(*entry_of(description, "density"), path + ".density", "Material");
    values(*entry_of(description, method)->of, path + "." + method, title(method));
    values(*entry_of(description, "damping")->of, path + ".damping", "Damping");
    add(*entry_of(description, "friction"), path + ".friction", "Contact");
    values(*entry_of(description, "contact")->of, path + ".contact", "Contact");
    shape(path + ".shape", json.value("shape", Json::object()));
  }
  /// How fine a body is: the count of nodes of shapes that have one.
  void shape(const std::string& path, const Json& json) {
    const Description& description = *entry_of(body_description(), "shape")->of;
    for (const Description::Entry& entry : description.entries) {
      if (!json.contains(entry.name) || !entry.of) continue;
      if (const Description::Entry* nodes = entry_of(*entry.of, "nodes"))
        add(*nodes, entry.flat ? path + ".nodes" : path + "." + entry.name + ".nodes", "Material");
    }
  }
  void values(const Description& description, const std::string& path, const std::string& group) {
    static const std::set<std::string> material{"stiffness", "poisson", "strength"};
    for (const Description::Entry& entry : description.entries) {
      const std::string at = path + "." + entry.name;
      if (entry.kind == Kind::value)
        add(entry, at, group != "Damping" && material.contains(entry.name) ? "Material" : group);
      const bool optional = entry.kind == Kind::optional_object;
      if (optional && (entry.name == "plasticity" || entry.name == "adaptive")) {
        found_.push_back({&entry, at, title(entry.name), {}, true});
        inner(*entry.of, at, title(entry.name));
      }
    }
  }
  void inner(const Description& description, const std::string& path, const std::string& group) {
    for (const Description::Entry& entry : description.entries)
      if (entry.kind == Kind::value && !type_of(entry).empty())
        found_.push_back({&entry, path + "." + entry.name, group, path, false});
  }
  void add(const Description::Entry& entry, std::string path, std::string group) {
    if (!type_of(entry).empty()) found_.push_back({&entry, std::move(path), std::move(group), {}, false});
  }

  const Json& document_;
  std::vector<Found> found_;
};

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) c == '.' ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

const Json* look(const Json& document, const std::string& path) {
  const Json* at = &document;
  for (const std::string& part : split(path)) {
    if (at->is_array()) {
      const bool digits =
          !part.empty() && part.size() < 9 && std::all_of(part.begin(), part.end(), ::isdigit);
      if (!digits || std::stoul(part) >= at->size()) return nullptr;
      at = &(*at)[std::stoul(part)];
    } else if (at->is_object() && at->contains(part)) {
      at = &(*at)[part];
    } else {
      return nullptr;
    }
  }
  return at;
}

Json value_of(const Json& document, const Found& found) {
  const Json* there = look(document, found.path);
  if (found.present) return there != nullptr;
  return there ? *there : initial_of(*found.entry);
}

bool is_live(const Found& found, const Json& document) {
  if (found.present || found.entry->facts.change != Change::live || !found.when.empty()) return false;
  // a body in a space made for its settings takes no change without being built again
  const std::vector<std::string> parts = split(found.path);
  if (parts.size() < 3 || parts[0] != "bodies") return true;
  const Json* body = look(document, fmt::format("bodies.{}", parts[1]));
  return !body || changes_in_place(*body) || (parts[2] != method_of(*body) && parts[2] != "damping");
}

/// A slider needs a range that is wide enough to see and fine enough to set; typed values may go to the limits of the table.
void add_range(Json& out, const Description::Entry& entry, const Json& value) {
  const OptionFacts& facts = entry.facts;
  const Json initial = initial_of(entry);
  const double start = initial.is_number() ? initial.get<double>()
                       : value.is_number() ? value.get<double>()
                                           : 1;
  const double now = value.is_number() ? value.get<double>() : start;
  if (std::isfinite(facts.min)) out["hard_min"] = facts.min;
  if (std::isfinite(facts.max)) out["hard_max"] = facts.max;
  double low = facts.min, high = facts.max;
  if (facts.scale == Scale::logarithmic) {
    const double middle = start > 0 ? start : 1;
    low = std::max({facts.min, middle / 1000, 1e-12});
    high = std::min(facts.max, middle * 1000);
    if (now > 0) low = std::min(low, now), high = std::max(high, now);
  } else {
    const double reach =
        std::max({10 * std::abs(start), 2 * std::abs(now), entry.initial.index() == 1 ? 10.0 : 1.0});
    low = std::max(facts.min, start < 0 || now < 0 || facts.min < 0 ? -reach : 0);
    high = std::min(facts.max, reach);
  }
  out["min"] = low;
  out["max"] = high;
  out["scale"] = facts.scale == Scale::logarithmic ? "log" : "linear";
  out["digits"] = 3;
}

Json describe(const Found& found, int order, const Json& document) {
  const Description::Entry& entry = *found.entry;
  const Json value = value_of(document, found);
  Json out{{"path", found.path},
           {"name", title(entry.name)},
           {"type", found.present ? "boolean" : type_of(entry)},
           {"unit", entry.facts.unit},
           {"default", found.present ? Json(false) : initial_of(entry)},
           {"value", value},
           {"group", found.group},
           {"order", order},
           {"level", is_basic(found) ? "basic" : "more"},
           {"effect", is_live(found, document) ? "live" : "rebuild"},
           {"help", entry.facts.help}};
  if (out["type"] == "number" || out["type"] == "integer") add_range(out, entry, value);
  if (out["type"] == "choice") {
    out["choices"] = Json::array();
    for (const std::string& choice : entry.facts.choices)
      out["choices"].push_back({{"value", choice}, {"name", title(choice)}, {"help", ""}});
  }
  if (!found.when.empty()) out["when"] = Json{{found.when, true}};
  return out;
}

}  // namespace

Json option_list(const Json& document) {
  Json out = Json::array();
  int order = 0;
  const Walk walk(document);
  const Json filled = with_materials(document);
  for (const Found& found : walk.found()) out.push_back(describe(found, ++order, filled));
  return out;
}

std::optional<KnownOption> find_option(const Json& document, const std::string& path) {
  const Walk walk(document);
  for (const Found& found : walk.found())
    if (found.path == path)
      return KnownOption{title(found.entry->name), is_live(found, document), found.present,
                         found.present ? Json(false) : initial_of(*found.entry)};
  return std::nullopt;
}

std::vector<std::string> option_paths(const Json& document) {
  std::vector<std::string> out;
  const Walk walk(document);
  for (const Found& found : walk.found()) out.push_back(found.path);
  return out;
}

Json option_value(const Json& document, const std::string& path) {
  const Walk walk(document);
  for (const Found& found : walk.found())
    if (found.path == path) return value_of(document, found);
  return nullptr;
}

void set_option(Json& document, const std::string& path, const Json& value) {
  const auto known = find_option(document, path);
  Json* at = &document;
  const std::vector<std::string> parts = split(path);
  for (std::size_t k = 0; k + 1 < parts.size(); ++k)
    at = at->is_array() ? &(*at)[std::stoul(parts[k])] : &(*at)[parts[k]];
  const bool away = value.is_null() || (known && known->present && value == false);
  if (away)
    at->erase(parts.back());
  else if (known && known->present)
    (*at)[parts.back()] = at->contains(parts.back()) ? (*at)[parts.back()] : Json::object();
  else
    (*at)[parts.back()] = value;
}

Json option_changes(const Json& before, const Json& after) {
  Json out = Json::array();
  const Walk walk(after);
  for (const Found& found : walk.found()) {
    const Json now = value_of(after, found);
    if (now != value_of(before, found)) out.push_back({{"path", found.path}, {"value", now}});
  }
  return out;
}

std::vector<std::string> live_options(const std::string& method) {
  std::vector<std::string> out;
  for (const Description::Entry& entry : entry_of(body_description(), method)->of->entries)
    if (entry.kind == Kind::value && entry.facts.change == Change::live) out.push_back(entry.name);
  return out;
}

}  // namespace pliant::view
