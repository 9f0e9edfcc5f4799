// SPDX-License-Identifier: Apache-2.0
// The settings of a method as a program wrote them, held against their tables: what the reader of a scene does for a
// file.
#pragma once

#include <vector>

#include "pliant/methods/entry.hpp"

namespace pliant {

/// What is wrong with them, placed relative to the body ("geometric.stiffness"). Of a method of somebody else's
/// nothing is known here: its own build judges them. in_scene: files that they name will be read, and what is automatic
/// will be chosen.
std::vector<Problem> check_settings(const MethodEntry& entry, const MethodOptions& options, bool in_scene);

}  // namespace pliant
