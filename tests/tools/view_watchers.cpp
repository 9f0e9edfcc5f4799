// SPDX-License-Identifier: Apache-2.0
// Does a page that stops reading slow the simulation?
//
//   view_watchers PLIANT SCENE [ROUNDS] [SECONDS]
//
// Starts the command, lets the simulation run as fast as it can, and counts steps in turn without watchers
// and with four that said hello and then neither read nor acknowledge. Prints both rates; exit 1 when the
// second is more than 5 % below the first.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/page_client.hpp"

namespace {

using namespace pliant;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

double steps_done(const PageAddress& address) {
  const json health = json::parse(http_get(address, "health").body, nullptr, false);
  return health.is_object() ? health.value("step", 0.0) : 0.0;
}

double steps_a_second(const PageAddress& address, double seconds) {
  const double first = steps_done(address);
  const auto began = Clock::now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const double last = steps_done(address);
  return (last - first) / std::chrono::duration<double>(Clock::now() - began).count();
}

std::vector<std::unique_ptr<PageClient>> stuck_watchers(const PageAddress& address) {
  std::vector<std::unique_ptr<PageClient>> watchers;
  for (int i = 0; i < 4; ++i) {
    watchers.push_back(std::make_unique<PageClient>(address));
    watchers.back()->text(
        R"({"type":"hello","channels":["surface","nodes","scalar","grabs"],"max_rate":240})");
  }
  return watchers;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: view_watchers PLIANT SCENE [ROUNDS] [SECONDS]\n", stderr);
    return 2;
  }
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 5;
  const double seconds = argc > 4 ? std::atof(argv[4]) : 3;
  ChildProcess server({argv[1], "view", argv[2], "--threads", "1"});
  const PageAddress address = PageAddress::parse(server.line(120000));
  if (address.port == 0) {
    fmt::print("FAILED: the server does not start\n");
    return 1;
  }
  PageClient driver(address);
  driver.text(R"({"type":"hello","max_rate":0})");
  driver.text(R"({"id":1,"cmd":"speed","args":{"x":16}})");
  driver.text(R"({"id":2,"cmd":"play"})");
  steps_a_second(address, 1);
  std::vector<double> alone, watched;
  for (int round = 0; round < rounds; ++round) {
    alone.push_back(steps_a_second(address, seconds));
    const auto watchers = stuck_watchers(address);
    watched.push_back(steps_a_second(address, seconds));
    while (driver.receive(0).kind != SocketMessage::nothing) {
    }
  }
  const double ratio = median(watched) / median(alone);
  fmt::print("{}: {:.1f} steps a second alone, {:.1f} with four pages that stopped reading: {:.3f} of it\n",
             argv[2], median(alone), median(watched), ratio);
  server.signal(SIGINT);
  return server.wait(20000) == 0 && ratio > 0.95 ? 0 : 1;
}
