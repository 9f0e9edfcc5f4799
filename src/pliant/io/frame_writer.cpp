// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/frame_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "pliant/geometry/check_geometry.hpp"
#include "pliant/io/atomic_file.hpp"
#include "pliant/io/frame_spool.hpp"
#include "pliant/io/glb.hpp"
#include "pliant/io/obj.hpp"
#include "pliant/io/ply.hpp"
#include "pliant/io/point_cache.hpp"
#include "pliant/io/text_scan.hpp"
#include "pliant/io/usda.hpp"
#include "pliant/io/vtu.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 7> all_formats = {"obj", "ply", "pc2", "mdd", "glb", "vtu", "usda"};
constexpr std::array<const char*, 5> whole_file_formats = {"pc2", "mdd", "glb", "usda", "pvd"};

bool all_finite(std::span<const Vec3> points) {
  return std::all_of(points.begin(), points.end(), [](const Vec3& p) { return p.allFinite(); });
}

std::string frame_name(const std::string& surface, int frame, std::string_view extension) {
  return fmt::format("{}_{:04}.{}", surface, frame, extension);
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The frame a file of the surface's sequences holds, or nothing.
std::optional<int> frame_of(const fs::path& file, const std::string& surface) {
  const std::string extension = file.extension().string(), stem = file.stem().string();
  if (extension != ".obj" && extension != ".ply" && extension != ".vtu") return std::nullopt;
  if (stem.size() < surface.size() + 5 || !stem.starts_with(surface + "_")) return std::nullopt;
  const std::string_view digits = std::string_view(stem).substr(surface.size() + 1);
  int frame = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), frame);
  if (!all_digits(digits) || code != std::errc()) return std::nullopt;
  return frame;
}

/// Every format and every name that cannot work.
Error check_request(const std::vector<std::string>& formats, const std::vector<SurfaceInfo>& surfaces) {
  Error error{"", {}};
  for (const std::string& format : formats)
    if (std::find(all_formats.begin(), all_formats.end(), format) == all_formats.end())
      error.problems.push_back(
          {"format", in_quotes(format), fmt::format("one of {}", fmt::join(all_formats, ", ")), ""});
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const std::string& name = surfaces[i].name;
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos ||
        name.find('\0') != std::string::npos || name.size() > 200)
      error.problems.push_back({"name", in_quotes(name), "a name that can be a file name", ""});
    for (const std::string& format : formats)
      if (is_cloud(surfaces[i].faces) && (format == "glb" || format == "usda"))
        error.problems.push_back({"format", format + " of " + in_quotes(name) + ", a cloud of points",
                                  "obj, ply, pc2, mdd or vtu", ""});
    for (std::size_t j = 0; j < surfaces.size(); ++j) {
      const std::string& other = surfaces[j].name;
      if (j < i && other == name)
        error.problems.push_back(
            {"name", in_quotes(name) + " twice", "a name of its own for every surface", ""});
      // "bar" frame 1 and the rest surface of "bar_0001" would be one file.
      if (j != i && name.starts_with(other + "_") &&
          all_digits(std::string_view(name).substr(other.size() + 1)))
        error.problems.push_back({"name", in_quotes(name) + " beside " + in_quotes(other),
                                  "names whose frames are not mistaken for each other", ""});
    }
  }
  return error;
}

/// Every corner that does not exist, and numbers that make no frames.
void check_contents(const std::vector<SurfaceInfo>& surfaces, const FrameWriterOptions& options,
                    Error& error) {
  for (const SurfaceInfo& surface : surfaces) {
    for (Problem problem : check_surface(surface)) {
      problem.place = in_quotes(surface.name) + "." + problem.place;
      error.problems.push_back(std::move(problem));
    }
  }
  if (!(options.frames_per_second > 0) || !std::isfinite(options.frames_per_second))
    error.problems.push_back({"frames_per_second", fmt::format("{:g}", options.frames_per_second),
                              "a finite number > 0, 1/s", ""});
  if (options.first_frame < 0)
    error.problems.push_back({"first_frame", std::to_string(options.first_frame), "0 or more", ""});
}

class NoFrames final : public FrameWriter {
 public:
  std::optional<Error> write(int, double, std::span<const std::span<const Vec3>>) override {
    return std::nullopt;
  }
  std::optional<Error> finish() override { return std::nullopt; }
};

class Frames final : public FrameWriter {
 public:
  Frames(const std::vector<std::string>& formats, fs::path folder, std::vector<SurfaceInfo> surfaces,
         const FrameWriterOptions& options)
      : formats_(formats), folder_(std::move(folder)), surfaces_(std::move(surfaces)), options_(options) {
    for (const SurfaceInfo& surface : surfaces_) {
      rest_.push_back(to_floats(surface.rest));
      normals_.emplace_back(surface.faces);
    }
  }

