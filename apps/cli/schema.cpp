// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "pliant/scene/schema.hpp"

namespace pliant::cli {

void add_schema(CLI::App& app) {
  CLI::App* command = app.add_subcommand("schema", "the JSON Schema of a scene");
  command->footer("Example: pliant schema > scene.schema.json");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "the same as a page to read (docs/scene-format.md)");
  command->callback(
      [markdown] { std::fputs((*markdown ? scene_markdown() : scene_schema()).c_str(), stdout); });
}

}  // namespace pliant::cli
