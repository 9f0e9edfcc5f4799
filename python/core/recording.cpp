// SPDX-License-Identifier: Apache-2.0
#include "recording.hpp"

#include "errors.hpp"
#include "pliant/scene/doubts.hpp"

namespace pliant::python {

Recording::Recording(const Scene& scene, const std::string& folder, std::vector<std::string> formats,
                     bool contacts)
    : recorder_(scene.simulation, scene.probes),
      contacts_(contacts && !folder.empty()),
      from_start_(scene.simulation.steps() == 0) {
  if (folder.find('\0') != std::string::npos)
    throw WrongInput("folder", "a name with a zero byte", "a folder");
  if (!folder.empty()) {
    folder_.emplace(folder, std::move(formats));
    folder_->open(scene, 0, false);
    if (contacts_) folder_->open_contacts(scene, 0);
    folder_->write_summary(scene, recorder_, {"running", "", 0, {}});
  }
  keep_frame(scene);
}

void Recording::keep_frame(const Scene& scene) {
  recorder_.note_frame(scene.simulation, ++frame_);
  if (folder_) folder_->write_frame(scene, frame_);
}

void Recording::finish(const Scene& scene, const std::string& status, const std::string& failure) {
  if (!open_) return;
  open_ = false;
  if (!folder_) return;
  folder_->finish_frames();
  folder_->finish_contacts(scene);
  cli::RunOutcome outcome{status, failure, frame_, {}};
  if (status == "done" && from_start_ && frame_ >= scene.spec.frames)
    outcome.expectations = evaluate(scene.spec, recorder_);
  outcome.warnings = doubts_of(scene, recorder_);
  folder_->write_metrics(scene, recorder_);
  folder_->write_summary(scene, recorder_, outcome);
}

}  // namespace pliant::python
