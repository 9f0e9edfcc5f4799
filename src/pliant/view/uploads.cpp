// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/uploads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <random>

#include "pliant/geometry/point_shape.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/stray_parts.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant::view {
namespace {

namespace fs = std::filesystem;

/// A file name from what a page calls it: its last part, plain characters only.
std::string plain_name(const std::string& name) {
  std::string out;
  for (const char c : name.substr(name.find_last_of("/\\") + 1))
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_' ? c : '_';
  while (!out.empty() && out.front() == '.') out.erase(0, 1);
  return out.size() > 80 ? out.substr(out.size() - 80) : out;
}

bool known_ending(const std::string& name) {
  std::string ending = fs::path(name).extension().string();
  for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
  return ending == ".obj" || ending == ".ply" || ending == ".stl" || ending == ".off" || ending == ".glb";
}

nlohmann::json repairs_of(const PolygonMesh& mesh, const RepairReport& report) {
  nlohmann::json out = mesh.remarks;
  const auto say = [&](Index count, const char* one, const char* many) {
    if (count > 0) out.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  say(report.welded_vertices, "vertex welded to another", "vertices welded to others");
  say(report.unused_vertices, "vertex of no face left out", "vertices of no face left out");
  say(report.degenerate_faces, "face without three corners dropped", "faces without three corners dropped");
  say(report.duplicate_faces, "second copy of a face dropped", "second copies of faces dropped");
  say(report.faces_turned, "face turned", "faces turned");
  say(report.patches_turned, "part turned outward", "parts turned outward");
  say(report.border_loops, "hole left open", "holes left open");
  say(report.non_manifold_edges, "edge of more than two faces", "edges of more than two faces");
  return out;
}

/// Of each method whether it takes a cloud of points.
nlohmann::json methods_of_cloud(const PolygonMesh& cloud) {
  Pool pool(0);
  const std::optional<Error> wrong = cloud_solid(cloud.vertices, cloud.normals, pool).wrong;
  nlohmann::json out = nlohmann::json::object();
  for (const MethodEntry* entry : catalogue()) {
    const bool points = entry->can(entry->defaults, Ability::points);
    nlohmann::json& method = out[entry->name] = {{"ok", points && !wrong}};
    if (!points)
      method["why"] = "needs faces, these are points";
    else if (wrong)
      method["why"] = reason(*wrong);
  }
  return out;
}

/// What a length of 1 in the file may mean: bodies are 5 cm to 20 m large.
nlohmann::json guess_units(double size) {
  if (size >= 0.05 && size <= 20) return {{"units", "m"}, {"scale", 1.0}};
  if (size > 20 && size <= 20000) return {{"units", "mm"}, {"scale", 0.001}};
  return {{"units", "fit"}, {"scale", size > 0 ? 1 / size : 1}};
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    path_ = fs::temp_directory_path() / fmt::format("pliant-view-{:08x}{:08x}", random(), random());
    if (fs::create_directory(path_)) {
      fs::permissions(path_, fs::perms::owner_all);
      return;
    }
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Outcome<nlohmann::json> Uploads::add(const std::string& name, const std::vector<std::byte>& bytes) {
  const std::string plain = plain_name(name);
  if (!known_ending(plain))
    return {
        {},
        {"not_supported", fmt::format("{} is no mesh file", name), "name", {}, "obj, ply, stl, off or glb"}};
  std::string id;
  {
    const std::lock_guard lock(mutex_);
    forget_old();
    id = fmt::format("u{}", ++count_);
  }
  const fs::path folder = folder_ / id, file = folder / plain;
  std::error_code trouble;
  fs::create_directories(folder, trouble);
  {
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
    if (!out.flush()) return {{}, {"internal", "the file cannot be kept: no room or no right to write"}};
  }
  const auto wrong = [&](Error error) {
    fs::remove_all(folder, trouble);
    error.file = plain;
    return Outcome<nlohmann::json>{{}, refusal_of(error, "bad_argument")};
  };
  Result<PolygonMesh> polygons = read_polygons(file);
  if (!polygons) return wrong(polygons.error());
  if (polygons->corner.size() > 3 * most_triangles + 2 * std::size_t(polygons->faces())) {
    fs::remove_all(folder, trouble);
    return {{},
            {"too_large",
             fmt::format("{} has more than {} triangles", plain, most_triangles),
             {},
             {},
             "`pliant prepare` with fewer triangles, or reduce it in a modelling program"}};
  }
  leave_out_stray_parts(*polygons);
  const bool cloud = is_cloud(*polygons);
  const Result<Repaired> repaired = cloud ? Repaired{} : repair(*polygons);
  if (!repaired) return wrong(repaired.error());
  const RepairReport& report = repaired->report;
  const Bounds box = bounds_of(cloud ? polygons->vertices : repaired->mesh.vertices);
  const Vec3 size = box.max - box.min;
  {
    const std::lock_guard lock(mutex_);
    files_[id] = {file, clock_(), false, std::stoi(id.substr(1))};
    forget_old();
  }
  nlohmann::json out{{"upload", id},
                     {"name", plain},
                     {"size", {size.x(), size.y(), size.z()}},
                     {"low", {box.min.x(), box.min.y(), box.min.z()}},
                     {"guess", guess_units(size.norm())}};
  if (cloud)
    out.update({{"points", polygons->vertices.size()}, {"methods", methods_of_cloud(*polygons)}});
  else
    out.update({{"vertices", report.input_vertices},
                {"triangles", repaired->mesh.triangles.size()},
                {"parts", report.components},
                {"watertight", report.closed},
                {"repairs", repairs_of(*polygons, report)}});
  return {std::move(out), {}};
}

fs::path Uploads::file(const std::string& id) {
  const std::lock_guard lock(mutex_);
  forget_old();
  const auto at = files_.find(id);
  if (at == files_.end()) return {};
  at->second.used = true;
  return at->second.path;
}

/// Those that no body is made of: after their time, and the oldest of too many.
void Uploads::forget_old() {
  const auto forget = [&](auto at) {
    std::error_code ignored;
    fs::remove_all(at->second.path.parent_path(), ignored);
    return files_.erase(at);
  };
  const Time now = clock_();
  std::size_t unused = 0;
  for (auto at = files_.begin(); at != files_.end();) {
    const bool old = !at->second.used && now - at->second.since >= kept_for;
    unused += !at->second.used && !old;
    at = old ? forget(at) : std::next(at);
  }
  for (; unused > most_kept; --unused) {
    auto oldest = files_.end();
    for (auto at = files_.begin(); at != files_.end(); ++at)
      if (!at->second.used && (oldest == files_.end() || at->second.number < oldest->second.number))
        oldest = at;
    forget(oldest);
  }
}

}  // namespace pliant::view
