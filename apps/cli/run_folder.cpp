// SPDX-License-Identifier: Apache-2.0
#include "run_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "pliant/base/version.hpp"
#include "pliant/contact/collider_surface.hpp"
#include "pliant/io/atomic_file.hpp"
#include "pliant/io/obj.hpp"
#include "pliant/sim/checkpoint.hpp"

namespace pliant::cli {
namespace {

namespace fs = std::filesystem;
using Ordered = nlohmann::ordered_json;

void or_throw(const std::optional<Error>& error) {
  if (error) throw RunError(error->text());
}

std::size_t process_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::size_t(usage.ru_maxrss) * 1024;
}

/// JSON has no NaN: what makes no sense is null.
Ordered number_or_null(double value) { return std::isfinite(value) ? Ordered(value) : Ordered(nullptr); }

Ordered largest_force(const LargestForce& largest) {
  return {{"newtons", largest.force}, {"time", largest.time}};
}

Ordered body_summary(const Body& body, const Recorder& recorder, int index, double setup_ms, bool meets) {
  const MethodDescription method = body.method().describe();
  const StepStatistics steps = recorder.statistics(index);
  const std::optional<double> volume = body.volume_ratio();
  return {{"name", body.name()},
          {"method", method.name},
          {"nodes", method.nodes},
          {"degrees_of_freedom", method.freedoms},
          {"solver", method.solver},
          {"setup_ms", setup_ms},
          {"steps", steps.steps},
          {"step_ms", {{"min", steps.min}, {"median", steps.median}, {"p95", steps.p95}}},
          {"peak_memory_bytes", method.bytes},
          {"largest_normal_force", meets ? largest_force(recorder.largest_force(index)) : Ordered(nullptr)},
          {"final_volume_ratio", volume ? number_or_null(*volume) : Ordered(nullptr)},
          {"frame_hash", fmt::format("{:016x}", recorder.hash(index))}};
}

bool is_frame_file(const fs::path& file) {
  const std::string ending = file.extension().string();
  for (const char* ours :
       {".obj", ".ply", ".pc2", ".mdd", ".glb", ".vtu", ".pvd", ".usda", ".spool", ".part"})
    if (ending == ours) return true;
  return false;
}

Ordered numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

/// Rotation by rows, then translation.
Ordered numbers(const Pose& pose) {
  Ordered out = Ordered::array();
  for (int i = 0; i < 9; ++i) out.push_back(pose.rotation(i / 3, i % 3));
  for (int i = 0; i < 3; ++i) out.push_back(pose.translation[i]);
  return out;
}

/// One a frame, as far as the run is meant to go; one in all for a collider that is still.
Ordered places_of(const Collider& collider, const SceneSpec& spec) {
  Ordered places = Ordered::array();
  for (int frame = 0; frame <= (collider.moves() ? spec.frames : 0); ++frame)
    places.push_back(numbers(collider.pose_at(frame * spec.timestep)));
  return places;
}

Ordered names_of(const Scene& scene, Index first, Index second) {
  const std::vector<Body>& bodies = scene.simulation.bodies();
  return {bodies[std::size_t(first)].name(), bodies[std::size_t(second)].name()};
}

/// Bodies that overlap at the start.
Ordered overlaps_of(const Scene& scene) {
  Ordered out = Ordered::array();
  const std::vector<IndexPair> left = scene.simulation.crossing_after_step();
  for (const Overlap& overlap : scene.overlaps) {
    const bool parted = std::none_of(left.begin(), left.end(), [&](const IndexPair& pair) {
      return pair.first == overlap.first && pair.second == overlap.second;
    });
    out.push_back({{"bodies", names_of(scene, overlap.first, overlap.second)},
                   {"crossings", overlap.crossings},
                   {"inside", overlap.inside},
                   {"depth", overlap.depth},
                   {"place", numbers(overlap.place)},
                   {"parted", parted}});
  }
  return out;
}

Ordered bonds_json(const Scene& scene) {
  Ordered out = Ordered::array();
  for (std::size_t i = 0; i < scene.simulation.bonds().size(); ++i) {
    const Bond& bond = scene.simulation.bonds()[i];
    const BondFacts& facts = scene.simulation.bond_facts()[i];
    out.push_back({{"body", scene.simulation.bodies()[std::size_t(bond.body)].name()},
                   {"to", bond.other >= 0 ? scene.simulation.bodies()[std::size_t(bond.other)].name()
                                          : fmt::format("colliders.{}", bond.collider)},
                   {"points", facts.points},
                   {"broken", facts.broken},
                   {"first_break", facts.broken > 0 ? Ordered(facts.first_break) : Ordered(nullptr)},
                   {"force", facts.force}});
  }
  return out;
}

/// Where bodies were stopped on their way, or came to cross.
Ordered stops_of(const Scene& scene, const Recorder& recorder) {
  Ordered out = Ordered::array();
  for (const StopNote& note : recorder.stops())
    out.push_back({{"bodies", names_of(scene, note.first, note.second)},
                   {"step", note.step},
                   {"time", note.time},
                   {"place", numbers(note.place)},
                   {"steps", note.steps},
                   {"missing", note.missing},
                   {"crossed", !(note.missing > 0)}});
  return out;
}

std::vector<float> single_precision(const Points& points) {
  std::vector<float> xyz;
  for (const Vec3& p : points) xyz.insert(xyz.end(), {float(p.x()), float(p.y()), float(p.z())});
  return xyz;
}

void remove_files(const fs::path& folder, bool (*ours)(const fs::path&)) {
  std::error_code ignored;
  std::vector<fs::path> old;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    if (ours(at->path())) old.push_back(at->path());
  for (const fs::path& file : old) fs::remove(file, ignored);
}

bool is_collider_file(const fs::path& file) {
  return file.extension() == ".obj" || file.filename() == "colliders.json";
}

}  // namespace

