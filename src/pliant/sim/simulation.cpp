// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {

std::string StepFailure::text() const {
  if (body < 0) return fmt::format("step {} (t = {:g} s): {}", step, time, cause);
  return fmt::format("body {}, step {} (t = {:g} s): {}", name, step, time, cause);
}

Simulation::Simulation(std::vector<Body> bodies, const SimulationOptions& options,
                       std::vector<Collider> colliders)
    : options_(options),
      bodies_(std::move(bodies)),
      colliders_(std::move(colliders)),
      pool_(options.jobs ? std::make_unique<Pool>(*options.jobs) : std::make_unique<Pool>(options.threads)) {
  join_bodies(std::vector<char>(bodies_.size(), 1));
}

std::vector<Problem> Simulation::problems() const {
  std::vector<Problem> problems;
  const auto add = [&](const char* list, std::size_t index, const std::vector<Problem>& more) {
    for (Problem problem : more) {
      const std::string at = fmt::format("{}.{}", list, index);
      problem.place = problem.place.empty() ? at : at + "." + problem.place;
      problems.push_back(std::move(problem));
    }
  };
  if (!(options_.h > 0) || !std::isfinite(options_.h))
    problems.push_back({"h", fmt::format("{:g}", options_.h), "a finite time step above 0 s", {}});
  if (!options_.gravity.allFinite())
    problems.push_back({"gravity", "a number that is not finite", "three finite numbers, m/s^2", {}});
  for (std::size_t i = 0; i < bodies_.size(); ++i) add("bodies", i, bodies_[i].problems());
  for (std::size_t i = 0; i < colliders_.size(); ++i) add("colliders", i, colliders_[i].problems());
  for (std::size_t i = 0; i < forces_.size(); ++i) add("forces", i, check_force(forces_[i]));
  return problems;
}

PoseResult Simulation::pose(int body, double time, const PoseOptions& options) {
  PoseResult refused;
  if (body < 0 || std::size_t(body) >= bodies_.size())
    refused.trouble = fmt::format("there is no body {}: the simulation has {}", body, bodies_.size());
  else if (const auto wrong = refusal(this->time()))
    refused.trouble = wrong->cause;
  if (!refused.trouble.empty()) return refused;
  const PoseResult result =
      bodies_[std::size_t(body)].pose(time, {options_.gravity, forces_, {}}, options, *pool_);
  if (meets_[std::size_t(body)]) islands_.look_again();
  return result;
}

void Simulation::set_bodies(std::vector<Body> bodies, const std::vector<char>& goes_on) {
  bodies_ = std::move(bodies);
  std::vector<char> starts;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const bool was_here = std::find(here_.begin(), here_.end(), &bodies_[i].method()) != here_.end();
    starts.push_back(!was_here && (i >= goes_on.size() || !goes_on[i]));
  }
  join_bodies(starts);
}

void Simulation::rejoin(bool at_start) {
  join_bodies(std::vector<char>(bodies_.size(), at_start));
  islands_.look_again();
}

void Simulation::set_bonds(std::vector<Bond> bonds) {
  tied_.assign(bodies_.size(), 0);
  for (const Bond& bond : bonds)
    for (const Index body : {bond.body, bond.other})
      if (body >= 0 && body < Index(tied_.size())) tied_[std::size_t(body)] = 1;
  join_bodies(std::vector<char>(bodies_.size(), 0));
  for (Collider& collider : colliders_) collider.aim(time(), time());
  islands_.set_bonds(std::move(bonds), colliders_, time());
}

void Simulation::set_forces(std::vector<WorldForce> forces) {
  islands_.wake_all();
  forces_ = std::move(forces);
  forces_are_fine_ = std::all_of(forces_.begin(), forces_.end(),
                                 [](const WorldForce& force) { return check_force(force).empty(); });
}

void Simulation::set_step_length(double h) {
  if (h == options_.h) return;
  islands_.wake_all();
  since_time_ = time();
  since_step_ = steps_;
  options_.h = h;
}

void Simulation::restart_clock() {
  steps_ = since_step_ = 0;
  since_time_ = 0;
}

void Simulation::save(Writer& writer) const {
  writer.value(steps_);
  writer.value(since_step_);
  writer.value(since_time_);
  writer.value(options_.gravity.x());
  writer.value(options_.gravity.y());
  writer.value(options_.gravity.z());
  writer.value(std::uint64_t(bodies_.size()));
  for (const Body& body : bodies_) body.save(writer);
  islands_.save(writer);
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (islands_.asleep(Index(i))) bodies_[i].save_report(writer);
}

bool Simulation::load(Reader& reader) {
  std::uint64_t count = 0;
  std::int64_t steps = 0, since_step = 0;
  double since_time = 0;
  Vec3 gravity = options_.gravity;
  reader.value(steps);
  reader.value(since_step);
  reader.value(since_time);
  for (int c = 0; c < 3; ++c) reader.value(gravity[c]);
  reader.value(count);
  if (!reader.ok() || count != bodies_.size()) return false;
  for (Body& body : bodies_)
    if (!body.load(reader)) return false;
  join_changed();
  if (!islands_.load(reader)) return false;
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (islands_.asleep(Index(i)) && !bodies_[i].load_report(reader)) return false;
  steps_ = steps;
  since_step_ = since_step;
  since_time_ = since_time;
  options_.gravity = gravity;
  return std::isfinite(since_time) && since_step <= steps;
}

}  // namespace pliant