  std::optional<Error> start() {
    std::error_code code;
    fs::create_directories(folder_, code);
    if (code) return file_error(folder_, "a folder that can be created", code.value());
    if (auto error = open_spools()) return error;  // before anything old is removed: it may refuse
    if (auto error = remove_old_files()) return error;
    if (writes_rest())
      for (std::size_t s = 0; s < surfaces_.size(); ++s)
        if (auto error = write_obj(file_of(s, "obj"), rest_[s], surfaces_[s].triangles, surfaces_[s].faces,
                                   normals_[s]))
          return error;
    return restore_sequences();
  }

  std::optional<Error> write(int frame, double time,
                             std::span<const std::span<const Vec3>> positions) override {
    if (auto refused = check_frame(frame, time, positions)) return refused;
    last_ = frame;
    for (std::size_t s = 0; s < surfaces_.size(); ++s) {
      const FloatFrame xyz = to_floats(positions[s]);
      if (auto error = write_sequences(s, {frame, time}, xyz)) return error;
      if (spools_.empty()) continue;
      if (auto error = spools_[s].append({frame, time}, xyz)) return error;
    }
    return std::nullopt;
  }

  std::optional<Error> finish() override {
    if (std::exchange(finished_, true)) return refuse("finish", "a second call", "one call, last");
    std::optional<Error> first;
    const auto note = [&first](std::optional<Error> error) {
      if (!error) return;
      if (!first) {
        first = std::move(error);
        return;
      }
      for (Problem& problem : error->problems) {
        problem.place = error->file + (problem.place.empty() ? "" : ": " + problem.place);
        first->problems.push_back(std::move(problem));
      }
    };
    for (std::size_t s = 0; s < spools_.size(); ++s) {
      FrameSpool& frames = spools_[s];
      if (wants("pc2")) note(write_pc2(file_of(s, "pc2"), frames));
      if (wants("mdd")) note(write_mdd(file_of(s, "mdd"), frames));
      if (wants("glb")) note(write_glb(file_of(s, "glb"), surfaces_[s], frames));
      if (wants("usda"))
        note(write_usda(file_of(s, "usda"), surfaces_[s], frames, options_.frames_per_second));
      if (wants("vtu")) note(write_pvd(file_of(s, "pvd"), collection(s)));
    }
    if (!first && !options_.resumable) remove_spools();  // after a failure they are all that is left
    return first;
  }

 private:
  static Error refuse(std::string place, std::string found, std::string expected) {
    return Error{"", {{std::move(place), std::move(found), std::move(expected), ""}}};
  }

  std::optional<Error> check_frame(int frame, double time,
                                   std::span<const std::span<const Vec3>> positions) const {
    if (finished_) return refuse("frame", "a frame after finish()", "frames before it");
    if (frame < options_.first_frame || frame <= last_)
      return refuse("frame", std::to_string(frame),
                    fmt::format("at least {}: frames ascend", std::max(options_.first_frame, last_ + 1)));
    if (!std::isfinite(time)) return refuse("time", fmt::format("{:g}", time), "a finite time, s");
    if (positions.size() != surfaces_.size())
      return refuse("positions", fmt::format("{} surfaces", positions.size()),
                    fmt::format("{}, as given", surfaces_.size()));
    for (std::size_t s = 0; s < surfaces_.size(); ++s) {
      const std::string place = "positions of " + in_quotes(surfaces_[s].name);
      if (positions[s].size() != surfaces_[s].rest.size())
        return refuse(place, fmt::format("{} entries", positions[s].size()),
                      fmt::format("{}, one a vertex", surfaces_[s].rest.size()));
      if (!all_finite(positions[s]))
        return refuse(place, "a number that is not finite", "finite positions, m");
    }
    return std::nullopt;
  }

  bool wants(std::string_view format) const {
    return std::find(formats_.begin(), formats_.end(), format) != formats_.end();
  }

  bool writes_rest() const { return wants("obj") || wants("pc2") || wants("mdd"); }

  fs::path file_of(std::size_t s, std::string_view extension) const {
    return folder_ / fmt::format("{}.{}", surfaces_[s].name, extension);
  }

  std::optional<Error> open_spools() {
    const bool needed = options_.resumable || options_.first_frame > 0 || wants("pc2") || wants("mdd") ||
                        wants("glb") || wants("usda") || wants("vtu");
    for (std::size_t s = 0; needed && s < surfaces_.size(); ++s) {
      const std::size_t vertices = surfaces_[s].rest.size();
      Result<FrameSpool> spool = options_.first_frame > 0
                                     ? FrameSpool::resume(file_of(s, "spool"), vertices, options_.first_frame)
                                     : FrameSpool::create(file_of(s, "spool"), vertices);
      if (!spool) return spool.error();
      spools_.push_back(std::move(*spool));
    }
    return std::nullopt;
  }

