// SPDX-License-Identifier: Apache-2.0
// The twisted mat to its end: 20 turns of each end in 100 s [Li20: 14_matTwist].
//
//   twist_mat [NODES [SECONDS]]     40 nodes a side, 100 s
//
// Prints a line for every 2 s: turns of one end against the other, edges through triangles so far, shortened steps so far,
// contacts, ms a step. Exit 1: something crossed.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "tests/support/twisted_mat.hpp"

int main(int count, char** arguments) {
  using namespace pliant;
  const int nodes = count > 1 ? std::atoi(arguments[1]) : 40;
  const double seconds = count > 2 ? std::atof(arguments[2]) : 100;
  Simulation simulation = test::twisted_mat(nodes, seconds);
  test::Crossings crossings(simulation);
  int crossed = 0, shortened = 0, steps = 0;
  double ms = 0;
  fmt::print("time, s   turns  crossings  shortened  contacts  ms a step\n");
  while (simulation.time() < seconds - 1e-9) {
    const auto begin = std::chrono::steady_clock::now();
    if (const auto failure = simulation.step()) {
      fmt::print("{}\n", failure->text());
      return 1;
    }
    ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    crossed += crossings.count(simulation);
    shortened += test::shortened(simulation) > 0;
    if (++steps % 50 != 0) continue;
    fmt::print("{:7.2f}  {:6.2f}  {:9}  {:9}  {:8}  {:9.1f}\n", simulation.time(),
               simulation.time() * 144 / 360, crossed, shortened, simulation.bodies()[0].report().contacts,
               ms / 50);
    std::fflush(stdout);
    ms = 0;
  }
  return crossed > 0 ? 1 : 0;
}
