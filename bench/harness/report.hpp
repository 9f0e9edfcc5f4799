// SPDX-License-Identifier: Apache-2.0
// What a case measured, and how it is shown: JSON rows, an aligned table, a summary of ratios.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/timing.hpp"
#include "pliant/base/types.hpp"

namespace pliant::bench {

/// Time of the parts of a frame, ms. embed = surface from nodes.
struct Stages {
  double rotation = 0, rhs = 0, solve = 0, embed = 0;
};

/// The physical limit of a case: bytes that must move over what the machine can read or, where that is
/// longer, operations that must be done over what it can compute; the sum of both where one waits for the
/// other.
struct Limit {
  std::size_t bytes = 0;        ///< moved by the fastest repetition
  std::size_t working_set = 0;  ///< distinct bytes among them
  double bandwidth = 0;         ///< bytes/s, measured in this run at that working-set size

  double operations = 0;  ///< of single precision, a multiply-add is two; 0 = not counted
  double arithmetic = 1;  ///< operations/s, measured in this run
  bool in_turn = false;   ///< it computes before or after it reads, not meanwhile

  double reading_ms() const { return double(bytes) / bandwidth * 1e3; }
  double computing_ms() const { return operations / arithmetic * 1e3; }
  double ms() const {
    return in_turn ? reading_ms() + computing_ms() : std::max(reading_ms(), computing_ms());
  }
  bool computes() const { return computing_ms() > reading_ms(); }
};

struct Row {
  std::string name;  ///< "geometric/bar", "kernel/direct-solve/14k", "peer/bullet-neohookean/bar"
  Index nodes = 0;
  int threads = 1;
  double ms_min = 0, ms_median = 0;
  std::optional<Limit> limit = {};             ///< none for peers
  std::optional<Stages> stages = {};           ///< of the fastest step; none for kernels and peers
  std::optional<Stages> stages_median = {};    ///< each stage's own median
  std::optional<double> setup_ms = {};         ///< everything between the shape and the first repetition
  std::optional<double> iterations = {};       ///< mean of the step solver's
  std::optional<std::size_t> peak_bytes = {};  ///< peak resident memory of the process while the case ran
  nlohmann::ordered_json more = nlohmann::ordered_json::object();  ///< what only this kind of case tells

  double ratio() const { return ms_min / limit->ms(); }
};

/// One object a row, keys as docs/performance.md lists them; keys without a value are left out.
nlohmann::ordered_json to_json(const Row& row);
nlohmann::ordered_json to_json(const std::vector<Row>& rows);

/// A row that another program printed. Throws std::runtime_error that names what is missing.
Row row_from_json(const nlohmann::ordered_json& json);

/// Lines of an aligned table.
std::string table_head();
std::string table_line(const Row& row);

struct Summary {
  std::string text;  ///< one line a ratio
  int missed = 0;    ///< ratios beyond what is asked of them
};

/// Ratios between rows that belong together; pairs of which a row is missing are left out.
Summary summarize(const std::vector<Row>& rows);

}  // namespace pliant::bench
