// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {
namespace {

constexpr double collapsed = 0.3;  // of the volume at rest
constexpr double still = 1e-9;     // kinetic energy over elastic
constexpr double often = 0.1;      // of the frames
constexpr double too_deep = 0.05;  // of the body's size at frame 0
constexpr double for_good = 1;     // s: cells that stay inside out so long do not come back

/// A row of a body and what a metric has there; none where the cells are empty.
struct Extreme {
  int frame = -1;
  double value = 0;
};
std::size_t column_of(const Recorder& recorder, const std::string& metric) {
  const auto& columns = recorder.columns();
  return std::size_t(std::find(columns.begin(), columns.end(), metric) - columns.begin());
}

template <class Before>
Extreme extreme(const Recorder& recorder, int body, const char* metric, const Before& before) {
  const std::size_t column = column_of(recorder, metric);
  Extreme out;
  for (const MetricsRow& row : recorder.rows()) {
    if (row.body != body || std::isnan(row.cells[column])) continue;
    const double value = row.cells[column];
    if (out.frame < 0 || before(value, out.value)) out = {row.frame, value};
  }
  return out;
}
Extreme least(const Recorder& recorder, int body, const char* metric) {
  return extreme(recorder, body, metric, std::less<>());
}
Extreme largest(const Recorder& recorder, int body, const char* metric) {
  return extreme(recorder, body, metric, std::greater<>());
}

/// The last row of a body.
Extreme last(const Recorder& recorder, int body, const char* metric) {
  Extreme out;
  for (const MetricsRow& row : recorder.rows())
    if (row.body == body) out = {row.frame, row.cells[column_of(recorder, metric)]};
  return out;
}

/// How many, and the first.
struct Frames {
  int count = 0, first = -1;
};

/// Whose step broke down and left the body without motion.
Frames standstill(const Recorder& recorder, int body) {
  const auto cell = [&](const MetricsRow& row, const char* metric) {
    return row.cells[column_of(recorder, metric)];
  };
  Frames out;
  for (const MetricsRow& row : recorder.rows()) {
    if (row.body != body || !(cell(row, "breakdowns") > 0 && cell(row, "violent") > 0)) continue;
    if (cell(row, "contacts") > 0) continue;  // it rests on something
    if (!(cell(row, "kinetic") <= still * cell(row, "elastic"))) continue;
    if (out.count++ == 0) out.first = row.frame;
  }
  return out;
}

/// The body began in a collider: it was deepest before it could have moved there.
bool starts_inside(const Recorder& recorder, int body, const Extreme& depth) {
  double speed = 0, before = 0;
  bool first = true;
  for (const MetricsRow& row : recorder.rows()) {
    if (row.body != body) continue;
    if (row.frame == depth.frame)
      return !first && depth.value > 2 * (row.time - before) *
                                         std::max(speed, row.cells[column_of(recorder, "max_speed")]);
    if (!first && row.frame < depth.frame) return false;  // in the first row that tells depths
    speed = row.cells[column_of(recorder, "max_speed")];
    before = row.time;
    first = false;
  }
  return false;
}

/// Whose step was shortened.
Frames stopped_on_the_way(const Recorder& recorder, int body) {
  Frames out;
  for (const MetricsRow& row : recorder.rows())
    if (row.body == body && row.cells[column_of(recorder, "shortened")] > 0)
      if (out.count++ == 0) out.first = row.frame;
  return out;
}

/// Whose step was left unsolved.
Frames unsolved(const Recorder& recorder, int body) {
  const auto cell = [&](const MetricsRow& row, const char* metric) {
    return row.cells[column_of(recorder, metric)];
  };
  Frames out;
  for (const MetricsRow& row : recorder.rows())
    if (row.body == body && cell(row, "breakdowns") > 0)
      if (out.count++ == 0) out.first = row.frame;
  return out;
}

int frames_of(const Recorder& recorder, int body) {
  return int(std::count_if(recorder.rows().begin(), recorder.rows().end(),
                           [&](const MetricsRow& row) { return row.body == body; }));
}

/// For how long, up to the end, some cells were inside out, s.
double folded_for(const Recorder& recorder, int body) {
  const std::size_t column = column_of(recorder, "inverted");
  double since = 0, end = 0;
  bool folded = false;
  for (const MetricsRow& row : recorder.rows()) {
    if (row.body != body) continue;
    const bool now = row.cells[column] > 0;
    if (now && !folded) since = row.time;
    folded = now;
    end = row.time;
  }
  return folded ? end - since : 0;
}

/// A scrambled, squashed or stretched start: what the body goes through on its way back is not its load's work.
bool starts_out_of_shape(const Recorder& recorder, int body, const BodySpec& spec) {
  if (spec.initial.scramble || spec.initial.stretch != Vec3(1, 1, 1)) return true;
  for (const MetricsRow& row : recorder.rows()) {
    if (row.body != body) continue;
    const double volume = row.cells[column_of(recorder, "volume_ratio")];
    return volume < collapsed || volume > 1 / collapsed || row.cells[column_of(recorder, "inverted")] > 0;
  }
  return false;
}

double iterations_of(const Recorder& recorder, int body, int frame) {
  for (const MetricsRow& row : recorder.rows())
    if (row.body == body && row.frame == frame) return row.cells[column_of(recorder, "iterations")];
  return 0;
}

double size_at_start(const Recorder& recorder, int body) {
  double size = 0;
  for (const char* axis : {"x", "y", "z"}) {
    const auto at_start = [&](const std::string& metric) {
      for (const MetricsRow& row : recorder.rows())
        if (row.body == body) return row.cells[column_of(recorder, metric)];
      return 0.0;
    };
    size = std::max(size, at_start(fmt::format("max_{}", axis)) - at_start(fmt::format("min_{}", axis)));
  }
  return size;
}

Remedies remedies_of(const BodySpec& body) { return body.entry().remedies(body.options()); }

/// Of flesh whose rotations come from bones. Rotations that nearly cancel do not stop a cell from turning,
/// but it turns otherwise than its neighbours and ends inside out.
void doubt_bones(const Recorder& recorder, int body, const BodySpec& spec, std::vector<std::string>& out) {
  const Extreme kept = largest(recorder, body, "kept_rotations");
  if (kept.frame < 0) return;
  if (kept.value > 0)
    out.push_back(
        fmt::format("{}: frame {}: {}", spec.name, kept.frame, kept_rotations_text(spec, int(kept.value))));
  const Extreme inverted = last(recorder, body, "inverted");
  if (inverted.value > 0)
    out.push_back(fmt::format(
        "{}: in the last frame ({}) {:.0f} cells are inside out: the bones bend more sharply than flesh of "
        "this width can; take {}",
        spec.name, inverted.frame, inverted.value, remedies_of(spec).bones));
}

/// What has lost its volume under its load, or did not get it back after its start.
void doubt_volume(const Recorder& recorder, int body, const BodySpec& spec, std::vector<std::string>& out) {
  const bool from_start = starts_out_of_shape(recorder, body, spec);
  const Extreme volume =
      from_start ? last(recorder, body, "volume_ratio") : least(recorder, body, "volume_ratio");
  if (volume.frame < 0 || !(volume.value < collapsed)) return;
  const Remedies remedies = remedies_of(spec);
  if (volume.value < -1)  // nothing that is left of it
    out.push_back(fmt::format(
        "{}: its surface is inside out and larger than at rest, as of a body that flew apart (frame {}): {}",
        spec.name, volume.frame, from_start ? remedies.start : "take more substeps, or a stiffer body"));
  else if (from_start)
    out.push_back(fmt::format("{}: it did not find back from its start: {:.2g} of its volume at the end; {}",
                              spec.name, volume.value, remedies.start));
  else
    out.push_back(fmt::format(
        "{}: it collapsed to {:.2g} of its volume (frame {}): too soft for its weight and its speed; raise "
        "{}, or lower density or gravity",
        spec.name, volume.value, volume.frame, remedies.collapse));
}

/// Cells that gave way under a load and keep their fold, or that started with it.
void doubt_folds(const Recorder& recorder, int body, const BodySpec& spec, std::vector<std::string>& out) {
  const double time = folded_for(recorder, body), cells = last(recorder, body, "inverted").value;
  if (!(time >= for_good)) return;
  const Remedies remedies = remedies_of(spec);
  if (starts_out_of_shape(recorder, body, spec))
    out.push_back(fmt::format(
        "{}: it did not find back from its start: {:.0f} cells stayed inside out for the last {:.3g} s; {}",
        spec.name, cells, time, remedies.start));
  else
    out.push_back(fmt::format(
        "{}: {:.0f} cells stayed inside out for the last {:.3g} s: it gave way under its load; raise {}, or "
        "lower density or gravity",
        spec.name, cells, time, remedies.collapse));
}

}  // namespace

