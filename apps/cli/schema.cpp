// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>

#include "commands.hpp"
#include "pliant/render/figure_spec.hpp"
#include "pliant/scene/schema.hpp"

namespace pliant::cli {

void add_schema(CLI::App& app) {
  CLI::App* command = app.add_subcommand("schema", "the JSON Schema of a scene or a figure");
  command->footer("Example: pliant schema > scene.schema.json");
  auto markdown = std::make_shared<bool>(false), figure = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "the same as a page to read (docs/scene-format.md)");
  command->add_flag("--figure", *figure, "of a figure file instead; with --markdown its tables of keys");
  command->callback([markdown, figure] {
    const Description& root = layout_of<FigureSpec>().description;
    const std::string text = *figure ? (*markdown ? key_tables(root) : json_schema("pliant figure", root))
                                     : (*markdown ? scene_markdown() : scene_schema());
    std::fputs(text.c_str(), stdout);
  });
}

}  // namespace pliant::cli
