// SPDX-License-Identifier: Apache-2.0
// The layout of a scene for others: editors (JSON Schema), readers (docs/scene-format.md), the command line.
#pragma once

#include <string>

#include "pliant/base/layout.hpp"

namespace pliant {

/// JSON Schema, draft 2020-12, of a file whose root this is. Units stand in "x-unit", sliders in "x-scale" and
/// "x-change".
std::string json_schema(const std::string& title, const Description& root);
/// Markdown: a table of keys for the root and for every object in it.
std::string key_tables(const Description& root);

/// json_schema of a scene.
std::string scene_schema();

/// docs/scene-format.md.
std::string scene_markdown();

/// One line a key that --set can take.
std::string scene_keys_help();

}  // namespace pliant
