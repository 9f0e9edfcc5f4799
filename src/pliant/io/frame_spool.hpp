// SPDX-License-Identifier: Apache-2.0
// The frames of one surface as a raw stream on disk: what finish() makes pc2, mdd, glb, usda and pvd from,
// and what a resumed run goes on with. Every frame is handed to the system as it is appended, so that it
// outlives a process that is killed.
//
// Layout, little endian: "pliant frames 1\n" (16 bytes), int64 vertices, then per frame int64 index,
// double time in s, float x y z of every vertex.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/io/file_handle.hpp"
#include "pliant/io/float_frame.hpp"

namespace pliant {

struct FrameStamp {
  int frame = 0;
  double time = 0;  ///< s
};

class FrameSpool {
 public:
  static Result<FrameSpool> create(const std::filesystem::path& path, std::size_t vertices);

  /// No frames and no file: for formats that show the rest surface alone.
  static FrameSpool none(std::size_t vertices) { return {{}, vertices, {}}; }

  /// Opens the spool an earlier run has left and drops the frames from first_frame on. An Error when it is
  /// not there, of another mesh, or does not reach to first_frame.
  static Result<FrameSpool> resume(const std::filesystem::path& path, std::size_t vertices, int first_frame);

  [[nodiscard]] std::optional<Error> append(const FrameStamp& stamp, std::span<const float> xyz);

  const std::vector<FrameStamp>& stamps() const { return stamps_; }
  std::size_t vertices() const { return vertices_; }

  /// The k-th frame in the order of appending.
  [[nodiscard]] std::optional<Error> read(std::size_t k, FloatFrame& xyz) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  FrameSpool(std::filesystem::path path, std::size_t vertices, FileHandle file)
      : path_(std::move(path)), vertices_(vertices), file_(std::move(file)) {}
  std::size_t record_bytes() const;
  std::size_t record_start(std::size_t k) const;

  std::filesystem::path path_;
  std::size_t vertices_ = 0;
  FileHandle file_;
  std::vector<FrameStamp> stamps_;
};

}  // namespace pliant
