// SPDX-License-Identifier: Apache-2.0
// Second stop: a scene as written becomes bodies that can move.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/scene/parse.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {

struct Scene {
  std::string name;  ///< "geometric/bar", or the file's name without its ending
  SceneSpec spec;
  std::uint64_t fingerprint = 0;  ///< ParsedScene::fingerprint
  Simulation simulation;
  std::vector<Probe> probes;
  std::vector<std::string> notes;  ///< what was decided or repaired on the way, one sentence each
};

/// Everything wrong in the file is in the Error, also what only the shapes can tell (a pin that selects
/// nothing). threads: 0 = one per processor.
Result<Scene> build_scene(const ParsedScene& parsed, int threads = 1);

}  // namespace pliant
