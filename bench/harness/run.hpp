// SPDX-License-Identifier: Apache-2.0
// `pliant bench`: every case the filter lets through, as a table while it runs, then peers and a summary.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/harness/report.hpp"

namespace pliant::bench {

struct Settings {
  std::string filter;                            ///< only cases that match it; empty = all
  int threads = 1;                               ///< 0 = one per processor
  double seconds = 1;                            ///< spent repeating one case
  bool large = false;                            ///< cases that take minutes, too
  std::filesystem::path peers;                   ///< folder of the peer programs; may be missing
  std::vector<std::filesystem::path> libraries;  ///< folders of shipped scenes
};

/// The name has the filter in it from the beginning of a word: metric is not meant by geometric.
bool matches(const std::string& name, const std::string& filter);

/// Names of all cases, those of peers included.
std::vector<std::string> case_names();

/// Prints to the standard output and returns all rows. Throws std::runtime_error when a case fails.
std::vector<Row> run(const Settings& settings);

}  // namespace pliant::bench
