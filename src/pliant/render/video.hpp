// SPDX-License-Identifier: Apache-2.0
// MP4 (H.264, yuv420p, index in front) by piping raw frames to the ffmpeg program.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "pliant/base/result.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

/// The file appears under its name when finish() succeeded; a writer that is dropped before leaves nothing.
class VideoWriter {
 public:
  /// Creates missing folders on the way to the file. Fails when ffmpeg is not on the PATH, or the size is not
  /// even (yuv420p halves the colour planes).
  static Result<VideoWriter> open(const std::filesystem::path& file, int width, int height, double fps);
  VideoWriter(VideoWriter&&) noexcept;
  VideoWriter& operator=(VideoWriter&&) noexcept;
  ~VideoWriter();

  /// The image must have the size given to open.
  [[nodiscard]] std::optional<Error> add(const Image& image);
  [[nodiscard]] std::optional<Error> finish();

 private:
  struct Encoder;
  explicit VideoWriter(std::unique_ptr<Encoder> encoder);
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace pliant
