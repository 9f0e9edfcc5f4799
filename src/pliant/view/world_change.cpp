// SPDX-License-Identifier: Apache-2.0
// How a world's scene becomes another: planned, and swapped in when everything for it is built.
#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/geometry/point_cloud.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/scene/build_bonds.hpp"
#include "pliant/scene/validate.hpp"
#include "pliant/view/messages.hpp"
#include "pliant/view/method_facts.hpp"
#include "pliant/view/option_list.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {
namespace {

constexpr std::size_t most_spares = 4;
constexpr std::size_t most_refusals = 64;

const Json& bodies_of(const Json& document) {
  static const Json none = Json::array();
  return document.contains("bodies") && document["bodies"].is_array() ? document["bodies"] : none;
}

std::string name_of(const Json& body) { return body.value("name", "body"); }

std::vector<std::byte> state_of(const Body& body) {
  Writer writer;
  body.save(writer);
  return writer.bytes();
}

Piece piece_of(const Body& body, std::shared_ptr<const Shape> shape, std::string key) {
  const Bounds box = bounds_of(body.rest_surface());
  Piece piece{std::move(shape), state_of(body), std::move(key), (box.max - box.min).norm(), {}};
  if (is_cloud(body.faces())) {
    piece.faces = cloud_triangles(body.rest_surface(), body.faces().normals);
    piece.point_spacing = median_nearest(body.rest_surface());
  }
  return piece;
}

/// The body goes on as another of the same nodes was: with its state, or its positions and velocities where
/// the method has another memory.
void go_on_as(const Body& from, Body& to, bool same_method) {
  Writer writer;
  from.method().save(writer);
  Reader reader(writer.bytes());
  const std::vector<std::byte> fresh = state_of(to);
  const bool loaded =
      same_method && to.method().load(reader) && reader.at_end() && all_finite(to.method().nodes());
  if (loaded) return;
  Reader back(fresh);
  to.load(back);
  to.method().place(from.method().nodes().x, from.method().nodes().v);
}

/// The body starts in its rest shape where another is, and moves as that does on average.
void start_where(const Body& from, Body& to) {
  const NodeState &nodes = from.method().nodes(), &rest = to.method().nodes();
  const Vec3 shift = centre_of_mass(nodes) - centre_of_mass(rest);
  const Vec3 velocity = linear_momentum(nodes) / total_mass(nodes);
  Points x = rest.x, v(x.size(), velocity);
  for (Vec3& p : x) p += shift;
  to.method().place(x, v);
}

bool has_handles(const Edit& edit) {
  const auto any = [](const Holds& holds) {
    return std::any_of(holds.begin(), holds.end(), [](const auto& of) { return of.second.handles() > 0; });
  };
  return any(edit.holds_before) || any(edit.holds_after);
}

/// What a method can refuse of a body: its shape, what is selected of it, and the method's own settings.
std::string method_request(const Json& body, const std::string& method) {
  Json asked{{"method", method}};
  for (const std::string& key : {std::string("shape"), std::string("pins"), std::string("handles"), method})
    if (body.contains(key)) asked[key] = body[key];
  return asked.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

int World::index_of(const std::string& name) const {
  const Json& bodies = bodies_of(scene_);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (name_of(bodies[i]) == name) return int(i);
  return -1;
}

std::vector<Grabs::Held> World::held() const {
  std::vector<Grabs::Held> out;
  for (int i = 0; i < bodies(); ++i) out.push_back({body(i).name(), piece(i).shape});
  return out;
}

// ---- planning --------------------------------------------------------------------------------------------

Json World::changed_scene(const SceneChange& change) const {
  if (change.kind == SceneChange::Kind::undo) return history_.undone().before;
  if (change.kind == SceneChange::Kind::redo) return history_.redone().after;
  Json scene = scene_;
  change.edit(scene);
  return scene;
}

Holds World::changed_holds(const SceneChange& change) const {
  Holds holds = holds_;
  holds.erase(change.leaves);
  if (change.kind == SceneChange::Kind::undo)
    for (const auto& [name, of] : history_.undone().holds_before) holds[name] = of;
  if (change.kind == SceneChange::Kind::redo)
    for (const auto& [name, of] : history_.redone().holds_after) holds[name] = of;
  return holds;
}

void World::plan_bodies(Rebuild& rebuild) const {
  const bool whole = rebuild.change.whole.has_value();
  std::vector<std::string> spares;
  for (const Spare& spare : spares_) spares.push_back(spare.piece.key);
  std::size_t kept = 0;
  for (const Json& body : bodies_of(rebuild.target.document)) {
    Rebuild::BodyPlan plan;
    plan.key = build_key(body);
    plan.before = whole ? -1 : index_of(name_of(body));
    kept += plan.before >= 0;
    const auto spare = whole ? spares.end() : std::find(spares.begin(), spares.end(), plan.key);
    if (plan.before >= 0 && piece(plan.before).key == plan.key) {
      plan.source = Rebuild::Source::stays;
    } else if (spare != spares.end()) {
      plan.source = Rebuild::Source::spare;
      spares.erase(spare);
    } else {
      plan.source = Rebuild::Source::built;
    }
    rebuild.bodies.push_back(std::move(plan));
  }
  rebuild.bodies_leave = kept < pieces_.size();
}

Outcome<Rebuild> World::plan(SceneChange change) const {
  Rebuild rebuild;
  try {
    if (change.whole) {
      rebuild.target = *change.whole;
    } else {
      rebuild.target = {changed_scene(change), file_, name_};
      write_holds(changed_holds(change), rebuild.target.document);
    }
  } catch (const Refused& refused) {
    return {{}, refused.refusal};
  }
  if (change.kind == SceneChange::Kind::undo) rebuild.history = history_.undone().serial;
  if (change.kind == SceneChange::Kind::redo) rebuild.history = history_.redone().serial;
  const Json& document = rebuild.target.document;
  const ParsedScene scene = parse(document, rebuild.target.file);
  if (!bodies_of(document).empty()) {
    std::vector<Problem> problems = validate(scene.spec);
    problems.insert(problems.begin(), scene.problems.begin(), scene.problems.end());
    if (!problems.empty())
      return {{},
              refusal_of({rebuild.target.file, problems}, change.whole ? "build_failed" : "bad_argument")};
  }
  rebuild.spec = scene.spec;
  rebuild.colliders =
      change.whole || document.value("colliders", Json::array()) != scene_.value("colliders", Json::array());
  rebuild.change = std::move(change);
  plan_bodies(rebuild);
  return {std::move(rebuild), {}};
}

Outcome<Json> World::build_now(const Rebuild& rebuild) {
  return finish(rebuild, build_parts(rebuild, cache_, options_.threads));
}

Outcome<Json> World::load_now(Target scene) {
  SceneChange load;
  load.whole = std::move(scene);
  const Outcome<Rebuild> rebuild = plan(std::move(load));
  return rebuild ? build_now(*rebuild.value) : Outcome<Json>{{}, rebuild.refusal};
}

// ---- swapping --------------------------------------------------------------------------------------------

void World::forget_scene() {
  simulation_ =
      std::make_unique<Simulation>(std::vector<Body>{}, SimulationOptions{.threads = options_.threads});
  scene_ = Json{{"bodies", Json::array()}};
  file_.clear();
  name_.clear();
  holds_.clear();
  pieces_.clear();
  spares_.clear();
  grabs_.clear();
  history_.clear();
  posing_ = false;
}

Body World::take_new_body(const Rebuild& rebuild, int index, Parts& parts) {
  const Rebuild::BodyPlan& plan = rebuild.bodies[std::size_t(index)];
  const BodySpec& spec = rebuild.spec.bodies[std::size_t(index)];
  if (plan.source == Rebuild::Source::spare) {
    const auto spare =
        std::find_if(spares_.begin(), spares_.end(), [&](const Spare& s) { return s.piece.key == plan.key; });
    PLIANT_CHECK(spare != spares_.end());
    Body body = std::move(spare->body);
    pieces_.push_back(std::move(spare->piece));
    spares_.erase(spare);
    Reader reader(pieces_.back().initial);
    body.load(reader);
    body.set_holds(place_holds(spec, body, *pieces_.back().shape));
    return body;
  }
  const auto made = std::find_if(parts.bodies.begin(), parts.bodies.end(),
                                 [&](const Part& part) { return part.index == index; });
  PLIANT_CHECK(made != parts.bodies.end());
  pieces_.push_back(piece_of(made->body, made->shape, plan.key));
  return std::move(made->body);
}

std::vector<PlacedHold> World::holds_of_new(const Body& body, const Shape& shape,
                                            const Json& built_from) const {
  const BodyHolds& holds = holds_.at(body.name());
  if (holds.same_entries(built_from)) return body.holds();
  Json now = built_from;
  holds.write(now);
  const ParsedScene scene = parse(Json{{"bodies", Json::array({now})}}, file_);
  return place_holds(scene.spec.bodies[0], body, shape);
}

void World::adopt(const Rebuild& rebuild, Parts parts) {
  std::vector<Body> old = simulation_->take_bodies(), bodies;
  std::vector<Piece> old_pieces = std::exchange(pieces_, {});
  std::vector<char> stays(old.size(), 0), goes_on;
  const Json& list = bodies_of(rebuild.target.document);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Rebuild::BodyPlan& plan = rebuild.bodies[i];
    const std::size_t before = std::size_t(plan.before);
    if (plan.source == Rebuild::Source::stays) {
      bodies.push_back(std::move(old[before]));
      pieces_.push_back(std::move(old_pieces[before]));
      stays[before] = 1;
      goes_on.push_back(1);
      continue;
    }
    Body& body = bodies.emplace_back(take_new_body(rebuild, int(i), parts));
    BodyHolds& holds = holds_[body.name()];
    const bool replaces = plan.before >= 0;
    const bool same = replaces && same_nodes(*old_pieces[before].shape, *pieces_.back().shape);
    const bool same_method = replaces && method_of(bodies_of(scene_)[before]) == method_of(list[i]);
    goes_on.push_back(same);
    if (same && body.name() != rebuild.change.leaves) {
      go_on_as(old[before], body, same_method);
      body.set_holds(old[before].holds());
    } else {
      if (!rebuild.change.whole) body.set_holds(holds_of_new(body, *pieces_.back().shape, list[i]));
      if (same)
        go_on_as(old[before], body, same_method);
      else if (replaces && body.holds().empty())
        start_where(old[before], body);
    }
    if (!holds.take_places(body.holds())) body.set_holds(holds.placed());
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (stays[i]) continue;
    if (spares_.size() == most_spares) spares_.erase(spares_.begin());
    spares_.push_back({std::move(old[i]), std::move(old_pieces[i])});
  }
  simulation_->set_bodies(std::move(bodies), goes_on);
  if (parts.colliders) simulation_->set_colliders(std::move(*parts.colliders));
}

void World::apply_spec() {
  simulation_->set_gravity(spec_.gravity);
  simulation_->set_forces(world_forces(spec_.forces));
  simulation_->set_step_length(spec_.step_length());
  simulation_->let_sleep(spec_.sleeping != Sleeping::never);
  for (int i = 0; i < bodies(); ++i) {
    const BodySpec& of = spec(i);
    of.entry().set_live(of.options(), body(i).method(), of.damping);
    body(i).set_contact(contact_of(of, *piece(i).shape));
  }
}

void World::restore(const std::map<std::string, std::vector<std::byte>>& states, const Holds& holds) {
  for (const auto& [name, state] : states) {
    Reader reader(state);
    if (name.empty())
      simulation_->load(reader);
    else if (const int i = index_of(name); i >= 0)
      body(i).load(reader), body(i).set_grabs({});
  }
  for (int i = 0; i < bodies(); ++i) {
    BodyHolds& now = holds_[body(i).name()];
    const auto kept = holds.find(body(i).name());
    if (kept != holds.end()) now = kept->second;
    if (kept != holds.end() || !now.take_places(body(i).holds())) body(i).set_holds(now.placed());
  }
  if (!states.empty() && !states.contains("")) simulation_->rejoin(false);
  if (!states.empty() || !holds.empty()) grabs_.clear();
}

void World::write_history(const Rebuild& rebuild, Edit edit) {
  const SceneChange& change = rebuild.change;
  if (change.kind == SceneChange::Kind::undo) {
    Edit& entry = history_.undone();
    if (entry.states_after.empty() && entry.states_before.contains("")) entry.states_after[""] = state();
    const Edit copy = entry;
    history_.step_back();
    restore(copy.states_before, copy.holds_before);
  } else if (change.kind == SceneChange::Kind::redo) {
    const Edit copy = history_.redone();
    history_.step_forward();
    restore(copy.states_after, copy.holds_after);
  } else {
    edit.label = change.label;
    edit.gesture = change.gesture;
    edit.after = scene_;
    history_.add(std::move(edit));
    if (change.last) history_.close_gesture();
  }
}

Outcome<Json> World::finish(const Rebuild& rebuild, Parts parts) {
  const SceneChange& change = rebuild.change;
  if (parts.trouble) {
    if (!parts.stopped) note_refused_method(rebuild, *parts.trouble);
    return {{}, *parts.trouble};
  }
  if ((change.kind == SceneChange::Kind::undo && rebuild.history != history_.undone_serial()) ||
      (change.kind == SceneChange::Kind::redo && rebuild.history != history_.redone_serial()))
    return {{}, {"busy", "the scene changed meanwhile"}};

  Edit edit;
  edit.before = scene_;
  if (const int i = change.keeps_state ? index_of(change.body) : -1; i >= 0)
    edit.states_before[change.body] = state(i);
  if (const auto at = holds_.find(change.leaves); at != holds_.end()) edit.holds_before.insert(*at);
  const Json before = scene_;
  if (change.whole) forget_scene();
  const std::vector<std::string> known = meeting_notes(*simulation_);
  const std::vector<Grabs::Held> were = held();
  Json scene = rebuild.target.document;
  Holds written = take_holds(scene);
  holds_ = changed_holds(change);
  for (auto& [name, of] : written) holds_.try_emplace(name, std::move(of));
  if (rebuild.changes_structure()) adopt(rebuild, std::move(parts));
  std::erase_if(holds_, [&](const auto& of) { return !written.contains(of.first); });
  if (const auto at = holds_.find(change.leaves); at != holds_.end()) edit.holds_after.insert(*at);
  scene_ = std::move(scene);
  file_ = rebuild.target.file;
  name_ = rebuild.target.name;
  spec_ = rebuild.spec;
  if (rebuild.changes_structure()) grabs_.follow(were, held());
  apply_spec();
  if (rebuild.changes_structure() && !(spec_.bonds.empty() && simulation_->bonds().empty()))
    simulation_->set_bonds(bonds_of(spec_));
  stopped_.reset();

  // Handles that come back, go or move: pages show them where they are.
  const bool handles = (change.kind == SceneChange::Kind::undo && has_handles(history_.undone())) ||
                       (change.kind == SceneChange::Kind::redo && has_handles(history_.redone()));
  if (change.whole) {
    first_ = rebuild.target;
    first_step_ = step_;
    log_.clear();
  } else {
    log(change.call);
    write_history(rebuild, std::move(edit));
  }
  touched();
  // Bodies are built alone: which of them meet is known only here.
  for (const std::string& note : meeting_notes(*simulation_))
    if (std::find(known.begin(), known.end(), note) == known.end())
      happenings_.push_back({Happening::Kind::event, event_message("info", "note", step_, note, "")});
  if (rebuild.changes_structure() || handles)
    structure_changed();
  else
    tell_options(before, change.call.client);
  tell_history();
  return {change.result, {}};
}

// ---- telling ---------------------------------------------------------------------------------------------

void World::tell_options(const Json& before, int client) {
  Json changed = option_changes(before, scene_);
  if (changed.empty()) return;
  happenings_.push_back(
      {Happening::Kind::options, Json{{"type", "options"}, {"changed", std::move(changed)}, {"by", client}}});
}

void World::note_refused_method(const Rebuild& rebuild, const Refusal& why) {
  const int index = rebuild.change.method.empty() ? -1 : index_of(rebuild.change.body);
  if (index < 0) return;
  if (refused_methods_.size() >= most_refusals) refused_methods_.clear();
  refused_methods_[method_request(document()["bodies"][std::size_t(index)], rebuild.change.method)] =
      why.message;
  happenings_.push_back({Happening::Kind::scene, {}});
}

Json World::refused_methods(int body) const {
  Json out = Json::object();
  if (refused_methods_.empty()) return out;
  const Json json = document()["bodies"][std::size_t(body)];
  for (const std::string& method : method_names())
    if (const auto found = refused_methods_.find(method_request(json, method));
        found != refused_methods_.end())
      out[method] = found->second;
  return out;
}

}  // namespace pliant::view