  void remove_spools() {
    for (FrameSpool& spool : spools_) {
      std::error_code ignored;  // a left-over spool harms nobody
      fs::remove(spool.path(), ignored);
    }
  }

  /// Frames and caches an earlier run has left under our names would be taken for ours. A resumed run keeps
  /// the frames before first_frame, and the caches it will replace.
  std::optional<Error> remove_old_files() {
    std::error_code code;
    std::vector<fs::path> old;
    for (fs::directory_iterator it(folder_, code), end; !code && it != end; it.increment(code))
      for (const SurfaceInfo& surface : surfaces_) {
        const std::optional<int> frame = frame_of(it->path(), surface.name);
        if (frame && *frame >= options_.first_frame) old.push_back(it->path());
      }
    for (std::size_t s = 0; s < surfaces_.size(); ++s)
      for (std::string_view extension : whole_file_formats)
        if (options_.first_frame == 0 || !wants(extension == "pvd" ? "vtu" : extension))
          old.push_back(file_of(s, extension));
    for (std::size_t s = 0; s < surfaces_.size(); ++s)
      if (!writes_rest()) old.push_back(file_of(s, "obj"));
    for (const fs::path& path : old)
      if (!code) fs::remove(path, code);
    if (code) return file_error(folder_, "a folder whose old frames can be removed", code.value());
    return std::nullopt;
  }

  /// Frames before first_frame that an earlier run did not write in one of our formats.
  std::optional<Error> restore_sequences() {
    FloatFrame xyz;
    for (std::size_t s = 0; s < spools_.size(); ++s)
      for (std::size_t k = 0; k < spools_[s].stamps().size(); ++k) {
        if (auto error = spools_[s].read(k, xyz)) return error;
        if (auto error = write_sequences(s, spools_[s].stamps()[k], xyz)) return error;
      }
    return std::nullopt;
  }

  std::optional<Error> write_sequences(std::size_t s, const FrameStamp& stamp, std::span<const float> xyz) {
    const SurfaceInfo& surface = surfaces_[s];
    const auto path = [&](std::string_view extension) {
      return folder_ / frame_name(surface.name, stamp.frame, extension);
    };
    if (wants("obj"))
      if (auto error = write_obj(path("obj"), xyz, surface.triangles, surface.faces, normals_[s]))
        return error;
    if (wants("ply"))
      if (auto error = write_ply(path("ply"), xyz, surface.triangles, surface.faces, normals_[s]))
        return error;
    if (wants("vtu"))
      if (auto error = write_vtu(path("vtu"), xyz, rest_[s], surface.triangles, stamp.time, surface.faces))
        return error;
    return std::nullopt;
  }

  std::vector<PvdEntry> collection(std::size_t s) const {
    std::vector<PvdEntry> entries;
    for (const FrameStamp& stamp : spools_[s].stamps())
      entries.push_back({stamp.time, frame_name(surfaces_[s].name, stamp.frame, "vtu")});
    return entries;
  }

  std::vector<std::string> formats_;
  fs::path folder_;
  std::vector<SurfaceInfo> surfaces_;
  FrameWriterOptions options_;
  std::vector<FloatFrame> rest_;
  std::vector<FrameNormals> normals_;
  std::vector<FrameSpool> spools_;  ///< one a surface, or none when no format needs them
  int last_ = -1;                   ///< frame written
  bool finished_ = false;
};

}  // namespace

std::vector<Problem> check_surface(const SurfaceInfo& surface) {
  std::vector<Problem> problems = check_faces(surface.triangles, surface.faces, surface.rest.size());
  if (!all_finite(surface.rest))
    problems.push_back({"rest", "a coordinate that is not finite", "finite positions, m", ""});
  return problems;
}

std::span<const char* const> frame_formats() { return all_formats; }

Result<std::unique_ptr<FrameWriter>> make_frame_writer(const std::vector<std::string>& formats,
                                                       const std::filesystem::path& folder,
                                                       std::vector<SurfaceInfo> surfaces,
                                                       const FrameWriterOptions& options) {
  Error wrong = check_request(formats, surfaces);
  check_contents(surfaces, options, wrong);
  if (!wrong.problems.empty()) return wrong;
  if (formats.empty()) return std::unique_ptr<FrameWriter>(std::make_unique<NoFrames>());
  auto frames = std::make_unique<Frames>(formats, folder, std::move(surfaces), options);
  if (auto error = frames->start()) return *error;
  return std::unique_ptr<FrameWriter>(std::move(frames));
}

}  // namespace pliant
