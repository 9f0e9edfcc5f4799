// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/frame_spool.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "pliant/base/check.hpp"
#include "pliant/io/atomic_file.hpp"

namespace pliant {
namespace {

constexpr char magic[] = "pliant frames 1\n";
constexpr std::size_t magic_bytes = sizeof(magic) - 1;
constexpr long header_bytes = magic_bytes + sizeof(std::int64_t);

struct RecordHead {
  std::int64_t frame;
  double time;
};
static_assert(sizeof(RecordHead) == 16);

template <class T>
bool put(std::FILE* file, const T* data, std::size_t count) {
  return std::fwrite(data, sizeof(T), count, file) == count;
}

template <class T>
bool get(std::FILE* file, T* data, std::size_t count) {
  return std::fread(data, sizeof(T), count, file) == count;
}

Error not_resumable(const std::filesystem::path& path, std::string found, std::string expected) {
  return Error{path.string(), {{"", std::move(found), std::move(expected), "run again without resuming"}}};
}

}  // namespace

long FrameSpool::record_bytes() const {
  return long(sizeof(RecordHead)) + 3 * long(sizeof(float)) * long(vertices_);
}

long FrameSpool::record_start(std::size_t k) const { return header_bytes + long(k) * record_bytes(); }

Result<FrameSpool> FrameSpool::create(const std::filesystem::path& path, std::size_t vertices) {
  std::FILE* file = std::fopen(path.c_str(), "w+b");
  if (!file) return file_error(path, "a file that can be written", errno);
  FrameSpool spool(path, vertices, file);
  const std::int64_t count = std::int64_t(vertices);
  if (!put(file, magic, magic_bytes) || !put(file, &count, 1) || std::fflush(file) != 0)
    return file_error(path, "a file that can be written", errno);
  return spool;
}

Result<FrameSpool> FrameSpool::resume(const std::filesystem::path& path, std::size_t vertices,
                                      int first_frame) {
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  if (!file) return file_error(path, "the frames of the run to resume", errno);
  FrameSpool spool(path, vertices, file);

  std::array<char, magic_bytes> head{};
  std::int64_t count = 0;
  if (!get(file, head.data(), head.size()) || std::memcmp(head.data(), magic, magic_bytes) != 0 ||
      !get(file, &count, 1))
    return not_resumable(path, "another kind of file", "the frames of the run to resume");
  if (count != std::int64_t(vertices))
    return not_resumable(path, fmt::format("frames of {} vertices", count),
                         fmt::format("{} vertices, as the surface has", vertices));

  std::fseek(file, 0, SEEK_END);
  const long whole_records = (std::ftell(file) - header_bytes) / spool.record_bytes();
  for (long k = 0; k < whole_records; ++k) {
    RecordHead record{};
    std::fseek(file, spool.record_start(std::size_t(k)), SEEK_SET);
    if (!get(file, &record, 1)) return file_error(path, "a file that can be read", errno);
    if (record.frame >= first_frame) break;
    spool.stamps_.push_back({int(record.frame), record.time});
  }
  const int reached = spool.stamps_.empty() ? 0 : spool.stamps_.back().frame + 1;
  if (reached != first_frame)
    return not_resumable(path, fmt::format("frames before {}", reached),
                         fmt::format("frames before {}", first_frame));
  if (ftruncate(fileno(file), spool.record_start(spool.stamps_.size())) != 0)
    return file_error(path, "a file that can be written", errno);
  return spool;
}

std::optional<Error> FrameSpool::append(const FrameStamp& stamp, std::span<const float> xyz) {
  PLIANT_CHECK(xyz.size() == 3 * vertices_);
  PLIANT_CHECK(stamps_.empty() || stamp.frame > stamps_.back().frame);
  const RecordHead head{stamp.frame, stamp.time};
  if (std::fseek(file_.get(), record_start(stamps_.size()), SEEK_SET) != 0 || !put(file_.get(), &head, 1) ||
      !put(file_.get(), xyz.data(), xyz.size()) || std::fflush(file_.get()) != 0)
    return file_error(path_, "a file that can be written", errno);
  stamps_.push_back(stamp);
  return std::nullopt;
}

std::optional<Error> FrameSpool::read(std::size_t k, FloatFrame& xyz) {
  PLIANT_CHECK(k < stamps_.size());
  xyz.resize(3 * vertices_);
  errno = 0;
  if (std::fseek(file_.get(), record_start(k) + long(sizeof(RecordHead)), SEEK_SET) != 0 ||
      !get(file_.get(), xyz.data(), xyz.size()))
    return file_error(path_, "a file that can be read", errno != 0 ? errno : EIO);
  return std::nullopt;
}

}  // namespace pliant
