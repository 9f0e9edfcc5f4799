// SPDX-License-Identifier: Apache-2.0
// The settings of a scene as a page shows them: one description an option, from the tables that the parser
// and the schema read (base/option.hpp), with the value that the document has now.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pliant/base/option.hpp"

namespace pliant::view {

using Json = nlohmann::json;

/// All options of the scene and of its bodies: path, name, type, unit, min, max, hard_min, hard_max, scale,
/// default, value, group, order, level, effect, help, choices, when.
Json option_list(const Json& document);

/// An option by its path; nothing when there is none.
struct KnownOption {
  std::string name;      ///< "Stiffness"
  bool live = false;     ///< in effect at the next step
  bool present = false;  ///< an object that is there or not ("plasticity"), a boolean for the page
  Json initial;          ///< default
};
std::optional<KnownOption> find_option(const Json& document, const std::string& path);
/// All paths, for advice.
std::vector<std::string> option_paths(const Json& document);

/// The value at a path, the default where the document is silent.
Json option_value(const Json& document, const std::string& path);
/// Puts a value there; null takes the key away, so that the default holds.
void set_option(Json& document, const std::string& path, const Json& value);

/// [{path, value}] of the options that differ.
Json option_changes(const Json& before, const Json& after);

/// Names of the options of a method that need no build.
std::vector<std::string> live_options(const std::string& method);

}  // namespace pliant::view
