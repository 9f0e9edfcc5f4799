// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/recorder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "pliant/physics/metrics.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/sim/contact_forces.hpp"

namespace pliant {
namespace {

constexpr double empty_cell = std::numeric_limits<double>::quiet_NaN();

Vec3 mean_place(const Probe& probe, const Simulation& simulation) {
  if (probe.nodes.empty()) return Vec3::Constant(empty_cell);
  const Points& x = simulation.bodies()[std::size_t(probe.body)].method().nodes().x;
  Vec3 sum = Vec3::Zero();
  for (const Index i : probe.nodes) sum += x[std::size_t(i)];
  return sum / double(probe.nodes.size());
}

void append(std::vector<double>& cells, const Vec3& v) { cells.insert(cells.end(), v.data(), v.data() + 3); }

/// Contact in the last step; without colliders it makes no sense.
void append_contact(std::vector<double>& cells, const StepReport& report, bool known) {
  const auto cell = [&](double value) { cells.push_back(known ? value : empty_cell); };
  cell(report.contacts);
  cell(report.contact_sweeps);
  cell(report.contact_residual);
  cell(report.penetration);
  for (int c = 0; c < 3; ++c) cell(report.contact_impulse[c]);
}

/// Something holds the body besides contacts: nodes, bones, a grab or a bond.
bool is_held(const Simulation& simulation, int index) {
  const Body& body = simulation.bodies()[std::size_t(index)];
  return body.held_at(simulation.time()) || body.grabbed() || body.method().driven_until() ||
         std::ranges::any_of(simulation.bonds(),
                             [&](const Bond& bond) { return bond.body == index || bond.other == index; });
}

/// What is wrong with the probe.
std::optional<Problem> problem_of(const Probe& probe, const std::string& place,
                                  const Simulation& simulation) {
  const std::vector<Body>& bodies = simulation.bodies();
  if (probe.body < 0 || std::size_t(probe.body) >= bodies.size())
    return Problem{
        place + ".body", std::to_string(probe.body), fmt::format("a body below {}", bodies.size()), {}};
  const std::size_t nodes = bodies[std::size_t(probe.body)].method().nodes().x.size();
  if (probe.nodes.empty()) return Problem{place + ".nodes", "none", "at least one node", {}};
  for (const Index node : probe.nodes)
    if (node < 0 || std::size_t(node) >= nodes)
      return Problem{
          place + ".nodes", fmt::format("node {}", node), fmt::format("nodes below {}", nodes), {}};
  return std::nullopt;
}

}  // namespace

std::vector<std::string> metric_columns(const std::vector<std::string>& probes) {
  std::vector<std::string> columns{"step_ms",
                                   "kinetic",
                                   "elastic",
                                   "volume_ratio",
                                   "momentum_x",
                                   "momentum_y",
                                   "momentum_z",
                                   "angular_x",
                                   "angular_y",
                                   "angular_z",
                                   "max_speed",
                                   "min_x",
                                   "min_y",
                                   "min_z",
                                   "max_x",
                                   "max_y",
                                   "max_z",
                                   "inverted",
                                   "active_rotations",
                                   "kept_rotations",
                                   "contacts",
                                   "contact_sweeps",
                                   "contact_residual",
                                   "penetration",
                                   "contact_impulse_x",
                                   "contact_impulse_y",
                                   "contact_impulse_z",
                                   "yields",
                                   "breakdowns",
                                   "violent",
                                   "iterations",
                                   "shortened",
                                   "potential",
                                   "total",
                                   "mass",
                                   "center_x",
                                   "center_y",
                                   "center_z",
                                   "reaction_x",
                                   "reaction_y",
                                   "reaction_z"};
  for (const std::string& probe : probes)
    for (const char* part : {"_x", "_y", "_z", "_dx", "_dy", "_dz"}) columns.push_back(probe + part);
  return columns;
}

Recorder::Recorder(const Simulation& simulation, std::vector<Probe> probes)
    : probes_(std::move(probes)),
      hashes_(simulation.bodies().size(), hash_seed),
      largest_(simulation.bodies().size()),
      step_ms_(simulation.bodies().size()),
      first_of_frame_(simulation.bodies().size(), 0),
      shortened_(simulation.bodies().size(), 0),
      reactions_(simulation.bodies().size()) {
  for (std::size_t b = 0; b < reactions_.size(); ++b) reactions_[b].begin(simulation.bodies()[b]);
  std::vector<std::string> names;
  for (std::size_t p = 0; p < probes_.size(); ++p) {
    Probe& probe = probes_[p];
    if (auto problem = problem_of(probe, fmt::format("probes.{}", p), simulation)) {
      problems_.push_back(std::move(*problem));
      probe.nodes.clear();
    }
    names.push_back(probe.name);
    probe_starts_.push_back(mean_place(probe, simulation));
  }
  columns_ = metric_columns(names);
}

void Recorder::note_stops(const Simulation& simulation) {
  for (const Stop& stop : simulation.stops()) {
    const auto known = std::find_if(stops_.begin(), stops_.end(), [&](const StopNote& note) {
      return note.first == stop.first && note.second == stop.second &&
             (note.missing > 0) == (stop.missing > 0);
    });
    if (known != stops_.end()) {
      ++known->steps;
      known->missing = std::max(known->missing, stop.missing);
      continue;
    }
    stops_.push_back({.first = stop.first,
                      .second = stop.second,
                      .step = simulation.steps(),
                      .steps = 1,
                      .time = simulation.time(),
                      .place = stop.place,
                      .missing = stop.missing});
  }
}

void Recorder::note_step(const Simulation& simulation) {
  check_bodies(simulation);
  largest_normal_forces(simulation, forces_);
  note_stops(simulation);
  for (std::size_t b = 0; b < step_ms_.size(); ++b) {
    const Body& body = simulation.bodies()[b];
    step_ms_[b].push_back(float(body.report().ms.total));
    shortened_[b] = std::max(shortened_[b], body.report().shortened);
    reactions_[b].note_step(body);
    if (forces_[b] > largest_[b].force) largest_[b] = {forces_[b], simulation.time()};
  }
}

std::vector<double> Recorder::measure(const Simulation& simulation, int body) const {
  const Body& of = simulation.bodies()[std::size_t(body)];
  const NodeState& nodes = of.method().nodes();
  const std::vector<float>& times = step_ms_[std::size_t(body)];
  const std::size_t first = first_of_frame_[std::size_t(body)];
  const bool stepped = times.size() > first;
  double spent = 0;
  for (std::size_t s = first; s < times.size(); ++s) spent += times[s];

  std::vector<double> cells;
  cells.reserve(columns_.size());
  cells.push_back(stepped ? spent / double(times.size() - first) : empty_cell);
  const double kinetic = kinetic_energy(nodes), elastic = of.method().elastic_energy();
  cells.push_back(kinetic);
  cells.push_back(elastic);
  cells.push_back(of.volume_ratio().value_or(empty_cell));
  append(cells, linear_momentum(nodes));
  append(cells, angular_momentum(nodes));
  cells.push_back(max_speed(nodes));
  const Bounds bounds = bounds_of(of.surface());
  append(cells, bounds.min);
  append(cells, bounds.max);
  const std::optional<int> inverted = of.method().inverted_cells();
  cells.push_back(inverted ? double(*inverted) : empty_cell);
  const int active = of.report().active_rotations;
  cells.push_back(stepped && active >= 0 ? double(active) : empty_cell);
  const int kept = of.report().kept_rotations;
  cells.push_back(stepped && kept >= 0 ? double(kept) : empty_cell);
  append_contact(cells, of.report(), stepped && (!simulation.colliders().empty() || of.report().rounds > 0));
  const int yields = of.report().yields;
  cells.push_back(stepped && yields >= 0 ? double(yields) : empty_cell);
  const int breakdowns = of.report().breakdowns;
  cells.push_back(stepped && breakdowns >= 0 ? double(breakdowns) : empty_cell);
  cells.push_back(stepped ? double(of.report().violent) : empty_cell);
  cells.push_back(stepped ? double(of.report().iterations) : empty_cell);
  cells.push_back(stepped ? shortened_[std::size_t(body)] : empty_cell);
  const double mass = total_mass(nodes);
  const Vec3 centre = centre_of_mass(nodes);
  const double potential = -mass * simulation.options().gravity.dot(centre);
  cells.push_back(potential);
  cells.push_back(kinetic + elastic + potential);
  cells.push_back(mass);
  append(cells, centre);
  const bool held = stepped && is_held(simulation, body);
  append(cells, held ? reactions_[std::size_t(body)].mean(of) : Vec3(Vec3::Constant(empty_cell)));
  for (std::size_t p = 0; p < probes_.size(); ++p) {
    const bool ours = probes_[p].body == body;
    const Vec3 place = ours ? mean_place(probes_[p], simulation) : Vec3::Constant(empty_cell);
    append(cells, place);
    append(cells, place - probe_starts_[p]);
  }
  return cells;
}

void Recorder::note_frame(const Simulation& simulation, int frame) {
  check_bodies(simulation);
  for (int b = 0; b < int(hashes_.size()); ++b) {
    rows_.push_back({frame, simulation.time(), b, measure(simulation, b)});
    hashes_[b] = frame_hash(simulation.bodies()[std::size_t(b)].surface(), hashes_[b]);
    first_of_frame_[b] = step_ms_[b].size();
    shortened_[std::size_t(b)] = 0;
    reactions_[std::size_t(b)].begin(simulation.bodies()[std::size_t(b)]);
  }
}

StepStatistics Recorder::statistics(int body) const {
  std::vector<float> sorted = step_ms_[checked(body)];
  if (sorted.empty()) return {};
  std::sort(sorted.begin(), sorted.end());
  const auto quantile = [&](double q) {
    return double(sorted[std::min(sorted.size() - 1, std::size_t(q * double(sorted.size())))]);
  };
  return {sorted.size(), double(sorted.front()), quantile(0.5), quantile(0.95)};
}

std::string Recorder::csv(const Simulation& simulation) const {
  check_bodies(simulation);
  std::string text = fmt::format("frame,time,body,{}\n", fmt::join(columns_, ","));
  for (const MetricsRow& row : rows_) {
    const std::string& name = simulation.bodies()[std::size_t(row.body)].name();
    fmt::format_to(std::back_inserter(text), "{},{},{}", row.frame, row.time, name);
    for (const double cell : row.cells)
      std::isnan(cell) ? text += "," : (fmt::format_to(std::back_inserter(text), ",{}", cell), text);
    text += "\n";
  }
  return text;
}

void Recorder::save(Writer& writer) const {
  writer.array(hashes_);
  writer.array(largest_);
  writer.array(stops_);
  writer.array(reactions_);
  writer.value(std::uint64_t(rows_.size()));
  for (const MetricsRow& row : rows_) {
    writer.value(row.frame);
    writer.value(row.time);
    writer.value(row.body);
    writer.array(row.cells);
  }
  for (const std::vector<float>& times : step_ms_) {
    writer.value(std::uint64_t(times.size()));
    writer.array(times);
  }
}

bool Recorder::load(Reader& reader) {
  reader.array(hashes_);
  reader.array(largest_);
  reader.list(stops_);
  reader.array(reactions_);
  std::uint64_t rows = 0;
  reader.value(rows);
  rows_.clear();
  for (std::uint64_t r = 0; reader.ok() && r < rows; ++r) {
    MetricsRow row;
    row.cells.resize(columns_.size());
    reader.value(row.frame);
    reader.value(row.time);
    reader.value(row.body);
    reader.array(row.cells);
    if (reader.ok() && (row.body < 0 || std::size_t(row.body) >= hashes_.size())) return false;
    rows_.push_back(std::move(row));
  }
  for (std::size_t b = 0; reader.ok() && b < step_ms_.size(); ++b) {
    std::uint64_t count = 0;
    reader.value(count);
    reader.list(step_ms_[b]);
    if (!reader.ok() || step_ms_[b].size() != count) return false;
    first_of_frame_[b] = count;
  }
  return reader.ok();
}

}  // namespace pliant
