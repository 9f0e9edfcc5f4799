// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/harness/report.hpp"
#include "pliant/base/parallel.hpp"

namespace pliant::bench {

/// What a case may use.
struct Context {
  Pool& pool;
  double seconds = 1;  ///< time spent repeating one case, warm-up and set-up not counted
  std::vector<std::filesystem::path> libraries = {};  ///< folders of shipped scenes
};

/// A case is named before it runs, so that a filter can leave it out.
struct Case {
  std::string name;
  std::function<Row(const Context&)> run;
  bool large = false;  ///< takes minutes: only when the filter leaves nothing else, or with --large
};

std::vector<Case> step_cases();
std::vector<Case> adaptive_cases();
std::vector<Case> kernel_cases();
std::vector<Case> contact_cases();
std::vector<Case> proximity_cases();
std::vector<Case> self_contact_cases();
std::vector<Case> published_cases();
std::vector<Case> together_cases();
std::vector<Case> wild_cases();
std::vector<Case> scramble_cases();
std::vector<Case> reduced_cases();
std::vector<Case> meshless_cases();
std::vector<Case> meshless_preconditioner_cases();
std::vector<Case> metric_cases();
std::vector<Case> cage_cases();

}  // namespace pliant::bench
