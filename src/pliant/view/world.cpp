// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/base/layout.hpp"
#include "pliant/base/version.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build_colliders.hpp"
#include "pliant/scene/find_file.hpp"
#include "pliant/scene/validate.hpp"
#include "pliant/view/arguments.hpp"
#include "pliant/view/option_list.hpp"

namespace pliant::view {
namespace {

constexpr std::size_t most_spares = 4;
constexpr std::size_t most_refusals = 64;

const Json& bodies_of(const Json& document) {
  static const Json none = Json::array();
  return document.contains("bodies") && document["bodies"].is_array() ? document["bodies"] : none;
}

std::string name_of(const Json& body) { return body.value("name", "body"); }

int index_of(const Json& document, const std::string& name) {
  const Json& bodies = bodies_of(document);
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (name_of(bodies[i]) == name) return int(i);
  return -1;
}

std::vector<std::byte> state_of(const Body& body) {
  Writer writer;
  body.save(writer);
  return writer.bytes();
}

Piece piece_of(const Body& body, std::shared_ptr<const Shape> shape, std::string key) {
  const Bounds box = bounds_of(body.rest_surface());
  return {std::move(shape), state_of(body), body.holds(), std::move(key), (box.max - box.min).norm()};
}

bool same_places(const Points& a, const Points& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

bool is_reduced(const Json& body) {
  return body.value("method", "geometric") == "geometric" && body.contains("geometric") &&
         body["geometric"].contains("reduction");
}

ParsedScene parse(const Target& target, const Json& document) {
  return parse_scene(document.dump(-1, ' ', false, Json::error_handler_t::replace), target.file);
}

/// The scene with one of its bodies, and nothing that body does not need.
Json alone(const Json& document, int body) {
  Json out{{"bodies", Json::array({document["bodies"][std::size_t(body)]})}};
  for (const char* key : {"timestep", "substeps", "gravity"})
    if (document.contains(key)) out[key] = document[key];
  return out;
}

/// bodies.0 of a scene that holds one body is bodies.N of the whole.
Error renumbered(Error error, int body) {
  for (Problem& problem : error.problems)
    if (problem.place.rfind("bodies.0", 0) == 0)
      problem.place = fmt::format("bodies.{}{}", body, problem.place.substr(8));
  return error;
}

}  // namespace

Parts build_parts(const BuildJob& job, ShapeCache& cache, int threads, const BuildProgress& progress) {
  Parts parts;
  const Json& document = job.target.document;
  for (std::size_t k = 0; k < job.bodies.size(); ++k) {
    const int index = job.bodies[k];
    BuildOptions options{.threads = threads, .cache = &cache};
    const Json& body = document["bodies"][std::size_t(index)];
    options.cache_keys = {job.target.file + body.value("shape", Json()).dump()};
    if (progress)
      options.progress = [&](const std::string& stage, double fraction) {
        return progress(stage, (double(k) + fraction) / double(job.bodies.size()));
      };
    Result<Scene> scene = build_scene(parse(job.target, alone(document, index)), options);
    if (!scene) {
      parts.trouble = refusal_of(renumbered(scene.error(), index), "build_failed");
      return parts;
    }
    std::vector<Body> made = scene->simulation.take_bodies();
    parts.bodies.push_back({index, std::move(made.front()), scene->shapes.front()});
    parts.notes.insert(parts.notes.end(), scene->notes.begin(), scene->notes.end());
  }
  if (job.colliders) {
    const ParsedScene scene = parse(job.target, document);
    BuiltColliders built =
        build_colliders(scene.spec.colliders, std::filesystem::path(job.target.file).parent_path(), 0);
    if (!built.problems.empty())
      parts.trouble = refusal_of({job.target.file, built.problems}, "build_failed");
    parts.colliders = std::move(built.colliders);
  }
  return parts;
}

World::World(WorldOptions options)
    : options_(std::move(options)),
      simulation_(
          std::make_unique<Simulation>(std::vector<Body>{}, SimulationOptions{.threads = options_.threads})) {
  target_.document = Json{{"bodies", Json::array()}};
  first_ = target_;
}

// ---- changes ---------------------------------------------------------------------------------------------

/// What a body must be built again for. Pins, handles and live options are not among it, except in a reduced
/// body, whose space is made for them.
std::string World::build_key(const Json& body) const {
  const std::string method = body.value("method", "geometric");
  Json key = body;
  for (const std::string& other : method_names())
    if (other != method) key.erase(other);
  key["method"] = method;
  for (const char* words : {"name", "initial", "friction", "contact"}) key.erase(words);
  if (!is_reduced(body)) {
    for (const char* live : {"pins", "handles", "damping"}) key.erase(live);
    if (key.contains(method))
      for (const std::string& live : live_options(method)) key[method].erase(live);
    if (key.contains(method) && key[method].empty()) key.erase(method);
  }
  return key.dump();
}

Target World::changed(const Rework& change) const {
  if (change.whole) return *change.whole;
  Target target = target_;
  if (change.kind == Rework::Kind::undo)
    target.document = history_.undone().before;
  else if (change.kind == Rework::Kind::redo)
    target.document = history_.redone().after;
  else
    change.edit(target.document);
  return target;
}

Outcome<BuildJob> World::plan(const Rework& change) const {
  BuildJob job;
  try {
    job.target = changed(change);
  } catch (const Refused& refused) {
    return {{}, refused.refusal};
  }
  const Json& document = job.target.document;
  if (!bodies_of(document).empty()) {
    const ParsedScene scene = parse(job.target, document);
    Problems problems = validate(scene.spec);
    problems.insert(problems.begin(), scene.problems.begin(), scene.problems.end());
    if (!problems.empty())
      return {{}, refusal_of({job.target.file, problems}, change.whole ? "build_failed" : "bad_argument")};
  }
  for (std::size_t i = 0; i < bodies_of(document).size(); ++i) {
    const Json& body = document["bodies"][i];
    const int before = change.whole ? -1 : index_of(target_.document, name_of(body));
    const std::string key = build_key(body);
    if (before >= 0 && pieces_[std::size_t(before)].key == key) continue;
    const bool spare = !change.whole && std::any_of(spares_.begin(), spares_.end(),
                                                    [&](const Spare& s) { return s.piece.key == key; });
    if (!spare) job.bodies.push_back(int(i));
  }
  job.colliders = change.whole || document.value("colliders", Json::array()) !=
                                      target_.document.value("colliders", Json::array());
  return {std::move(job), {}};
}

Outcome<Json> World::change_now(const Rework& change) {
  Outcome<BuildJob> job = plan(change);
  if (!job) return {{}, job.refusal};
  Parts parts = build_parts(*job.value, cache_, options_.threads);
  return finish(change, *job.value, std::move(parts));
}

void World::keep_spare(std::string key, Body body, Piece piece) {
  piece.key = std::move(key);
  if (spares_.size() == most_spares) spares_.erase(spares_.begin());
  spares_.push_back({std::move(body), std::move(piece)});
}

/// The state of a body goes into the one that takes its place: with the same nodes it goes on as it is, else
/// it starts in its rest shape where the old one is, unless something holds it elsewhere.
void World::carry(const Body& from, const Shape& from_shape, Body& to, const Shape& to_shape,
                  bool same_method) const {
  const NodeState& nodes = from.method().nodes();
  if (same_places(from_shape.graph.positions, to_shape.graph.positions)) {
    Writer writer;
    from.method().save(writer);
    Reader reader(writer.bytes());
    const std::vector<std::byte> fresh = state_of(to);
    const bool loaded =
        same_method && to.method().load(reader) && reader.at_end() && all_finite(to.method().nodes());
    if (!loaded) {
      Reader back(fresh);
      to.load(back);
      to.method().place(nodes.x, nodes.v);
    }
    to.set_holds(from.holds());
    return;
  }
  if (!to.holds().empty()) return;
  const NodeState& rest = to.method().nodes();
  const Vec3 shift = centre_of_mass(nodes) - centre_of_mass(rest);
  double mass = 0;
  for (const double m : nodes.mass) mass += m;
  const Vec3 velocity = linear_momentum(nodes) / mass;
  Points x = rest.x, v(x.size(), velocity);
  for (Vec3& p : x) p += shift;
  to.method().place(x, v);
}

/// The bodies of the target: those that were built, those that wait as spares, those that stay.
void World::adopt(Target target, Parts parts) {
  std::vector<Body> old = simulation_->take_bodies(), bodies;
  std::vector<Piece> old_pieces = std::exchange(pieces_, {});
  std::vector<char> stays(old.size(), 0);
  const Json& list = bodies_of(target.document);
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string key = build_key(list[i]);
    const int before = index_of(target_.document, name_of(list[i]));
    const auto made = std::find_if(parts.bodies.begin(), parts.bodies.end(),
                                   [&](const Part& part) { return part.index == int(i); });
    const auto spare =
        std::find_if(spares_.begin(), spares_.end(), [&](const Spare& s) { return s.piece.key == key; });
    if (made == parts.bodies.end() && before >= 0 && old_pieces[std::size_t(before)].key == key) {
      bodies.push_back(std::move(old[std::size_t(before)]));
      pieces_.push_back(std::move(old_pieces[std::size_t(before)]));
      stays[std::size_t(before)] = 1;
      continue;
    }
    if (made != parts.bodies.end()) {
      bodies.push_back(std::move(made->body));
      pieces_.push_back(piece_of(bodies.back(), made->shape, key));
    } else {
      PLIANT_CHECK(spare != spares_.end());
      bodies.push_back(std::move(spare->body));
      pieces_.push_back(std::move(spare->piece));
      spares_.erase(spare);
      Reader reader(pieces_.back().initial);
      bodies.back().load(reader);
      bodies.back().set_holds(pieces_.back().holds);
    }
    if (before >= 0) {
      const Json& was = target_.document["bodies"][std::size_t(before)];
      carry(old[std::size_t(before)], *old_pieces[std::size_t(before)].shape, bodies.back(),
            *pieces_.back().shape, was.value("method", "geometric") == list[i].value("method", "geometric"));
    }
  }
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (stays[i]) continue;
    std::string key = old_pieces[i].key;
    keep_spare(std::move(key), std::move(old[i]), std::move(old_pieces[i]));
  }
  simulation_->set_bodies(std::move(bodies));
  if (parts.colliders) simulation_->set_colliders(std::move(*parts.colliders));
}

