// SPDX-License-Identifier: Apache-2.0
// The folder of a run: metrics.csv, summary.json, checkpoint, frames/, colliders/, contacts.csv.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contact_files.hpp"
#include "pliant/io/frame_writer.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/expect.hpp"

namespace pliant::cli {

/// What summary.json says beyond the recorder.
struct RunOutcome {
  std::string status = "done";  ///< running, done, failed, interrupted
  std::string failure;          ///< why it failed
  int frames = 0;               ///< the last frame
  std::vector<ExpectationResult> expectations;
  std::vector<std::string> warnings = {};  ///< scene/doubts.hpp
};

class RunFolder {
 public:
  RunFolder(std::filesystem::path path, std::vector<std::string> formats)
      : path_(std::move(path)), formats_(std::move(formats)) {}

  const std::filesystem::path& path() const { return path_; }

  /// Throws InputError when the folder cannot be used. A fresh run removes what an earlier run left there.
  void open(const Scene& scene, int first_frame, bool resumable);
  /// Contacts are written with every frame from now on.
  void open_contacts(const Scene& scene, int first_frame);
  void write_frame(const Scene& scene, int frame);
  /// Makes the frames whole.
  void finish_frames();
  void finish_contacts(const Scene& scene);

  void write_metrics(const Scene& scene, const Recorder& recorder);
  void write_summary(const Scene& scene, const Recorder& recorder, const RunOutcome& outcome);
  void write_checkpoint(const Scene& scene, const Recorder& recorder);
  /// Loads the checkpoint into scene and recorder, returns its frame; throws InputError.
  int resume(Scene& scene, Recorder& recorder);

  /// "out/bar/metrics.csv ..." for the user.
  std::string listing(bool with_checkpoint) const;

 private:
  void clear_earlier_run();
  void write_colliders(const Scene& scene);

  std::filesystem::path path_;
  std::vector<std::string> formats_;
  std::unique_ptr<FrameWriter> frames_;
  std::optional<ContactFiles> contacts_;
};

}  // namespace pliant::cli
