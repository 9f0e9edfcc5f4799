// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/catalogue.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pliant/geometry/check_geometry.hpp"

#include "pliant/methods/cage/entry.hpp"
#include "pliant/methods/check_settings.hpp"
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

std::vector<const MethodEntry*> built_in() {
  return {&geometric::entry(), &metric::entry(), &cage::entry(),
          &meshless::entry(),  &fem::entry(),    &rigid::entry()};
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
    std::vector<const MethodEntry*> list = built_in();
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

std::optional<Error> add_method(const MethodEntry& entry) {
  const auto refuse = [&](const char* place, std::string found, std::string expected) {
    return Error{{}, {{place, std::move(found), std::move(expected), {}}}};
  };
  if (door().closed)
    return refuse("catalogue", "a method that comes too late",
                  "methods that join before anybody asks for the catalogue");
  if (entry.name.empty()) return refuse("name", "an empty name", "a name");
  if (!entry.build || !entry.set_live || !entry.check || !entry.placement || !entry.lacks || !entry.layout)
    return refuse(entry.name.c_str(), "an entry without its functions", "what make_entry gives");
  std::vector<const MethodEntry*> before = built_in();
  before.insert(before.end(), door().joined.begin(), door().joined.end());
  for (const MethodEntry* known : before)
    if (known->name == entry.name) return refuse("name", entry.name, "a name that no other method has");
  door().joined.push_back(&entry);
  return std::nullopt;
}

namespace {

/// What a body of any method is made from.
std::vector<Problem> check_plan(const Shape& shape, double density, const Damping& damping) {
  std::vector<Problem> problems;
  for (Problem problem : check_shape(shape)) {
    problem.place = problem.place.empty() ? "shape" : "shape." + problem.place;
    problems.push_back(std::move(problem));
  }
  if (!(density > 0) || !std::isfinite(density))
    problems.push_back({"density", fmt::format("{:g}", density), "a finite number > 0, kg/m^3", {}});
  for (const auto& [place, value] :
       {std::pair{"damping.mass", damping.mass}, {"damping.stiffness", damping.stiffness}})
    if (!(value >= 0) || !std::isfinite(value))
      problems.push_back({place, fmt::format("{:g}", value), "a finite number >= 0", {}});
  return problems;
}

}  // namespace

Result<std::unique_ptr<Method>> build_method(const Shape& shape, double density, const Damping& damping,
                                             const MethodOptions& options) {
  std::vector<Problem> problems = check_plan(shape, density, damping);
  const auto& all = catalogue();
  const auto found = std::find_if(all.begin(), all.end(), [&](const MethodEntry* entry) {
    return entry->defaults.type() == options.type();
  });
  if (found == all.end())
    problems.push_back({"method",
                        "settings of no method",
                        "the settings of one of: " + names_of([](auto&) { return true; }),
                        {}});
  else
    for (Problem& problem : check_settings(**found, options, false)) problems.push_back(std::move(problem));
  if (!problems.empty()) return Error{{}, std::move(problems)};
  return (*found)->build(options, {.shape = shape, .density = density, .damping = damping});
}

}  // namespace pliant
