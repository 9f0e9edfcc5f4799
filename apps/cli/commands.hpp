// SPDX-License-Identifier: Apache-2.0
// The commands of pliant: one file each, registered here. A command fails by throwing; main turns that into
// the exit code, once.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace pliant::cli {

/// The input is wrong: exit 2. The text names file, place, found, expected.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The simulation failed or an expectation is not met: exit 1. Any other exception ends the same way.
struct RunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Stopped by Ctrl-C after everything was written: exit 130, as shells expect.
struct Interrupted {};

void add_figure(CLI::App& app);
void add_inspect(CLI::App& app);
void add_pose(CLI::App& app);
void add_prepare(CLI::App& app);
void add_render(CLI::App& app);
void add_replay(CLI::App& app);
void add_run(CLI::App& app);
void add_scenes(CLI::App& app);
void add_schema(CLI::App& app);
void add_bench(CLI::App& app);
void add_view(CLI::App& app);

}  // namespace pliant::cli
