// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/geometry/stray_parts.hpp"
#include "pliant/io/point_cache.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/read_mesh.hpp"

namespace pliant {
namespace {

namespace fs = std::filesystem;

struct Files {
  fs::path pc2, mdd, rest;
  std::map<long, fs::path> obj, ply;  // by frame number
};

bool all_digits(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

std::map<std::string, Files> find_files(const fs::path& folder) {
  std::map<std::string, Files> bodies;
  std::map<std::string, fs::path> plain;  // BODY.obj
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    const std::string stem = path.stem().string(), extension = path.extension().string();
    if (extension == ".pc2") bodies[stem].pc2 = path;
    if (extension == ".mdd") bodies[stem].mdd = path;
    if (extension != ".obj" && extension != ".ply") continue;
    const std::size_t mark = stem.rfind('_');
    const std::string number = mark == std::string::npos ? "" : stem.substr(mark + 1);
    if (number.size() >= 4 && number.size() <= 9 && all_digits(number)) {
      Files& files = bodies[stem.substr(0, mark)];
      (extension == ".obj" ? files.obj : files.ply)[std::atol(number.c_str())] = path;
    } else if (extension == ".obj") {
      plain[stem] = path;
    }
  }
  for (auto& [name, files] : bodies)
    if (const auto rest = plain.find(name); rest != plain.end()) files.rest = rest->second;
  return bodies;
}

Error wrong(const fs::path& file, std::string found, std::string expected, std::string hint = {}) {
  return Error{file.string(), {{"", std::move(found), std::move(expected), std::move(hint)}}};
}

Result<Points> checked(Points points, std::size_t vertices, const fs::path& file, int frame) {
  if (points.size() != vertices)
    return wrong(file, fmt::format("{} vertices", points.size()),
                 fmt::format("{} as in the rest surface", vertices));
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite())
      return Error{
          file.string(),
          {{fmt::format("frame {}, vertex {}", frame, i), "a position that is not finite", "numbers", ""}}};
  return points;
}

struct Track {
  SurfaceTrack surface;
  int frames = 0;
  std::vector<double> times;
};

Result<Track> cached_track(const std::string& name, const Files& files) {
  const fs::path& file = files.pc2.empty() ? files.mdd : files.pc2;
  if (files.rest.empty())
    return wrong(file, "no " + name + ".obj beside it", "the rest surface that the cache plays on");
  Result<TriMesh> rest = read_mesh(files.rest);
  if (!rest) return rest.error();
  Result<PointCache> cache = files.pc2.empty() ? read_mdd(file) : read_pc2(file);
  if (!cache) return cache.error();
  Track track{{name, rest->triangles, rest->vertices, {}}, int(cache->frames), {}};
  track.times.assign(cache->times.begin(), cache->times.end());
  const auto shared = std::make_shared<PointCache>(std::move(*cache));
  const std::size_t vertices = rest->vertices.size();
  track.surface.shape = [=](int frame) {
    return checked(shared->points(std::size_t(frame)), vertices, file, frame);
  };
  return track;
}

Result<Track> listed_track(const std::string& name, const Files& files) {
  std::vector<fs::path> list;
  for (const auto& [number, path] : files.obj.empty() ? files.ply : files.obj) list.push_back(path);
  // Without a rest surface the first frame stands for it.
  Result<TriMesh> rest = read_mesh(files.rest.empty() ? list.front() : files.rest);
  if (!rest) return rest.error();
  Track track{{name, rest->triangles, rest->vertices, {}}, int(list.size()), {}};
  const std::size_t vertices = rest->vertices.size();
  track.surface.shape = [list, vertices](int frame) -> Result<Points> {
    const fs::path& file = list[std::size_t(frame)];
    Result<TriMesh> mesh = read_mesh(file);
    if (!mesh) return mesh.error();
    return checked(std::move(mesh->vertices), vertices, file, frame);
  };
  return track;
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) out.push_back(cell);
  return out;
}

/// Times of the frames, ascending, from the columns "frame" and "time".
Result<std::vector<double>> read_times(const fs::path& file) {
  Result<std::string> text = read_file(file);
  if (!text) return text.error();
  std::stringstream lines(*text);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> head = cells(line);
  const auto column = [&](const char* name) {
    return std::size_t(std::find(head.begin(), head.end(), name) - head.begin());
  };
  const std::size_t frame = column("frame"), time = column("time");
  if (frame == head.size() || time == head.size())
    return wrong(file, "the first line \"" + line + "\"", "columns frame and time");
  std::map<long, double> times;
  for (int row = 2; std::getline(lines, line); ++row) {
    const std::vector<std::string> values = cells(line);
    if (values.size() <= std::max(frame, time))
      return Error{file.string(),
                   {{fmt::format("line {}", row), "\"" + line + "\"", "a frame and a time", ""}}};
    times[std::atol(values[frame].c_str())] = std::atof(values[time].c_str());
  }
  std::vector<double> out;
  for (const auto& [number, seconds] : times) out.push_back(seconds);
  return out;
}

