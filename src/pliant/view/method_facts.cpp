// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/method_facts.hpp"

#include "pliant/base/layout.hpp"

namespace pliant::view {
namespace {

/// The settings of the body's method, as far as they can be read.
MethodOptions options_of(const Json& body, const MethodEntry& entry) {
  MethodOptions out = entry.defaults;
  Problems ignored;
  if (body.contains(entry.name)) entry.layout->read(body[entry.name], "", out.value(), ignored);
  return out;
}

bool wants_cells(const MethodEntry& entry) { return entry.placement(entry.defaults) == NodePlacement::cells; }

/// What the method wants to see written down. cells: the shape got cells.
void add_suggestions(Json& body, const MethodEntry& entry, bool cells) {
  for (const auto& [key, value] : entry.suggest(options_of(body, entry), cells))
    body[entry.name][key] = Json::parse(value_text(value));
}

/// Cells of a surface that other shapes have no key for; null: it has none, and is filled with nodes.
Json* cells_of(Json& shape) {
  for (const char* kind : {"mesh", "blobs", "bumpy_bar"}) {
    if (!shape.contains(kind)) continue;
    Json& at = std::string(kind) == "mesh" ? shape : shape[kind];
    return at.contains("cells") ? &at : nullptr;
  }
  return nullptr;
}

}  // namespace

std::string method_of(const Json& body) { return body.value("method", method_names().front()); }

bool changes_in_place(const Json& body) {
  const MethodEntry* entry = find_method(method_of(body));
  return !entry || entry->can(options_of(body, *entry), Ability::live);
}

bool changes_in_place(const BodySpec& body) { return body.entry().can(body.options(), Ability::live); }

bool is_plastic(const BodySpec& body) { return body.entry().can(body.options(), Ability::plasticity); }

bool meets_colliders(const Json& body) {
  const MethodEntry* entry = find_method(method_of(body));
  return entry && entry->can(options_of(body, *entry), Ability::contact);
}

bool meets_colliders(const std::string& method) {
  const MethodEntry* entry = find_method(method);
  return entry && entry->can(entry->defaults, Ability::contact);
}

const std::string& skeleton_method() {
  for (const MethodEntry* entry : catalogue())
    if (entry->can(entry->defaults, Ability::skeleton)) return entry->name;
  check_failed("a method with bones", __FILE__, __LINE__);
}

Json& skeleton_entry(Json& body) { return body[method_of(body)]["skeleton"]; }

void switch_method(Json& body, const std::string& method, double stiffness) {
  const MethodEntry& entry = method_entry(method);
  body["method"] = method;
  Json* with_cells = cells_of(body["shape"]);
  if (with_cells && !wants_cells(entry)) with_cells->erase("cells");
  // the same material, where the new method has not been told another, and both give way
  const bool told = body.contains(method) && body[method].contains("stiffness");
  if (!told && stiffness > 0 && entry.can(entry.defaults, Ability::elastic))
    body[method]["stiffness"] = stiffness;
  add_suggestions(body, entry, with_cells && wants_cells(entry));
}

void add_needs(Json& body, const std::string& method) {
  const MethodEntry* entry = find_method(method);
  if (entry) add_suggestions(body, *entry, false);  // none: refused when the scene is read
}

}  // namespace pliant::view
