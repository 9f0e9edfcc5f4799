// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <thread>

#include "bench/harness/bandwidth.hpp"
#include "bench/harness/case.hpp"
#include "bench/harness/peers.hpp"
#include "pliant/base/simd.hpp"

namespace pliant::bench {

bool matches(const std::string& name, const std::string& filter) {
  for (std::size_t at = name.find(filter); at != std::string::npos; at = name.find(filter, at + 1))
    if (at == 0 || !std::isalnum(static_cast<unsigned char>(name[at - 1]))) return true;
  return false;
}

namespace {

std::vector<Case> all_cases() {
  std::vector<Case> cases = step_cases();
  for (Case& c : adaptive_cases()) cases.push_back(std::move(c));
  for (Case& c : kernel_cases()) cases.push_back(std::move(c));
  for (Case& c : wild_cases()) cases.push_back(std::move(c));
  for (Case& c : reduced_cases()) cases.push_back(std::move(c));
  for (Case& c : meshless_cases()) cases.push_back(std::move(c));
  for (Case& c : meshless_preconditioner_cases()) cases.push_back(std::move(c));
  for (Case& c : metric_cases()) cases.push_back(std::move(c));
  for (Case& c : cage_cases()) cases.push_back(std::move(c));
  for (Case& c : contact_cases()) cases.push_back(std::move(c));
  for (Case& c : proximity_cases()) cases.push_back(std::move(c));
  for (Case& c : self_contact_cases()) cases.push_back(std::move(c));
  for (Case& c : published_cases()) cases.push_back(std::move(c));
  for (Case& c : together_cases()) cases.push_back(std::move(c));
  for (Case& c : scramble_cases()) cases.push_back(std::move(c));
  return cases;
}

/// Large cases run on demand, or when the filter means nothing else.
std::vector<Case> chosen_cases(const Settings& settings) {
  std::vector<Case> cases = all_cases();
  std::erase_if(cases, [&](const Case& c) { return !matches(c.name, settings.filter); });
  const bool only_large = std::all_of(cases.begin(), cases.end(), [](const Case& c) { return c.large; });
  if (!settings.large && !only_large) std::erase_if(cases, [](const Case& c) { return c.large; });
  return cases;
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown processor";
}

void show(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

void print_machine(Pool& pool) {
  show(fmt::format("{}, {}, {} thread{}, load {:.2f}\nread bandwidth:", processor(), name(simd_level()),
                   pool.threads(), pool.threads() == 1 ? "" : "s", load_average()));
  BandwidthMeter meter(pool);
  for (int mega : {1, 4, 16, 64}) {
    show(fmt::format("{} {:.1f} GB/s at {} MB", mega == 1 ? "" : ",",
                     meter.measure(std::size_t(mega) << 20) / 1e9, mega));
  }
  show("\n\n");
}

std::vector<Row> run_peers(const Settings& settings) {
  std::vector<Row> rows;
  for (const Peer& peer : known_peers()) {
    const bool wanted = std::any_of(peer.cases.begin(), peer.cases.end(),
                                    [&](const std::string& name) { return matches(name, settings.filter); });
    if (!wanted) continue;
    const std::filesystem::path program = settings.peers / peer.program;
    if (!std::filesystem::exists(program)) {
      show(fmt::format("peer {} is not built: `make bench` does it\n", peer.program));
      continue;
    }
    for (Row& row : run_peer(program)) {
      if (!matches(row.name, settings.filter)) continue;
      show(table_line(row));
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Case& c : all_cases()) names.push_back(c.name);
  for (const Peer& peer : known_peers()) names.insert(names.end(), peer.cases.begin(), peer.cases.end());
  return names;
}

std::vector<Row> run(const Settings& settings) {
  Pool pool(settings.threads);
  print_machine(pool);
  show(table_head());
  std::vector<Row> rows;
  for (const Case& c : chosen_cases(settings)) {
    Row row = c.run({pool, settings.seconds, settings.libraries});
    row.more["simd"] = name(simd_level());
    row.more["load"] = load_average();
    show(table_line(row));
    rows.push_back(std::move(row));
  }
  for (Row& row : run_peers(settings)) rows.push_back(std::move(row));
  const double load = load_average();
  show(fmt::format("\nload at the end {:.2f}\n", load));
  if (load > std::thread::hardware_concurrency())
    show(
        "The machine is busy: wall times of long steps are stretched, ratios of wall times are not to be "
        "quoted.\n");
  show(summarize(rows).text);
  return rows;
}

}  // namespace pliant::bench