std::string kept_rotations_text(const BodySpec& body, int cells) {
  return fmt::format(
      "{} cells kept their last rotation: the bones around them turn so far apart that their rotations "
      "cancel; take {}",
      cells, remedies_of(body).bones);
}

std::string stop_text(const Simulation& simulation, const StopNote& note) {
  const auto name = [&](Index body) { return simulation.bodies()[std::size_t(body)].name(); };
  const std::string where =
      fmt::format("{} and {} in step {} (t = {:.4g} s) at [{:.4g}, {:.4g}, {:.4g}] m", name(note.first),
                  name(note.second), note.step, note.time, note.place.x(), note.place.y(), note.place.z());
  const std::string again = note.steps > 1 ? fmt::format(", and in {} more steps", note.steps - 1) : "";
  if (note.missing > 0)
    return fmt::format("stopped {}: up to {:.2g} of the step is missing{}", where, note.missing, again);
  return fmt::format("crossed: {}{}", where, again);
}

std::vector<std::string> doubts_of(const Scene& scene, const Recorder& recorder) {
  std::vector<std::string> out;
  for (int b = 0; b < int(scene.simulation.bodies().size()); ++b) {
    const std::string& name = scene.simulation.bodies()[std::size_t(b)].name();
    const BodySpec& spec = scene.spec.bodies[std::size_t(b)];
    const Remedies remedies = remedies_of(spec);
    doubt_volume(recorder, b, spec, out);
    doubt_bones(recorder, b, spec, out);
    if (largest(recorder, b, "kept_rotations").frame < 0) doubt_folds(recorder, b, spec, out);
    const Extreme depth = largest(recorder, b, "penetration");
    const double size = size_at_start(recorder, b);
    if (depth.frame >= 0 && depth.value > too_deep * size && starts_inside(recorder, b, depth))
      out.push_back(fmt::format(
          "{}: it starts {:.2g} m inside a collider, {:.0f} % of its size, and is moved out of it, without a "
          "speed of its own: start it farther out (translate of its shape, or initial.translate)",
          name, depth.value, 100 * depth.value / size));
    else if (depth.frame >= 0 && depth.value > too_deep * size)
      out.push_back(fmt::format(
          "{}: it went {:.2g} m into a collider (frame {}), {:.0f} % of its size: contact did not "
          "hold it out; take more substeps{}, or a stiffer body",
          name, depth.value, depth.frame, 100 * depth.value / size, remedies.contact));
    const Frames stopped = stopped_on_the_way(recorder, b);
    if (stopped.count > 0)
      out.push_back(
          fmt::format("{}: in {} frame{} (the first: {}) its surface, or that of a body it touched, would "
                      "have crossed another and was stopped on its way: motion is missing there; take more "
                      "substeps, or leave bodies room between what holds or presses them (handles, pins, "
                      "colliders): which of the two it was is not known",
                      name, stopped.count, stopped.count == 1 ? "" : "s", stopped.first));
    const Frames stood = standstill(recorder, b);
    if (stood.count > 0)
      out.push_back(fmt::format(
          "{}: in {} frame{} (the first: {}) the solver found no step that lowers the energy and the "
          "body stood still; take more substeps, or a stiffer body",
          name, stood.count, stood.count == 1 ? "" : "s", stood.first));
    if (!remedies.unsolved) continue;
    if (const Frames left = unsolved(recorder, b); left.count > often * frames_of(recorder, b))
      out.push_back(
          fmt::format("{}: steps of {} frame{} (first: {}) stopped unconverged after {} iterations; thin "
                      "stiff bodies then bend too slowly: take more substeps{}, or a softer body",
                      name, left.count, left.count == 1 ? "" : "s", left.first,
                      int(iterations_of(recorder, b, left.first)), *remedies.unsolved));
  }
  for (const IndexPair& pair : scene.simulation.crossing_after_step()) {
    const std::string& first = scene.simulation.bodies()[std::size_t(pair.first)].name();
    if (pair.first == pair.second) {
      out.push_back(
          fmt::format("{} passes through itself at the end, and does until it has parted; if it did not at "
                      "the start, it was "
                      "pressed until it touched: take more substeps, or a stiffer body",
                      first));
      continue;
    }
    out.push_back(
        fmt::format("{} and {} overlap at the end, and are still led apart; if they did not overlap at the "
                    "start, they were "
                    "pressed until they touched: take more substeps, or stiffer bodies",
                    first, scene.simulation.bodies()[std::size_t(pair.second)].name()));
  }
  return out;
}

}  // namespace pliant
