// SPDX-License-Identifier: Apache-2.0
// Peers are programs of their own: pliant never links what it is compared with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/harness/report.hpp"

namespace pliant::bench {

/// A program that prints one JSON row a line.
struct Peer {
  std::string program;             ///< file name in the folder of peers
  std::vector<std::string> cases;  ///< names of the rows it prints
};
const std::vector<Peer>& known_peers();

/// Runs the program to its end and reads its rows. Throws std::runtime_error when it cannot be started, ends
/// with an error or prints something else.
std::vector<Row> run_peer(const std::filesystem::path& program);

}  // namespace pliant::bench
