// SPDX-License-Identifier: Apache-2.0
// A recording of what a session shows: a frame every `timestep` of the scene, in a format of
// io/frame_writer.hpp, on disk. Ends by itself after ten minutes or 2 GB.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "pliant/io/frame_writer.hpp"
#include "pliant/view/session.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {

class Recording {
 public:
  static constexpr double most_seconds = 600;
  static constexpr std::size_t most_bytes = std::size_t(2) << 30;

  static Outcome<std::unique_ptr<Recording>> begin(const World& world, const std::string& format,
                                                   const std::filesystem::path& folder);

  /// After a step; writes when it ends a frame. False: nothing more can be written.
  bool frame(const World& world);
  std::optional<Refusal> end();
  /// The file, or a tar of the files when there are several. After end().
  Outcome<Download> download() const;

  const std::string& format() const { return format_; }
  std::uint32_t epoch() const { return epoch_; }

 private:
  std::string format_;
  std::filesystem::path folder_;
  std::unique_ptr<FrameWriter> writer_;
  std::uint32_t epoch_ = 0;
  double first_time_ = 0, next_time_ = 0;  ///< s
  int frames_ = 0;
  std::size_t bytes_a_frame_ = 0;
  bool ended_ = false;
};

/// The recording that runs, and the last one that ended.
class Recordings {
 public:
  /// tell: a message for all pages.
  Recordings(std::filesystem::path folder, std::function<void(const Json&)> tell)
      : folder_(std::move(folder)), tell_(std::move(tell)) {}

  /// May refuse.
  void begin(const World& world, const std::string& format);
  void end(const World& world);
  /// After a step. A recording whose model changed, or that is full, ends.
  void note_step(const World& world);

  bool running() const { return running_ != nullptr; }
  Json format() const { return running_ ? Json(running_->format()) : Json(false); }
  Outcome<Download> download() const;

 private:
  std::filesystem::path folder_;
  std::function<void(const Json&)> tell_;
  std::unique_ptr<Recording> running_, ended_;
  int count_ = 0;
};

}  // namespace pliant::view
