// SPDX-License-Identifier: Apache-2.0
// What a run remembers of its bodies: a row of metrics a frame, the time of every step, the frame hash. The
// rows are metrics.csv; writing it is not done here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pliant/sim/reaction.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {

/// The mean place of some nodes of a body, as extra metrics. Of a probe with problems the cells stay empty.
struct Probe {
  std::string name;
  int body = 0;
  std::vector<Index> nodes;
};

/// The columns after frame, time and body: step_ms .. reaction_z, then NAME_x .. NAME_dz per probe.
std::vector<std::string> metric_columns(const std::vector<std::string>& probes);

/// The metrics of one body at one frame.
struct MetricsRow {
  int frame = 0;
  double time = 0;  ///< s
  int body = 0;
  std::vector<double> cells;  ///< one a column; not a number = makes no sense here, an empty cell
};

/// The largest normal force of any contact of a body in any step.
struct LargestForce {
  double force = 0;  ///< N
  double time = 0;   ///< at the end of the step, s
};

/// Times of the steps of one body.
struct StepStatistics {
  std::size_t steps = 0;
  double min = 0, median = 0, p95 = 0;  ///< ms
};

/// Two bodies that were stopped on their way in some steps, or that came to cross: what is said of the first time.
struct StopNote {
  Index first = 0, second = 0;
  std::int64_t step = 0, steps = 0;  ///< 1 = the first; how many
  double time = 0;                   ///< s, at the end of that step
  Vec3 place{0, 0, 0};               ///< m
  double missing = 0;                ///< share of a step, at most; 0: they came to cross
};

/// Collects metrics, step times and frame hashes of a run. It is of one simulation, whose bodies stay as many as they
/// were; indices of bodies are 0 .. that - 1.
class Recorder {
 public:
  /// To be made before the first step: probes measure displacement from this state.
  Recorder(const Simulation& simulation, std::vector<Probe> probes);

  /// What is wrong with the probes: a body or nodes that do not exist, no nodes.
  const std::vector<Problem>& problems() const { return problems_; }

  /// After every step: its duration and its contacts.
  void note_step(const Simulation& simulation);
  /// After the last step of a frame, and once for frame 0: a row for every body.
  void note_frame(const Simulation& simulation, int frame);

  /// Names of the cells of a row.
  const std::vector<std::string>& columns() const { return columns_; }
  /// All rows so far, frame by frame.
  const std::vector<MetricsRow>& rows() const { return rows_; }
  /// frame_hash (physics/metrics.hpp) chained over all frames so far.
  std::uint64_t hash(int body) const { return hashes_[checked(body)]; }
  /// Over all steps of this body; 0 N: it touched nothing.
  LargestForce largest_force(int body) const { return largest_[checked(body)]; }
  /// By pair, in the order in which they happened first.
  const std::vector<StopNote>& stops() const { return stops_; }
  /// Over all steps of this body.
  StepStatistics statistics(int body) const;

  /// metrics.csv as product text; numbers read back to the same value.
  std::string csv(const Simulation& simulation) const;

  /// What was recorded, as bytes.
  void save(Writer& writer) const;
  /// False: not a record of this simulation.
  bool load(Reader& reader);

 private:
  void note_stops(const Simulation& simulation);
  std::vector<double> measure(const Simulation& simulation, int body) const;
  std::size_t checked(int body) const {
    PLIANT_CHECK(body >= 0 && std::size_t(body) < hashes_.size());
    return std::size_t(body);
  }
  void check_bodies(const Simulation& simulation) const {
    PLIANT_CHECK(simulation.bodies().size() == hashes_.size());
  }

  std::vector<Probe> probes_;
  std::vector<Problem> problems_;
  Points probe_starts_;
  std::vector<std::string> columns_;
  std::vector<MetricsRow> rows_;
  std::vector<std::uint64_t> hashes_;
  std::vector<LargestForce> largest_;
  std::vector<StopNote> stops_;
  std::vector<double> forces_;               ///< of the last step, per body, N
  std::vector<std::vector<float>> step_ms_;  ///< per body, every step
  std::vector<std::size_t> first_of_frame_;  ///< per body, index of the first step of the running frame
  std::vector<double> shortened_;            ///< per body, most in a step of the running frame
  std::vector<Reaction> reactions_;          ///< per body, over the running frame
};

}  // namespace pliant
