// SPDX-License-Identifier: Apache-2.0
// Every scene of scenes/together, shaken: bodies start up to 1e-3 of their size off their places, and after each step
// edges are asked for triangles that they pass through.
//
//   shaken_scenes [RUNS [NAME..]]     10 runs of all scenes; of those whose name contains one of NAME..
//
// Exit 1: some run crossed or failed.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "pliant/scene/library.hpp"
#include "tests/support/shaken_scene.hpp"

int main(int count, char** arguments) {
  using namespace pliant;
  const int runs = count > 1 ? std::atoi(arguments[1]) : 10;
  const auto wanted = [&](const std::string& name) {
    bool any = count <= 2;
    for (int k = 2; k < count; ++k) any |= name.find(arguments[k]) != std::string::npos;
    return any && name.starts_with("together/");
  };
  bool fine = true;
  for (const ShippedScene& shipped_scene : shipped_scenes({source_folder() + "/scenes"})) {
    if (!wanted(shipped_scene.name)) continue;
    const ParsedScene parsed = shipped(shipped_scene.name);
    int clean = 0, steps = 0, shortened = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (int seed = 1; seed <= runs; ++seed) {
      const test::ShakenRun run = test::run_shaken(parsed, unsigned(seed), 1e-3, 1 << 30);
      if (!run.trouble.empty()) fmt::print("{}: {}\n", shipped_scene.name, run.trouble);
      clean += run.trouble.empty() && run.crossings == 0;
      steps += run.steps;
      shortened += run.shortened;
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    fmt::print("{:24} {:3} of {} without crossing, {:6} steps, {} of them shortened, {:.0f} s\n",
               shipped_scene.name, clean, runs, steps, shortened, seconds.count());
    std::fflush(stdout);
    fine &= clean == runs;
  }
  return fine ? 0 : 1;
}
