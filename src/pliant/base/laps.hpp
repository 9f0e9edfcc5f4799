// SPDX-License-Identifier: Apache-2.0
// Where the time of a long piece of work goes.
#pragma once

#include <string>
#include <vector>

namespace pliant {

/// Times the stages of a piece of work, one after the other.
class Laps {
 public:
  struct Lap {
    std::string name;
    double ms = 0;      ///< on the wall
    double cpu_ms = 0;  ///< of all threads of the process: a busy machine does not stretch it
  };

  Laps();
  /// What was done since the last call belongs to this stage; stages of the same name are added up.
  void end(const char* stage);
  const std::vector<Lap>& all() const { return laps_; }

 private:
  double wall_, cpu_;
  std::vector<Lap> laps_;
};

}  // namespace pliant