void RunFolder::clear_earlier_run() {
  std::error_code ignored;
  if (!fs::exists(path_ / "summary.json", ignored) && !fs::exists(path_ / "checkpoint", ignored)) return;
  for (const char* file : {"metrics.csv", "summary.json", "checkpoint"}) fs::remove(path_ / file, ignored);
  for (const std::string& file : ContactFiles::names()) fs::remove(path_ / file, ignored);
  remove_files(path_ / "frames", is_frame_file);
  remove_files(path_ / "colliders", is_collider_file);
  fs::remove(path_ / "colliders", ignored);  // when nothing else is in it
}

void RunFolder::write_colliders(const Scene& scene) {
  const std::vector<Collider>& colliders = scene.simulation.colliders();
  if (colliders.empty()) return;
  const fs::path folder = path_ / "colliders";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw InputError(fmt::format("-o {}: {}", folder.string(), error.message()));
  Ordered list = Ordered::array();
  for (std::size_t i = 0; i < colliders.size(); ++i) {
    const ColliderShape& shape = colliders[i].shape();
    const std::string name = fmt::format("{}_{}", kind_of(shape), i);
    Ordered about{{"name", name}, {"kind", kind_of(shape)}, {"friction", colliders[i].friction()}};
    if (const auto* plane = std::get_if<PlaneCollider>(&shape)) {
      about["point"] = numbers(plane->point);
      about["normal"] = numbers(plane->normal);
    } else {
      const TriMesh surface = *surface_of(shape);
      about["file"] = name + ".obj";
      or_throw(write_obj(folder / (name + ".obj"), single_precision(surface.vertices), surface.triangles));
    }
    about["places"] = places_of(colliders[i], scene.spec);
    list.push_back(std::move(about));
  }
  or_throw(write_file(folder / "colliders.json", Ordered{{"colliders", list}}.dump() + "\n"));
}

void RunFolder::open(const Scene& scene, int first_frame, bool resumable) {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) throw InputError(fmt::format("-o {}: {}", path_.string(), error.message()));
  if (first_frame == 0) clear_earlier_run();
  write_colliders(scene);
  std::vector<SurfaceInfo> surfaces;
  for (const Body& body : scene.simulation.bodies())
    surfaces.push_back({body.name(), body.triangles(), body.rest_surface(), body.faces()});
  auto writer = make_frame_writer(
      formats_, path_ / "frames", std::move(surfaces),
      {.frames_per_second = 1 / scene.spec.timestep, .first_frame = first_frame, .resumable = resumable});
  if (!writer) throw InputError(writer.error().text());
  frames_ = std::move(*writer);
}

