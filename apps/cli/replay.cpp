// SPDX-License-Identifier: Apache-2.0
// pliant replay: an interactive run once more, from the file that the page saved.
#include <fmt/format.h>

#include <memory>

#include "commands.hpp"
#include "pliant/view/replay.hpp"

namespace pliant::cli {
namespace {

struct ReplayArguments {
  std::string file;
  int threads = 0;
};

void replay(const ReplayArguments& arguments) {
  const Result<view::Replayed> replayed = view::replay_file(arguments.file, arguments.threads);
  if (!replayed) throw InputError(replayed.error().text());
  for (const std::string& refused : replayed->refused) fmt::print("refused: {}\n", refused);
  fmt::print("{} steps, {} commands, state {:016x}: {}\n", replayed->steps, replayed->commands,
             replayed->hash, replayed->same ? "the same as when it was saved" : "not the one that was saved");
  if (!replayed->same)
    throw RunError(
        "the state differs; another version, other instruction sets (PLIANT_SIMD) or changed mesh files do "
        "that");
}

}  // namespace

void add_replay(CLI::App& app) {
  CLI::App* command = app.add_subcommand("replay", "an interactive run again, as `pliant view` saved it");
  auto arguments = std::make_shared<ReplayArguments>();
  command
      ->add_option("FILE", arguments->file, "a session, NAME.session.json; meshes are looked for beside it")
      ->required();
  command
      ->add_option("--threads", arguments->threads, "0 = one per processor; the result does not depend on it")
      ->check(CLI::Range(0, 1024))
      ->default_str("0");
  command->footer("Example: pliant replay creature.session.json");
  command->callback([arguments] { replay(*arguments); });
}

}  // namespace pliant::cli
