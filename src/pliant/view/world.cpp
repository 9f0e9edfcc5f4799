// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/world.hpp"

#include "pliant/scene/build_bonds.hpp"

#include <fmt/format.h>

#include "pliant/physics/metrics.hpp"
#include "pliant/view/method_facts.hpp"

namespace pliant::view {

namespace {

/// The message names the cause; a shorter step is advised where the cause is about the step.
std::string advice_for(const StepFailure& failure, double h) {
  return failure.cause.find("step") == std::string::npos
             ? "Take back the last change, or reset"
             : fmt::format("Try timestep <= {:.2g}, then reset", h / 2);
}

}  // namespace

World::World(WorldOptions options) : options_(std::move(options)) {
  forget_scene();
  first_.document = scene_;
}

// ---- edits -----------------------------------------------------------------------------------------------

void World::edit_holds(int body, const std::string& label, const std::string& gesture,
                       const std::function<void(BodyHolds&)>& edit) {
  const std::string& name = this->body(body).name();
  BodyHolds after = holds(body);
  edit(after);
  Edit entry;
  entry.label = label;
  entry.gesture = gesture;
  entry.holds_before[name] = holds(body);
  entry.holds_after[name] = after;
  this->body(body).set_holds(after.placed());
  holds_[name] = std::move(after);
  touched();
  remember(std::move(entry));
}

void World::remember(Edit edit) {
  edit.before = edit.after = scene_;
  history_.add(std::move(edit));
  tell_history();
}

void World::structure_changed() {
  ++epoch_;
  happenings_.push_back({Happening::Kind::scene, {}});
}

void World::tell_history() {
  Json message = history_.json();
  message["type"] = "history";
  happenings_.push_back({Happening::Kind::history, std::move(message)});
}

void World::log(const Call& call) { log_.add(step_ - first_step_, call.client, call.cmd, call.args); }

std::filesystem::path World::take_upload(const std::string& upload) {
  const std::filesystem::path file = options_.upload ? options_.upload(upload) : std::filesystem::path();
  if (!file.empty()) uploaded_.insert(file.string());
  return file;
}

// ---- time ------------------------------------------------------------------------------------------------

void World::reset() {
  grabs_.clear();
  for (int i = 0; i < bodies(); ++i) {
    Reader reader(piece(i).initial);
    body(i).load(reader);
    BodyHolds& holds = holds_[body(i).name()];
    holds.place_here(body(i));
    body(i).set_holds(holds.placed());
  }
  simulation_->rejoin(true);
  simulation_->restart_clock();
  if (!spec_.bonds.empty()) simulation_->set_bonds(bonds_of(spec_));
  stopped_.reset();
  touched();
}

void World::set_springs() {
  for (int i = 0; i < bodies(); ++i) {
    const std::vector<Grab> springs = grabs_.springs(i);
    const bool any = !springs.empty() || std::as_const(*this).body(i).grabbed();
    if (any) body(i).set_grabs(springs);  // a body that is asleep would wake
  }
}

bool World::advance() {
  if (!needs_advance() || empty()) return false;
  set_springs();
  ++step_;
  if (posing_) return pose_round();
  if (const auto failure = simulation_->step()) {
    stopped_ = Json{{"type", "event"},
                    {"level", "error"},
                    {"code", "diverged"},
                    {"body", failure->body},
                    {"step", step_},
                    {"message", failure->text()},
                    {"advice", advice_for(*failure, simulation_->options().h)}};
    happenings_.push_back({Happening::Kind::event, *stopped_});
  }
  return true;
}

// ---- what is there ---------------------------------------------------------------------------------------

Json World::document() const {
  Json out = scene_;
  write_holds(holds_, out);
  return out;
}

const BodyHolds& World::holds(int body) const { return holds_.at(this->body(body).name()); }

const std::vector<Triangle>& World::faces(int body) const {
  return piece(body).point_spacing > 0 ? piece(body).faces : this->body(body).triangles();
}

Controls World::controls(int body) const {
  return spec(body).entry().controls(spec(body).options(), this->body(body).method());
}

double World::stiffness_of_grab(int body, double softness) const {
  return grab_stiffness(this->body(body), spec(body).entry().stiffness(spec(body).options()),
                        piece(body).size, softness);
}

std::vector<std::byte> World::state() const {
  Writer writer;
  simulation_->save(writer);
  return writer.bytes();
}

std::vector<std::byte> World::state(int body) const {
  Writer writer;
  this->body(body).save(writer);
  return writer.bytes();
}

std::uint64_t World::state_hash() const {
  const std::vector<std::byte> bytes = state();
  return hash_bytes(bytes.data(), bytes.size());
}

}  // namespace pliant::view
