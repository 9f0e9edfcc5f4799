// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/point_cache.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/read_file.hpp"

namespace pliant {
namespace {

struct Pc2Head {
  char magic[12] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
  std::int32_t version = 1, points = 0;
  float first_frame = 0, frames_a_sample = 1;
  std::int32_t samples = 0;
};
static_assert(sizeof(Pc2Head) == 32);

struct MddHead {
  std::int32_t frames = 0, points = 0;
};

/// Big endian words in place; its own inverse.
template <class T>
void swap_words(std::span<T> words) {
  static_assert(sizeof(T) == 4);
  for (T& word : words) word = std::bit_cast<T>(__builtin_bswap32(std::bit_cast<std::uint32_t>(word)));
}

Error malformed(const std::filesystem::path& path, std::string place, std::string found,
                std::string expected) {
  return Error{path.string(), {{std::move(place), std::move(found), std::move(expected), ""}}};
}

/// The whole file must be what its head promises: nothing is allocated on the word of a head alone.
std::optional<Error> check_size(const std::filesystem::path& path, std::string_view bytes, std::size_t head,
                                std::int64_t frames, std::int64_t points, std::int64_t bytes_a_frame) {
  if (frames < 0 || points < 0)
    return malformed(path, "header", fmt::format("{} frames of {} points", frames, points), "counts >= 0");
  const std::int64_t data = std::int64_t(bytes.size() - head);
  const bool fits =
      bytes_a_frame == 0 ? data == 0 : data % bytes_a_frame == 0 && data / bytes_a_frame == frames;
  if (fits) return std::nullopt;
  return malformed(path, "header",
                   fmt::format("{} frames of {} points in a file of {} bytes", frames, points, bytes.size()),
                   fmt::format("{} bytes and {} for every frame", head, bytes_a_frame));
}

template <class Head>
bool take_head(std::string_view bytes, Head& head) {
  if (bytes.size() < sizeof(Head)) return false;
  std::memcpy(&head, bytes.data(), sizeof(Head));
  return true;
}

std::vector<float> floats_at(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::vector<float> floats(count);
  if (count != 0) std::memcpy(floats.data(), bytes.data() + offset, count * sizeof(float));
  return floats;
}

}  // namespace

Points PointCache::points(std::size_t k) const {
  Points out(vertices);
  const std::span<const float> xyz = frame(k);
  for (std::size_t v = 0; v < vertices; ++v) out[v] = Vec3(xyz[3 * v], xyz[3 * v + 1], xyz[3 * v + 2]);
  return out;
}

std::optional<Error> write_pc2(const std::filesystem::path& path, const FrameSpool& frames) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  Pc2Head head;
  head.points = std::int32_t(frames.vertices());
  head.samples = std::int32_t(frames.stamps().size());
  if (head.samples > 0) head.first_frame = float(frames.stamps().front().frame);
  file->write(&head, sizeof(head));
  FloatFrame xyz;
  for (std::size_t k = 0; k < frames.stamps().size(); ++k) {
    if (auto error = frames.read(k, xyz)) return error;
    file->write(xyz.data(), xyz.size() * sizeof(float));
  }
  return file->commit();
}

std::optional<Error> write_mdd(const std::filesystem::path& path, const FrameSpool& frames) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  std::int32_t head[2] = {std::int32_t(frames.stamps().size()), std::int32_t(frames.vertices())};
  swap_words(std::span<std::int32_t>(head));
  file->write(head, sizeof(head));
  std::vector<float> times;
  for (const FrameStamp& stamp : frames.stamps()) times.push_back(float(stamp.time));
  swap_words(std::span(times));
  file->write(times.data(), times.size() * sizeof(float));
  FloatFrame xyz;
  for (std::size_t k = 0; k < frames.stamps().size(); ++k) {
    if (auto error = frames.read(k, xyz)) return error;
    swap_words(std::span(xyz));
    file->write(xyz.data(), xyz.size() * sizeof(float));
  }
  return file->commit();
}

Result<PointCache> read_pc2(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  Pc2Head head;
  if (!take_head(*bytes, head) || std::memcmp(head.magic, Pc2Head{}.magic, sizeof(head.magic)) != 0)
    return malformed(path, "header", "another kind of file", "a PC2 point cache (POINTCACHE2)");
  if (head.version != 1)
    return malformed(path, "header", fmt::format("version {}", head.version), "version 1");
  const std::int64_t bytes_a_frame = 12 * std::int64_t(head.points);
  if (auto error = check_size(path, *bytes, sizeof(head), head.samples, head.points, bytes_a_frame))
    return *error;
  PointCache cache;
  cache.vertices = std::size_t(head.points);
  cache.frames = std::size_t(head.samples);
  cache.first_frame = head.first_frame;
  cache.positions = floats_at(*bytes, sizeof(head), 3 * cache.vertices * cache.frames);
  return cache;
}

Result<PointCache> read_mdd(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return bytes.error();
  MddHead head;
  if (!take_head(*bytes, head))
    return malformed(path, "header", "another kind of file", "an MDD point cache");
  swap_words(std::span(&head.frames, 1));
  swap_words(std::span(&head.points, 1));
  const std::int64_t bytes_a_frame = 4 + 12 * std::int64_t(head.points);  // with its time
  if (auto error = check_size(path, *bytes, sizeof(head), head.frames, head.points, bytes_a_frame))
    return *error;
  PointCache cache;
  cache.vertices = std::size_t(head.points);
  cache.frames = std::size_t(head.frames);
  cache.times = floats_at(*bytes, sizeof(head), cache.frames);
  cache.positions = floats_at(*bytes, sizeof(head) + 4 * cache.frames, 3 * cache.vertices * cache.frames);
  swap_words(std::span(cache.times));
  swap_words(std::span(cache.positions));
  return cache;
}

}  // namespace pliant
