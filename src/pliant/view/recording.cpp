// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "pliant/view/messages.hpp"

namespace pliant::view {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// One file of a tar (POSIX ustar): a head of 512 bytes, the bytes, zeros up to a multiple of 512.
void add_to_tar(std::string& tar, const std::string& name, const std::string& bytes) {
  std::string head(512, '\0');
  const auto put = [&](std::size_t at, const std::string& text) { head.replace(at, text.size(), text); };
  put(0, name.substr(0, 99));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", bytes.size()));
  put(136, "00000000000");
  put(148, "        ");
  put(156, "0");
  put(257, std::string("ustar\0", 6) + "00");
  unsigned sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum) + std::string("\0 ", 2));
  tar += head + bytes;
  tar.append((512 - bytes.size() % 512) % 512, '\0');
}

}  // namespace

Outcome<std::unique_ptr<Recording>> Recording::begin(const World& world, const std::string& format,
                                                     const fs::path& folder) {
  const auto known = frame_formats();
  if (std::none_of(known.begin(), known.end(), [&](const char* name) { return format == name; }))
    return {
        {},
        {"not_supported", "no recording as " + format, "format", {}, "pc2, mdd, glb, usda, vtu, obj or ply"}};
  std::vector<SurfaceInfo> surfaces;
  auto out = std::make_unique<Recording>();
  for (const Body& body : world.simulation().bodies()) {
    surfaces.push_back({body.name(), body.triangles(), body.rest_surface(), body.faces()});
    out->bytes_a_frame_ += body.rest_surface().size() * 12;
  }
  Result<std::unique_ptr<FrameWriter>> writer = make_frame_writer(
      {format}, folder, std::move(surfaces), {.frames_per_second = 1 / world.spec().timestep});
  if (!writer) return {{}, refusal_of(writer.error(), "internal")};
  out->format_ = format;
  out->folder_ = folder;
  out->writer_ = std::move(*writer);
  out->epoch_ = world.epoch();
  out->first_time_ = out->next_time_ = world.simulation().time();
  return {std::move(out), {}};
}

bool Recording::frame(const World& world) {
  const double time = world.simulation().time(), interval = world.spec().timestep;
  if (time < next_time_ - 1e-9 * interval && time >= next_time_ - 2 * interval) return true;
  next_time_ = time + interval;
  std::vector<std::span<const Vec3>> positions;
  for (const Body& body : world.simulation().bodies()) positions.emplace_back(body.surface());
  const double at = frames_ * interval;  // a reset sets the clock back, the recording goes on
  if (writer_->write(frames_++, at, positions)) return false;
  return at < most_seconds && std::size_t(frames_) * bytes_a_frame_ < most_bytes;
}

std::optional<Refusal> Recording::end() {
  if (std::exchange(ended_, true)) return std::nullopt;
  const std::optional<Error> error = writer_->finish();
  return error ? std::optional(refusal_of(*error, "internal")) : std::nullopt;
}

Outcome<Download> Recording::download() const {
  std::vector<fs::path> files;
  std::error_code trouble;
  for (const auto& entry : fs::directory_iterator(folder_, trouble))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) return {{}, {"internal", "the recording has no files"}};
  const auto bytes = [](const std::string& text) {
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(begin, begin + text.size());
  };
  if (files.size() == 1)
    return {Download{files[0].filename().string(), "application/octet-stream", bytes(contents(files[0]))},
            {}};
  std::string tar;
  for (const fs::path& file : files) add_to_tar(tar, file.filename().string(), contents(file));
  tar.append(1024, '\0');
  return {Download{fmt::format("recording-{}.tar", format_), "application/x-tar", bytes(tar)}, {}};
}

// ---- one after the other ---------------------------------------------------------------------------------

void Recordings::begin(const World& world, const std::string& format) {
  if (running_) refuse("busy", "a recording runs already", "end it first");
  if (world.empty()) refuse("not_supported", "the scene has no body");
  Outcome<std::unique_ptr<Recording>> made =
      Recording::begin(world, format, folder_ / fmt::format("recording-{}", ++count_));
  if (!made) throw Refused{made.refusal};
  ended_.reset();
  running_ = std::move(*made.value);
  running_->frame(world);
}

void Recordings::end(const World& world) {
  if (!running_) return;
  if (const std::optional<Refusal> trouble = running_->end())
    tell_(event_message("error", trouble->code, world.step(), trouble->message, trouble->advice));
  ended_ = std::move(running_);
}

void Recordings::note_step(const World& world) {
  if (!running_) return;
  if (running_->epoch() != world.epoch()) {
    tell_(event_message("warning", "recording_ended", world.step(),
                        "the recording ended because the model changed", "record again"));
    return end(world);
  }
  if (!running_->frame(world)) end(world);
}

Outcome<Download> Recordings::download() const {
  if (running_) return {{}, {"busy", "the recording still runs", {}, {}, "end it first"}};
  if (!ended_) return {{}, {"not_supported", "nothing was recorded", {}, {}, "record first"}};
  return ended_->download();
}

}  // namespace pliant::view
