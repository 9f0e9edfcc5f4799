// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/catalogue.hpp"

#include "pliant/methods/cage/entry.hpp"
#include "pliant/methods/fem/entry.hpp"
#include "pliant/methods/geometric/entry.hpp"
#include "pliant/methods/meshless/entry.hpp"
#include "pliant/methods/metric/entry.hpp"
#include "pliant/methods/rigid/entry.hpp"

namespace pliant {
namespace {

/// Entries that joined before the catalogue was made.
struct Door {
  std::vector<const MethodEntry*> joined;
  bool closed = false;
};
Door& door() {
  static Door door;
  return door;
}

template <class Chosen>
std::string names_of(Chosen&& chosen) {
  std::string names;
  for (const MethodEntry* entry : catalogue())
    if (chosen(*entry)) names += (names.empty() ? "" : " or ") + entry->name;
  return names;
}

}  // namespace

const std::vector<const MethodEntry*>& catalogue() {
  static const std::vector<const MethodEntry*> all = [] {
    std::vector<const MethodEntry*> list{
        &geometric::entry(), &metric::entry(), &cage::entry(),
        &meshless::entry(),  &fem::entry(),    &rigid::entry(),
    };
    list.insert(list.end(), door().joined.begin(), door().joined.end());
    door().closed = true;
    return list;
  }();
  return all;
}

Inside inside_of(const Method& method) {
  for (const auto& inside : {geometric::inside, metric::inside, meshless::inside})
    if (Inside told = inside(method); told.inverted || !told.functions.empty()) return told;
  return {};
}

const std::vector<std::string>& method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const MethodEntry* entry : catalogue()) list.push_back(entry->name);
    return list;
  }();
  return names;
}

const MethodEntry* find_method(const std::string& name) {
  for (const MethodEntry* entry : catalogue())
    if (entry->name == name) return entry;
  return nullptr;
}

const MethodEntry& method_entry(const std::string& name) {
  const MethodEntry* entry = find_method(name);
  PLIANT_CHECK(entry != nullptr);
  return *entry;
}

std::string methods_with(Ability ability) {
  return names_of([&](const MethodEntry& entry) { return entry.can(entry.defaults, ability); });
}

std::string methods_with(NodePlacement placement) {
  return names_of([&](const MethodEntry& entry) { return entry.placement(entry.defaults) == placement; });
}

void add_method(const MethodEntry& entry) {
  PLIANT_CHECK(!door().closed);
  door().joined.push_back(&entry);
}

Result<std::unique_ptr<Method>> build_method(const Shape& shape, double density, const Damping& damping,
                                             const MethodOptions& options) {
  for (const MethodEntry* entry : catalogue())
    if (entry->defaults.type() == options.type())
      return entry->build(options, {.shape = shape, .density = density, .damping = damping});
  check_failed("settings of a method of the catalogue", __FILE__, __LINE__);
}

}  // namespace pliant