/// A hand goes on holding where the body has the same nodes as before; else it lets go.
void World::keep_hands(const std::vector<std::string>& names,
                       const std::vector<std::shared_ptr<const Shape>>& shapes) {
  std::erase_if(hands_, [&](Hand& hand) {
    const std::size_t before = std::size_t(hand.body);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (simulation_->bodies()[i].name() != names[before]) continue;
      const bool stays = pieces_[i].shape == shapes[before];
      const bool moved = i != before && hand.handle >= 0;  // handles are numbered by body
      hand.body = int(i);
      return moved ||
             (!stays && (hand.cage || hand.handle >= 0 ||
                         !same_places(pieces_[i].shape->graph.positions, shapes[before]->graph.positions)));
    }
    return true;
  });
}

/// Live settings of the document take effect.
void World::refresh() {
  spec_ = parse(target_, target_.document).spec;
  simulation_->set_gravity(spec_.gravity);
  simulation_->set_step_length(spec_.step_length());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const BodySpec& body = spec_.bodies[i];
    Body& of = simulation_->body(int(i));
    body.entry().set_live(body.options(), of.method(), body.damping);
    ContactOptions contact = body.contact;
    if (body.friction < not_given) contact.friction = body.friction;
    of.set_contact(contact);
  }
}

std::map<std::string, std::vector<std::byte>> World::states() const {
  std::map<std::string, std::vector<std::byte>> out;
  for (const Body& body : simulation_->bodies()) out[body.name()] = state_of(body);
  return out;
}

