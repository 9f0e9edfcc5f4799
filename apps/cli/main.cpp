// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "commands.hpp"
#include "pliant/base/version.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App app("pliant: meshes that behave like soft matter");
  app.name("pliant");
  app.set_version_flag("--version", pliant::version());
  app.require_subcommand(1);
  app.footer("Example: pliant run geometric/bar-twist -o out/twist");
  pliant::cli::add_run(app);
  pliant::cli::add_render(app);
  pliant::cli::add_scenes(app);
  pliant::cli::add_schema(app);
  pliant::cli::add_bench(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // --help and --version are no errors
  }
  return 0;
}

void complain(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::fprintf(stderr, "pliant: %s\n", text.c_str());
}

}  // namespace

// Exit codes: 0 done, 1 the simulation failed, 2 the input is wrong, 130 stopped by Ctrl-C.
int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const pliant::cli::InputError& error) {
    complain(error.what());
    return 2;
  } catch (const pliant::cli::Interrupted&) {
    return 130;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}
