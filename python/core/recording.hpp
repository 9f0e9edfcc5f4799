// SPDX-License-Identifier: Apache-2.0
// What is kept of a world while it is stepped: metrics, frame hashes, and a run folder as `pliant run` writes it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pliant/scene/build.hpp"
#include "pliant/sim/recorder.hpp"
#include "run_folder.hpp"

namespace pliant::python {

class Recording {
 public:
  /// folder: empty for none. The state now is frame 0.
  Recording(const Scene& scene, const std::string& folder, std::vector<std::string> formats, bool contacts);

  void note_step(const Simulation& simulation) { recorder_.note_step(simulation); }
  void keep_frame(const Scene& scene);
  /// Makes the files whole. Once; later calls do nothing.
  void finish(const Scene& scene, const std::string& status, const std::string& failure);

  bool open() const { return open_; }
  int frames() const { return frame_; }
  const Recorder& recorder() const { return recorder_; }

 private:
  Recorder recorder_;
  std::optional<cli::RunFolder> folder_;
  bool contacts_ = false;
  bool from_start_ = false;  ///< of the scene: its expectations make sense
  int frame_ = -1;           ///< the last one
  bool open_ = true;
};

}  // namespace pliant::python
