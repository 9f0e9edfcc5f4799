// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/frame_spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "pliant/base/check.hpp"
#include "pliant/io/atomic_file.hpp"

namespace pliant {
namespace {

constexpr char spool_magic[] = "pliant frames 1\n";
constexpr std::size_t magic_bytes = sizeof(spool_magic) - 1;

struct FileHead {
  char magic[magic_bytes];
  std::int64_t vertices;
};
static_assert(sizeof(FileHead) == 24);

struct RecordHead {
  std::int64_t frame;
  double time;
};
static_assert(sizeof(RecordHead) == 16);

Error not_resumable(const std::filesystem::path& path, std::string found, std::string expected) {
  return Error{path.string(), {{"", std::move(found), std::move(expected), "run again without resuming"}}};
}

}  // namespace

std::size_t FrameSpool::record_bytes() const { return sizeof(RecordHead) + 3 * sizeof(float) * vertices_; }

std::size_t FrameSpool::record_start(std::size_t k) const { return sizeof(FileHead) + k * record_bytes(); }

Result<FrameSpool> FrameSpool::create(const std::filesystem::path& path, std::size_t vertices) {
  FileHandle file = FileHandle::open(path, O_RDWR | O_CREAT | O_TRUNC);
  if (!file) return file_error(path, "a file that can be written", errno);
  FileHead head{};
  std::memcpy(head.magic, spool_magic, magic_bytes);
  head.vertices = std::int64_t(vertices);
  if (const int cause = file.write_at(0, &head, sizeof(head)))
    return file_error(path, "a file that can be written", cause);
  return FrameSpool(path, vertices, std::move(file));
}

Result<FrameSpool> FrameSpool::resume(const std::filesystem::path& path, std::size_t vertices,
                                      int first_frame) {
  FileHandle file = FileHandle::open(path, O_RDWR);
  if (!file) return file_error(path, "the frames of the run to resume", errno);
  FileHead head{};
  std::size_t bytes = 0;
  if (const int cause = file.size(bytes)) return file_error(path, "a file that can be read", cause);
  if (bytes < sizeof(head) || file.read_at(0, &head, sizeof(head)) != 0 ||
      std::memcmp(head.magic, spool_magic, magic_bytes) != 0)
    return not_resumable(path, "another kind of file", "the frames of the run to resume");
  if (head.vertices != std::int64_t(vertices))
    return not_resumable(path, fmt::format("frames of {} vertices", head.vertices),
                         fmt::format("{} vertices, as the surface has", vertices));

  FrameSpool spool(path, vertices, std::move(file));
  const std::size_t whole_records = (bytes - sizeof(head)) / spool.record_bytes();
  for (std::size_t k = 0; k < whole_records; ++k) {
    RecordHead record{};
    if (const int cause = spool.file_.read_at(spool.record_start(k), &record, sizeof(record)))
      return file_error(path, "a file that can be read", cause);
    if (record.frame >= first_frame) break;
    spool.stamps_.push_back({int(record.frame), record.time});
  }
  const int reached = spool.stamps_.empty() ? 0 : spool.stamps_.back().frame + 1;
  if (reached != first_frame)
    return not_resumable(path, fmt::format("frames before {}", reached),
                         fmt::format("frames before {}", first_frame));
  if (const int cause = spool.file_.truncate(spool.record_start(spool.stamps_.size())))
    return file_error(path, "a file that can be written", cause);
  return spool;
}

std::optional<Error> FrameSpool::append(const FrameStamp& stamp, std::span<const float> xyz) {
  PLIANT_CHECK(xyz.size() == 3 * vertices_);
  PLIANT_CHECK(stamps_.empty() || stamp.frame > stamps_.back().frame);
  const RecordHead head{stamp.frame, stamp.time};
  const std::size_t start = record_start(stamps_.size());
  int cause = file_.write_at(start, &head, sizeof(head));
  if (cause == 0) cause = file_.write_at(start + sizeof(head), xyz.data(), xyz.size_bytes());
  if (cause != 0) return file_error(path_, "a file that can be written", cause);
  stamps_.push_back(stamp);
  return std::nullopt;
}

std::optional<Error> FrameSpool::read(std::size_t k, FloatFrame& xyz) const {
  PLIANT_CHECK(k < stamps_.size());
  xyz.resize(3 * vertices_);
  const int cause =
      file_.read_at(record_start(k) + sizeof(RecordHead), xyz.data(), xyz.size() * sizeof(float));
  if (cause != 0) return file_error(path_, "a file that can be read", cause);
  return std::nullopt;
}

}  // namespace pliant
