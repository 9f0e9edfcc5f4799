// SPDX-License-Identifier: Apache-2.0
// The methods a scene can name, a layer of its own above methods/*. A new method adds a line in catalogue.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/methods/entry.hpp"

namespace pliant {

/// In the order of the documentation; the first is the default.
const std::vector<const MethodEntry*>& catalogue();

/// Their names.
const std::vector<std::string>& method_names();

/// None: there is no such method.
const MethodEntry* find_method(const std::string& name);
/// The name must be one of method_names().
const MethodEntry& method_entry(const std::string& name);

/// Those that have the ability at their defaults, or so placed nodes, for messages: "cage or meshless".
std::string methods_with(Ability ability);
std::string methods_with(NodePlacement placement);

/// A method of somebody else's joins at the end. The entry must live as long as the program. The error: it came too
/// late (scenes, schema and page are made from the catalogue once, when it is first asked for), its name is taken, or
/// it lacks functions that make_entry gives.
[[nodiscard]] std::optional<Error> add_method(const MethodEntry& entry);
std::optional<Error> add_method(const MethodEntry&&) = delete;

/// The type of the settings tells the method: build_method(bar, 1000, {}, geometric::Options{.stiffness = 5e6}).
/// Density in kg/m^3. Problems are placed relative to the body ("geometric.stiffness"): of the shape, of numbers out of
/// the range of their table, and what the method itself refuses.
Result<std::unique_ptr<Method>> build_method(const Shape& shape, double density, const Damping& damping,
                                             const MethodOptions& options);

}  // namespace pliant
