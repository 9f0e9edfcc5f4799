// SPDX-License-Identifier: Apache-2.0
#include "scene_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "collider_track.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "pliant/geometry/skeleton_surface.hpp"
#include "pliant/geometry/tube.hpp"
#include "pliant/methods/inside.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/sim/recorder.hpp"

namespace pliant::cli {
namespace {

/// Surfaces in single precision.
struct Surfaces {
  std::vector<std::vector<std::vector<Eigen::Vector3f>>> bodies;  // body, frame, vertex
  std::vector<std::vector<std::vector<float>>> active;  // likewise; none for methods that cannot tell

  void keep(const Simulation& simulation, bool activity) {
    bodies.resize(simulation.bodies().size());
    active.resize(bodies.size());
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const Points& surface = simulation.bodies()[b].surface();
      std::vector<Eigen::Vector3f>& frame = bodies[b].emplace_back();
      for (const Vec3& p : surface) frame.push_back(p.cast<float>());
      if (!activity) continue;
      std::vector<float> shares(surface.size());
      if (simulation.bodies()[b].method().activity(shares)) active[b].push_back(std::move(shares));
    }
  }
};

void add_tracks(const Simulation& simulation, std::shared_ptr<const Surfaces> kept, Sequence& sequence) {
  for (std::size_t b = 0; b < simulation.bodies().size(); ++b) {
    const Body& body = simulation.bodies()[b];
    sequence.bodies.push_back(with_points_as_balls(
        {body.name(), body.triangles(), body.rest_surface(), [kept, b](int frame) -> Result<Points> {
           Points points;
           for (const Eigen::Vector3f& p : kept->bodies[b][std::size_t(frame)])
             points.push_back(p.cast<double>());
           return points;
         }}));
    if (!kept->active[b].empty())
      sequence.bodies.back().active = [kept, b](int frame) { return kept->active[b][std::size_t(frame)]; };
  }
  for (const Collider& collider : simulation.colliders())
    sequence.colliders.push_back(track_of(collider, sequence.times));
}

HoldMark mark_of(const PlacedHold& placed, double time) {
  HoldMark mark;
  const Motion& motion = placed.hold.motion;
  mark.handle = !motion.keys.empty();
  const Pose pose = motion.at(time);
  for (const Vec3& start : placed.start)
    mark.points.push_back(placed.centre + pose.rotation * (start - placed.centre).cwiseProduct(placed.scale) +
                          pose.translation);
  constexpr int pieces = 24;
  for (int k = 0; mark.handle && k <= pieces; ++k)
    mark.path.push_back(placed.centre + motion.at(time * k / pieces).translation);
  return mark;
}

Moment moment_of(const Scene& scene, const Recorder& recorder) {
  Moment out;
  const double time = scene.simulation.time();
  const auto& bodies = scene.simulation.bodies();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodySpec& spec = scene.spec.bodies[b];
    const Controls controls = spec.entry().controls(spec.options(), bodies[b].method());
    if (controls.cage) out.cages.push_back({drawn_edges(*controls.cage->rest), controls.cage->vertices});
    const Inside inside = inside_of(bodies[b].method());
    if (controls.skeleton) {
      const double radius = shown_bone_radius(*controls.skeleton);
      TriMesh& bones = out.bones.emplace_back();
      if (inside.rod.empty())
        bones = skeleton_surface(*controls.skeleton, controls.skeleton->pose(time), radius);
      for (const auto& [from, to] : inside.rod) add_tube(from, to, (to - from).normalized(), radius, bones);
    }
    if (inside.inverted)
      out.inverted.insert(out.inverted.end(), inside.inverted->begin(), inside.inverted->end());
    for (const PlacedHold& hold : bodies[b].holds())
      if (time <= hold.hold.release) out.holds.push_back(mark_of(hold, time));
  }
  const auto first = std::find_if(recorder.rows().rbegin(), recorder.rows().rend(),
                                  [](const MetricsRow& row) { return row.body == 0; });
  out.metrics["time"] = time;
  for (std::size_t c = 0; c < recorder.columns().size(); ++c)
    out.metrics[recorder.columns()[c]] = first->cells[c];
  return out;
}

void step_frame(Scene& scene, const InterruptGuard& interrupt, Recorder* recorder) {
  for (int s = 0; s < scene.spec.substeps; ++s) {
    if (interrupt.asked()) throw Interrupted{};
    if (const auto failure = scene.simulation.step())
      throw RunError("the simulation failed: " + failure->text());
    if (recorder) recorder->note_step(scene.simulation);
  }
  for (const Body& body : scene.simulation.bodies())
    if (!all_finite(body.method().nodes()))
      throw RunError(fmt::format("body {}, step {}: diverged, a position is not a number", body.name(),
                                 scene.simulation.steps()));
}

}  // namespace

Record record(Scene& scene, const RecordPlan& plan) {
  Record out;
  const auto kept = std::make_shared<Surfaces>();
  std::optional<Recorder> recorder;
  if (plan.moments) recorder.emplace(scene.simulation, scene.probes);
  const InterruptGuard interrupt;
  for (int frame = 0; int(out.sequence.times.size()) < int(plan.frames.size()); ++frame) {
    if (frame == plan.frames[out.sequence.times.size()]) {
      kept->keep(scene.simulation, plan.activity);
      out.sequence.times.push_back(scene.simulation.time());
      if (recorder) {
        recorder->note_frame(scene.simulation, frame);
        out.moments.push_back(moment_of(scene, *recorder));
      }
    }
    if (frame == plan.frames.back()) break;
    step_frame(scene, interrupt, recorder ? &*recorder : nullptr);
    plan.stepped();
  }
  out.sequence.frames = int(out.sequence.times.size());
  add_tracks(scene.simulation, kept, out.sequence);
  return out;
}

Record record_mode(Scene& scene, int mode, double amplitude) {
  for (int b = 0; b < int(scene.simulation.bodies().size()); ++b) {
    const BodySpec& spec = scene.spec.bodies[std::size_t(b)];
    Method& method = scene.simulation.body(b).method();
    const Inside inside = inside_of(method);
    if (mode > int(inside.functions.size()))
      throw InputError(fmt::format("mode: found {}, expected {} for body {}", mode,
                                   inside.functions.empty() ? "a scene in reduced space"
                                                            : fmt::format("1 .. {}", inside.functions.size()),
                                   spec.name));
    const std::vector<double>& lift = inside.functions[std::size_t(mode - 1)];
    // The largest value is lifted up, whatever the sign of the function.
    double most = 0;
    for (const double value : lift)
      if (std::abs(value) > std::abs(most)) most = value;
    Points x = method.nodes().x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i].y() += amplitude * lift[i] / most;
    method.place(x, Points(x.size(), Vec3::Zero()));
  }
  return record(scene, {.frames = {0}, .moments = true});
}

}  // namespace pliant::cli