std::map<std::string, std::vector<PlacedHold>> World::all_holds() const {
  std::map<std::string, std::vector<PlacedHold>> out;
  for (const Body& body : simulation_->bodies()) out[body.name()] = body.holds();
  return out;
}

/// What a method can refuse of a body: its shape, what is selected of it, and the method's own settings.
std::string World::method_request(const Json& body, const std::string& method) {
  Json asked{{"method", method}};
  for (const std::string& key : {std::string("shape"), std::string("pins"), std::string("handles"), method})
    if (body.contains(key)) asked[key] = body[key];
  return asked.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json World::refused_methods(int body) const {
  Json out = Json::object();
  const Json& json = target_.document["bodies"][std::size_t(body)];
  for (const std::string& method : method_names())
    if (const auto found = refused_methods_.find(method_request(json, method));
        found != refused_methods_.end())
      out[method] = found->second;
  return out;
}

Outcome<Json> World::finish(const Rework& change, const BuildJob& job, Parts parts) {
  if (parts.trouble) {
    const int index = change.call.cmd == "method" ? index_of(target_.document, change.body) : -1;
    if (index >= 0 && !parts.stopped) {
      if (refused_methods_.size() >= most_refusals) refused_methods_.clear();
      refused_methods_[method_request(target_.document["bodies"][std::size_t(index)],
                                      change.call.args["name"].get<std::string>())] = parts.trouble->message;
      happenings_.push_back({Happening::Kind::scene, {}});
    }
    return {{}, *parts.trouble};
  }
  Target target;
  try {
    target = changed(change);  // the document may have changed since it was planned, by live edits
  } catch (const Refused& refused) {
    return {{}, refused.refusal};
  }
  const Json before = target_.document;
  const bool rebuilt = !parts.bodies.empty() || change.whole ||
                       bodies_of(before).size() != bodies_of(target.document).size() || [&] {
                         for (std::size_t i = 0; i < pieces_.size(); ++i)
                           if (pieces_[i].key != build_key(target.document["bodies"][i])) return true;
                         return false;
                       }();
  for (const int index : job.bodies)
    if (index >= int(bodies_of(target.document).size())) return {{}, {"busy", "the scene changed meanwhile"}};

  Edit edit;
  if (change.keeps_state)
    for (auto& [name, state] : states())
      if (name == change.body) edit.states_before[name] = std::move(state);
  if (change.whole) {
    simulation_ =
        std::make_unique<Simulation>(std::vector<Body>{}, SimulationOptions{.threads = options_.threads});
    pieces_.clear();
    spares_.clear();
    hands_.clear();
    history_.clear();
    posing_ = false;
    target_ = Target{};
    target_.document = Json{{"bodies", Json::array()}};
  }
  const bool moved_colliders = parts.colliders.has_value();
  if (rebuilt || moved_colliders) {
    std::vector<std::string> names;
    std::vector<std::shared_ptr<const Shape>> shapes;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      names.push_back(simulation_->bodies()[i].name());
      shapes.push_back(pieces_[i].shape);
    }
    adopt(target, std::move(parts));
    keep_hands(names, shapes);
  }
  target_ = std::move(target);
  refresh();
  stopped_.reset();

  if (change.whole) {
    first_ = target_;
    first_step_ = step_;
    log_.clear();
  } else {
    log(change.call);
  }
  const auto restore = [&](const auto& states, const auto& holds) {
    for (const auto& [name, state] : states) {
      Reader reader(state);
      if (name.empty())
        simulation_->load(reader);
      else if (const int i = index_of(target_.document, name); i >= 0)
        simulation_->body(i).load(reader), simulation_->body(i).set_grabs({});
    }
    for (const auto& [name, list] : holds)
      if (const int i = index_of(target_.document, name); i >= 0) simulation_->body(i).set_holds(list);
    if (!states.empty() || !holds.empty()) hands_.clear();
  };
  if (change.kind == Rework::Kind::undo) {
    Edit& entry = history_.undone();
    if (entry.states_after.empty() && entry.states_before.contains("")) {
      Writer writer;
      simulation_->save(writer);
      entry.states_after[""] = writer.bytes();
    }
    const Edit copy = entry;
    history_.step_back();
    restore(copy.states_before, copy.holds_before);
  } else if (change.kind == Rework::Kind::redo) {
    const Edit copy = history_.redone();
    history_.step_forward();
    restore(copy.states_after, copy.holds_after);
  } else if (!change.whole) {
    edit.label = change.label;
    edit.gesture = change.gesture;
    edit.before = before;
    edit.after = target_.document;
    history_.add(std::move(edit));
    if (change.last) history_.close_gesture();
  }
  ++holds_version_;
  touched();
  if (rebuilt || moved_colliders)
    structure_changed();
  else
    tell_options(before, change.call.client);
  tell_history();
  return {change.result, {}};
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

void World::tell_options(const Json& before, int client) {
  Json changed = option_changes(before, target_.document);
  if (changed.empty()) return;
  happenings_.push_back(
      {Happening::Kind::options, Json{{"type", "options"}, {"changed", std::move(changed)}, {"by", client}}});
}

void World::log(const Call& call) { log_.add(step_ - first_step_, call.client, call.cmd, call.args); }

// ---- time ------------------------------------------------------------------------------------------------

void World::reset() {
  hands_.clear();
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Body& body = simulation_->body(int(i));
    const std::vector<PlacedHold> holds = body.holds();
    Reader reader(pieces_[i].initial);
    body.load(reader);
    std::vector<PlacedHold> placed;
    for (const PlacedHold& hold : holds) {
      PlacedHold here = body.hold_here(hold.hold.nodes);
      here.hold = hold.hold;
      here.scale = hold.scale;
      placed.push_back(std::move(here));
    }
    body.set_holds(std::move(placed));
  }
  simulation_->restart_clock();
  stopped_.reset();
  touched();
}

bool World::advance() {
  if (!needs_advance() || pieces_.empty()) return false;
  set_springs();
  ++step_;
  if (posing_) return pose_round();
  if (const auto failure = simulation_->step()) {
    const double h = simulation_->options().h;
    stopped_ = Json{
        {"type", "event"},
        {"level", "error"},
        {"code", "diverged"},
        {"body", failure->body},
        {"step", step_},
        {"message", failure->text()},
        {"advice", fmt::format("Try timestep <= {:.2g}, more damping, or a softer grab; then reset", h / 2)}};
    happenings_.push_back({Happening::Kind::event, *stopped_});
  }
  return true;
}

// ---- state -----------------------------------------------------------------------------------------------

std::vector<std::byte> World::state() const {
  Writer writer;
  simulation_->save(writer);
  return writer.bytes();
}

std::uint64_t World::state_hash() const {
  const std::vector<std::byte> bytes = state();
  return hash_bytes(bytes.data(), bytes.size());
}

}  // namespace pliant::view