Vec3 vector_of(const nlohmann::json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

/// Nine numbers of the rotation by rows, then three of the translation.
RigidPlace place_of(const nlohmann::json& json) {
  RigidPlace place;
  for (int i = 0; i < 9; ++i) place.rotation(i / 3, i % 3) = json.at(std::size_t(i)).get<double>();
  for (int i = 0; i < 3; ++i) place.translation[i] = json.at(std::size_t(9 + i)).get<double>();
  return place;
}

Result<ColliderTrack> collider_of(const nlohmann::json& json, const fs::path& folder) {
  ColliderTrack track;
  track.name = json.at("name").get<std::string>();
  for (const nlohmann::json& place : json.at("places")) track.places.push_back(place_of(place));
  if (track.places.empty()) track.places.emplace_back();
  track.plane = json.at("kind") == "plane";
  if (track.plane) {
    track.point = vector_of(json.at("point"));
    track.normal = vector_of(json.at("normal"));
    return track;
  }
  Result<TriMesh> surface = read_mesh(folder / json.at("file").get<std::string>());
  if (!surface) return surface.error();
  track.surface = std::move(*surface);
  return track;
}

Result<std::vector<ColliderTrack>> read_colliders(const fs::path& file) {
  Result<std::string> text = read_file(file);
  if (!text) return text.error();
  std::vector<ColliderTrack> tracks;
  try {
    const nlohmann::json list = nlohmann::json::parse(*text).at("colliders");
    for (const nlohmann::json& json : list) {
      Result<ColliderTrack> track = collider_of(json, file.parent_path());
      if (!track) return track.error();
      tracks.push_back(std::move(*track));
    }
  } catch (const nlohmann::json::exception& error) {
    return wrong(file, error.what(), "what `pliant run` writes");
  }
  return tracks;
}

}  // namespace

SurfaceTrack with_points_as_balls(SurfaceTrack track) {
  if (!track.triangles.empty() || track.rest.empty()) return track;
  const double radius = 0.7 * median_nearest(track.rest);  // they hide what is behind
  const auto corners = [radius](const Points& points) {
    Points out;
    for (const Vec3& p : points)
      for (int side = 0; side < 6; ++side)
        out.push_back(p + (side % 2 == 0 ? -radius : radius) * Vec3::Unit(side / 2));
    return out;
  };
  for (Index p = 0; p < Index(track.rest.size()); ++p)
    for (int eighth = 0; eighth < 8; ++eighth) {
      const Index x = 6 * p + (eighth & 1), y = 6 * p + 2 + (eighth >> 1 & 1), z = 6 * p + 4 + (eighth >> 2);
      const bool right = ((eighth & 1) + (eighth >> 1 & 1) + (eighth >> 2)) % 2 == 1;
      track.triangles.push_back(right ? Triangle{x, y, z} : Triangle{x, z, y});
    }
  track.rest = corners(track.rest);
  track.shape = [points = std::move(track.shape), corners](int frame) -> Result<Points> {
    Result<Points> x = points(frame);
    if (!x) return x;
    return corners(*x);
  };
  return track;
}

Result<Sequence> read_run(const fs::path& folder) {
  const fs::path frames = fs::is_directory(folder / "frames") ? folder / "frames" : folder;
  Sequence sequence;
  std::vector<Problem> problems;
  for (const auto& [name, files] : find_files(frames)) {
    const bool cached = !files.pc2.empty() || !files.mdd.empty();
    Result<Track> track = cached ? cached_track(name, files) : listed_track(name, files);
    if (!track) return track.error();
    if (!sequence.bodies.empty() && track->frames != sequence.frames)
      problems.push_back({name, fmt::format("{} frames", track->frames),
                          fmt::format("{} as body {} has", sequence.frames, sequence.bodies[0].name), ""});
    sequence.frames = track->frames;
    if (!track->times.empty()) sequence.times = track->times;
    sequence.bodies.push_back(with_points_as_balls(std::move(track->surface)));
  }
  if (!problems.empty()) return Error{frames.string(), problems};
  if (sequence.bodies.empty() || sequence.frames == 0)
    return wrong(frames, "no frames", "BODY.obj with BODY.pc2 or BODY.mdd, BODY_0000.obj or BODY_0000.ply",
                 "pliant run SCENE --format pc2 writes them");

  const fs::path colliders = frames / ".." / "colliders" / "colliders.json";
  if (fs::exists(colliders)) {
    Result<std::vector<ColliderTrack>> tracks = read_colliders(colliders);
    if (!tracks) return tracks.error();
    sequence.colliders = std::move(*tracks);
  }
  const fs::path beside = folder / "metrics.csv", above = frames / ".." / "metrics.csv";
  const fs::path metrics = fs::exists(beside) ? beside : above;
  if (fs::exists(metrics)) {
    Result<std::vector<double>> times = read_times(metrics);
    if (!times) return times.error();
    if (int(times->size()) != sequence.frames)
      return wrong(metrics, fmt::format("{} frames", times->size()),
                   fmt::format("{} as in {}", sequence.frames, frames.string()),
                   "a run that was cut short? `pliant run --resume` completes it");
    sequence.times = std::move(*times);
  }
  for (std::size_t k = 1; k < sequence.times.size(); ++k)
    if (!(sequence.times[k] > sequence.times[k - 1]))
      return wrong(metrics, fmt::format("time {} after {}", sequence.times[k], sequence.times[k - 1]),
                   "times that grow from frame to frame");
  return sequence;
}

Result<Sequence> read_still(const fs::path& mesh) {
  Result<PolygonMesh> read = read_polygons(mesh);
  if (!read) return read.error();
  leave_out_stray_parts(*read);
  const TriMesh surface{std::move(read->vertices), fan_triangles(*read)};
  Result<Points> points = checked(surface.vertices, surface.vertices.size(), mesh, 0);
  if (!points) return points.error();
  Sequence sequence;
  sequence.frames = 1;
  sequence.times = {0};
  sequence.bodies.push_back(
      with_points_as_balls({mesh.stem().string(), surface.triangles, surface.vertices,
                            [rest = surface.vertices](int) -> Result<Points> { return rest; }}));
  return sequence;
}

}  // namespace pliant