void RunFolder::write_frame(const Scene& scene, int frame) {
  std::vector<std::span<const Vec3>> positions;
  for (const Body& body : scene.simulation.bodies()) positions.emplace_back(body.surface());
  or_throw(frames_->write(frame, scene.simulation.time(), positions));
  if (contacts_) contacts_->write(scene, frame);
}

void RunFolder::open_contacts(const Scene& scene, int first_frame) {
  const bool vtu = std::find(formats_.begin(), formats_.end(), "vtu") != formats_.end();
  if (vtu)
    for (std::size_t b = 0; b < scene.spec.bodies.size(); ++b)
      if (scene.spec.bodies[b].name == "contacts")
        throw InputError(
            fmt::format("bodies.{}.name: found \"contacts\", expected another name: with --contacts its "
                        "files would be those of the contacts",
                        b));
  contacts_.emplace(path_, vtu, first_frame);
}

void RunFolder::finish_contacts(const Scene& scene) {
  if (contacts_) contacts_->finish(scene);
  contacts_.reset();
}

void RunFolder::finish_frames() {
  const std::unique_ptr<FrameWriter> writer = std::move(frames_);
  if (writer) or_throw(writer->finish());
}

void RunFolder::write_metrics(const Scene& scene, const Recorder& recorder) {
  or_throw(write_file(path_ / "metrics.csv", recorder.csv(scene.simulation)));
}

void RunFolder::write_summary(const Scene& scene, const Recorder& recorder, const RunOutcome& outcome) {
  Ordered bodies = Ordered::array(), expectations = Ordered::array();
  for (int b = 0; b < int(scene.simulation.bodies().size()); ++b)
    bodies.push_back(body_summary(scene.simulation.bodies()[std::size_t(b)], recorder, b,
                                  scene.setup_ms(std::size_t(b)),
                                  !scene.simulation.colliders().empty() || scene.simulation.met_others(b)));
  for (const ExpectationResult& result : outcome.expectations)
    expectations.push_back({{"what", result.what},
                            {"expected", result.expected},
                            {"measured", number_or_null(result.measured)},
                            {"met", result.met}});
  Ordered summary{{"scene", scene.name},
                  {"version", version()},
                  {"status", outcome.status},
                  {"threads", scene.simulation.threads()},
                  {"timestep", scene.spec.timestep},
                  {"substeps", scene.spec.substeps},
                  {"frames", outcome.frames},
                  {"formats", formats_},
                  {"process_peak_memory_bytes", process_peak_bytes()},
                  {"bodies", bodies},
                  {"expectations", expectations},
                  {"overlaps", overlaps_of(scene)},
                  {"bonds", bonds_json(scene)},
                  {"shortened", stops_of(scene, recorder)},
                  {"warnings", outcome.warnings}};
  if (!outcome.failure.empty()) summary["failure"] = outcome.failure;
  or_throw(write_file(path_ / "summary.json", summary.dump(2) + "\n"));
}

void RunFolder::write_checkpoint(const Scene& scene, const Recorder& recorder) {
  const std::vector<std::byte> bytes = save_checkpoint(scene.simulation, recorder, scene.fingerprint);
  or_throw(write_file(path_ / "checkpoint",
                      std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
}

int RunFolder::resume(Scene& scene, Recorder& recorder) {
  const fs::path file = path_ / "checkpoint";
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw InputError(fmt::format("{}: there is no checkpoint to resume from (run with --checkpoint N first)",
                                 file.string()));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  const std::string trouble =
      load_checkpoint({data, data + text.size()}, scene.fingerprint, scene.simulation, recorder);
  if (!trouble.empty()) throw InputError(fmt::format("{}: {}", file.string(), trouble));
  return int(scene.simulation.steps() / scene.spec.substeps);
}

std::string RunFolder::listing(bool with_checkpoint) const {
  std::string text = fmt::format("metrics     {}\nsummary     {}\n", (path_ / "metrics.csv").string(),
                                 (path_ / "summary.json").string());
  if (fs::exists(path_ / "contacts.csv"))
    text += fmt::format("contacts    {}\n", (path_ / "contacts.csv").string());
  if (with_checkpoint) text += fmt::format("checkpoint  {}\n", (path_ / "checkpoint").string());
  if (!formats_.empty())
    text += fmt::format("frames      {} ({})\n", (path_ / "frames").string(), fmt::join(formats_, ", "));
  return text;
}

}  // namespace pliant::cli
