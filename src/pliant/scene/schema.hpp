// SPDX-License-Identifier: Apache-2.0
// The layout of a scene for others: editors (JSON Schema), readers (docs/scene-format.md), the command line.
#pragma once

#include <string>

namespace pliant {

/// JSON Schema, draft 2020-12. Units stand in "x-unit", sliders in "x-scale" and "x-change".
std::string scene_schema();

/// docs/scene-format.md.
std::string scene_markdown();

/// One line a key that --set can take.
std::string scene_keys_help();

}  // namespace pliant
