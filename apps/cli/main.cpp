// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "commands.hpp"
#include "pliant/base/layout.hpp"
#include "pliant/base/simd.hpp"
#include "pliant/base/version.hpp"

namespace {

using pliant::cli::InputError;

/// CLI11 says of a misspelt command only that there is none.
void check_command(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "-";
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (word.empty() || word[0] == '-' || std::find(names.begin(), names.end(), word) != names.end()) return;
  throw InputError(pliant::Error{"command",
                                 {{"", "\"" + word + "\"", fmt::format("one of {}", fmt::join(names, ", ")),
                                   pliant::did_you_mean(word, names)}}}
                       .text());
}

/// The options nearest to those that were not understood.
std::string nearest_options(const CLI::App& app) {
  std::string hints;
  for (const CLI::App* command : app.get_subcommands()) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& argument : app.remaining(true))
      if (argument.rfind("--", 0) == 0)
        hints += pliant::did_you_mean(argument.substr(0, argument.find('=')), names) + "\n";
  }
  return hints;
}

void check_environment() {
  const char* simd = std::getenv("PLIANT_SIMD");
  if (simd && !pliant::simd_level_of(simd))
    throw InputError(fmt::format("PLIANT_SIMD: found \"{}\", expected portable, avx2 or avx512", simd));
}

int run(int argc, char** argv) {
  CLI::App app("pliant: meshes that behave like soft matter");
  app.name("pliant");
  app.set_version_flag("--version", pliant::version());
  app.require_subcommand(1);
  app.footer("Example: pliant run geometric/bar-twist -o out/twist");
  pliant::cli::add_run(app);
  pliant::cli::add_pose(app);
  pliant::cli::add_view(app);
  pliant::cli::add_render(app);
  pliant::cli::add_figure(app);
  pliant::cli::add_inspect(app);
  pliant::cli::add_prepare(app);
  pliant::cli::add_replay(app);
  pliant::cli::add_scenes(app);
  pliant::cli::add_schema(app);
  pliant::cli::add_bench(app);
  check_environment();
  check_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ExtrasError& error) {
    std::fputs(nearest_options(app).c_str(), stderr);
    app.exit(error);
    return 2;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;  // --help and --version are no errors
  }
  return 0;
}

/// What was printed must have arrived: a full disk behind `pliant schema > FILE` is a failure.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    throw pliant::cli::RunError("the output could not be written");
}

void complain(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  // Names come from files: a zero byte would cut the message, an escape could paint over it.
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') c = '?';
  std::fprintf(stderr, "pliant: %s\n", text.c_str());
}

}  // namespace

// Exit codes: 0 done, 1 the simulation failed, 2 the input is wrong, 130 stopped by Ctrl-C.
int main(int argc, char** argv) {
  try {
    const int exit = run(argc, argv);
    flush_output();
    return exit;
  } catch (const InputError& error) {
    complain(error.what());
    return 2;
  } catch (const pliant::cli::Interrupted&) {
    return 130;
  } catch (const std::bad_alloc&) {
    complain("not enough memory; fewer nodes need less");
    return 1;
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}
