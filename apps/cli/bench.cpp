// SPDX-License-Identifier: Apache-2.0
// pliant bench: speed against the physical limit, and against peers when they are built.
#include "bench/harness/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "libraries.hpp"
#include "pliant/io/atomic_file.hpp"

namespace pliant::cli {
namespace {

struct BenchArguments {
  bench::Settings settings;
  std::string json;
  bool strict = false;
};

// `make bench` puts the peer programs in a folder beside the command.
std::filesystem::path peer_folder() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path() : self.parent_path() / "peers";
}

void check_filter(const std::string& filter) {
  const std::vector<std::string> names = bench::case_names();
  const bool some = std::any_of(names.begin(), names.end(),
                                [&](const std::string& name) { return bench::matches(name, filter); });
  if (some) return;
  throw InputError(
      fmt::format("--filter: found '{}', expected a part of one of: {}", filter, fmt::join(names, ", ")));
}

// The file is opened before the first case runs: a wrong path shall not cost minutes.
void run_bench(BenchArguments& arguments) {
  check_filter(arguments.settings.filter);
  std::optional<Result<AtomicFile>> file;
  if (!arguments.json.empty()) {
    file.emplace(AtomicFile::create(arguments.json));
    if (!*file) throw InputError(file->error().text());
  }
  arguments.settings.peers = peer_folder();
  arguments.settings.libraries = scene_libraries();
  const std::vector<bench::Row> rows = bench::run(arguments.settings);
  if (file) {
    (**file).write(bench::to_json(rows).dump(2) + "\n");
    if (const std::optional<Error> error = (**file).commit()) throw RunError(error->text());
    fmt::print("rows written to {}\n", arguments.json);
  }
  const int missed = bench::summarize(rows).missed;
  if (arguments.strict && missed > 0)
    throw RunError(fmt::format("--strict: {} of the summary's ratios MISSED what is asked of them", missed));
}

}  // namespace

void add_bench(CLI::App& app) {
  auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command =
      app.add_subcommand("bench", "Speed against the physical limit, and against peers when built");
  command->add_option("--filter", arguments->settings.filter,
                      "Only cases whose name has this in it, from the beginning of a word");
  command->add_option("--json", arguments->json, "Write the rows to this file");
  command->add_option("--threads", arguments->settings.threads, "Threads of a step; 0 = one per processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("--seconds", arguments->settings.seconds, "Time spent repeating one case, s")
      ->check(CLI::Range(0.0, 3600.0))
      ->capture_default_str();
  command->add_flag("--large", arguments->settings.large, "Cases that take minutes, too");
  command->add_flag("--strict", arguments->strict,
                    "exit 1 when a ratio of the summary misses what is asked of it");
  command->footer("Example: pliant bench --filter contact --json bench.json");
  command->callback([arguments] { run_bench(*arguments); });
}

}  // namespace pliant::cli
