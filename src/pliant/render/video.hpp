// SPDX-License-Identifier: Apache-2.0
// Pictures that move, by piping raw frames to the ffmpeg program: MP4 (H.264, yuv420p, index in front), and
// looping WebP and GIF.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/render/image.hpp"

namespace pliant {

/// The file appears under its name when finish() succeeded; a writer that is dropped before leaves nothing.
class VideoWriter {
 public:
  /// The file's ending says the format. Creates missing folders on the way to it. Fails when ffmpeg is not on
  /// the PATH, or the size is not even (yuv420p halves the colour planes). quality: of WebP and GIF, 0 .. 100.
  static Result<VideoWriter> open(const std::filesystem::path& file, int width, int height, double fps,
                                  int quality = 80);
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

/// A looping WebP or GIF below a size: with lower quality where needed. Returns its size in bytes. When even the
/// lowest quality is too large, nothing is written and the Error tells the size.
Result<std::uintmax_t> write_animation(const std::vector<Image>& frames, const std::filesystem::path& file,
                                       double fps, std::uintmax_t most_bytes);

}  // namespace pliant
