// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "collider_track.hpp"
#include "errors.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/spec_layout.hpp"
#include "pliant/scene/validate.hpp"
#include "pliant/sim/checkpoint.hpp"

namespace pliant::python {
namespace {

using namespace pybind11::literals;

constexpr double look_every = 50;  // ms between two looks at Ctrl-C within a call

/// Has Ctrl-C been pressed? Takes Python's lock, which may take milliseconds: not after each step.
class InterruptWatch {
 public:
  /// Throws Python's exception.
  void look() {
    if (milliseconds_since(looked_) < look_every) return;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    looked_ = Clock::now();
  }
  /// For callbacks that answer whether to go on; the exception waits.
  bool goes_on() {
    if (stopped_) return false;
    if (milliseconds_since(looked_) < look_every) return true;
    const py::gil_scoped_acquire lock;
    looked_ = Clock::now();
    stopped_ = PyErr_CheckSignals() != 0;
    return !stopped_;
  }
  /// With Python's lock.
  void throw_if_stopped() const {
    if (stopped_) throw py::error_already_set();
  }

 private:
  Clock::time_point looked_ = Clock::now();
  bool stopped_ = false;
};

Scene built(const ParsedScene& parsed, OwnMeshes meshes, int threads, std::string name) {
  if (threads < 0 || threads > Pool::most_threads)
    throw WrongInput("threads", std::to_string(threads),
                     fmt::format("0 (one per processor) .. {}", Pool::most_threads));
  InterruptWatch watch;
  std::optional<Result<Scene>> scene;
  {
    const py::gil_scoped_release unlocked;
    scene.emplace(
        build_scene(parsed, {.threads = threads,
                             .meshes = std::move(meshes),
                             .progress = [&](const std::string&, double) { return watch.goes_on(); }}));
  }
  watch.throw_if_stopped();
  Scene out = value_of(std::move(*scene));
  out.name = std::move(name);
  return out;
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) c == '.' ? void(parts.emplace_back()) : parts.back().push_back(c);
  return parts;
}

/// The option at a path of a scene; null: there is none.
const Description::Entry* option_at(const std::vector<std::string>& parts) {
  const Description* at = &layout_of<SceneSpec>().description;
  const Description::Entry* found = nullptr;
  for (std::size_t k = 0; k < parts.size() && at; ++k) {
    const auto entry = std::find_if(at->entries.begin(), at->entries.end(),
                                    [&](const Description::Entry& e) { return e.name == parts[k]; });
    if (entry == at->entries.end()) return nullptr;
    found = &*entry;
    at = entry->of;
    if (entry->kind == Description::Kind::list) ++k;  // the number of the element
  }
  return found && found->kind == Description::Kind::value ? found : nullptr;
}

/// A body of its own says nothing of where it lies in a list.
std::vector<Problem> without_prefix(std::vector<Problem> problems, const std::string& prefix) {
  for (Problem& problem : problems)
    if (problem.place.starts_with(prefix)) problem.place.erase(0, prefix.size());
  return problems;
}

struct ContactRow {
  std::int32_t body, other_body, collider, point, feature;
  std::array<double, 3> place, normal;
  double gap, normal_force;
  std::array<double, 3> friction;
};

std::array<double, 3> numbers(const Vec3& v) { return {v.x(), v.y(), v.z()}; }

/// Nodes of a body of `count` leave their holds.
void let_go(const std::vector<Index>& nodes, std::size_t count, std::vector<PlacedHold>& holds) {
  std::vector<char> leaves(count, 0);
  for (const Index node : nodes) leaves[std::size_t(node)] = 1;
  for (PlacedHold& placed : holds) {
    std::vector<Index>& held = placed.hold.nodes;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (leaves[std::size_t(held[k])]) continue;
      held[kept] = held[k];
      placed.start[kept++] = placed.start[k];
    }
    held.resize(kept);
    placed.start.resize(kept);
  }
  std::erase_if(holds, [](const PlacedHold& placed) { return placed.hold.nodes.empty(); });
}

}  // namespace

// ---- one thread at a time --------------------------------------------------------------------------------

class World::Use {
 public:
  explicit Use(World& world) : world_(world) {
    if (world.inside_ == std::this_thread::get_id())
      throw std::runtime_error("this world is in use: a call of it led to another one");
    if (!world.mutex_.try_lock()) {
      const py::gil_scoped_release unlocked;  // the other thread may wait for it
      world.mutex_.lock();
    }
    world.inside_ = std::this_thread::get_id();
    if (!world.broken_) return;
    leave();
    throw std::runtime_error("this world is broken: an earlier call of it failed with a CheckError");
  }
  ~Use() {
    if (std::uncaught_exceptions() > thrown_before_) world_.broken_ |= failed_checks() > failed_before_;
    leave();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

 private:
  void leave() {
    world_.inside_ = std::thread::id();
    world_.mutex_.unlock();
  }

  World& world_;
  int thrown_before_ = std::uncaught_exceptions(), failed_before_ = failed_checks();
};

World::World(ParsedScene parsed, OwnMeshes meshes, int threads, std::string name)
    : parsed_(std::move(parsed)),
      scene_(built(parsed_, std::move(meshes), threads, std::move(name))),
      start_(scene_.simulation, scene_.probes),
      shown_(bodies(), 0),
      surfaces_(bodies(), nullptr) {
  for (const Body& body : scene_.simulation.bodies()) nodes_.push_back(body.method().nodes().x.size());
}

const Body& World::at(int body) const {
  if (body < 0 || std::size_t(body) >= bodies()) throw py::index_error(fmt::format("body {}", body));
  return scene_.simulation.bodies()[std::size_t(body)];
}

Body& World::change(int body) {
  at(body);
  return scene_.simulation.body(body);
}

// ---- time ------------------------------------------------------------------------------------------------

void World::step(std::int64_t n) {
  if (n < 0) throw WrongInput("n", std::to_string(n), "a number of steps, 0 or more");
  const Use use(*this);
  InterruptWatch watch;
  const py::gil_scoped_release unlocked;
  for (std::int64_t k = 0; k < n; ++k) {
    if (k > 0) watch.look();
    advance();
  }
}

/// As the command's run: what it tells of a run, and when, is the same.
void World::advance() {
  changed();
  Simulation& simulation = scene_.simulation;
  if (auto failure = simulation.step()) throw FailedStep(std::move(*failure));
  if (const auto thrown = throws_.look(simulation))
    throw FailedStep({-1, {}, simulation.steps(), simulation.time(), *thrown}, *thrown);
  if (recording_) recording_->note_step(simulation);
  if (++steps_in_frame_ >= scene_.spec.substeps) end_frame();
}

void World::end_frame() {
  steps_in_frame_ = 0;
  const Simulation& simulation = scene_.simulation;
  for (int b = 0; b < int(bodies()); ++b)
    if (!all_finite(at(b).method().nodes()))
      throw FailedStep(
          {b, at(b).name(), simulation.steps(), simulation.time(), "diverged, a position is not a number"});
  if (!recording_) return;
  try {
    recording_->keep_frame(scene_);
  } catch (...) {
    recording_.reset();  // a disk is full: the world goes on
    throw;
  }
}

std::int64_t World::steps_done() {
  const Use use(*this);
  return scene_.simulation.steps();
}

double World::time() {
  const Use use(*this);
  return scene_.simulation.time();
}

// ---- what there is ---------------------------------------------------------------------------------------

py::dict World::describe(int body) {
  const Use use(*this);
  const Body& of = at(body);
  const MethodDescription method = of.method().describe();
  return py::dict("name"_a = of.name(), "method"_a = method.name, "nodes"_a = method.nodes,
                  "freedoms"_a = method.freedoms, "solver"_a = method.solver,
                  "setup_ms"_a = scene_.setup_ms(std::size_t(body)), "bytes"_a = method.bytes,
                  "closed"_a = of.closed());
}

py::array_t<Index> World::faces(int body) const { return array_of(at(body).triangles()); }

py::array_t<double> World::rest_surface(int body) const { return array_of(at(body).rest_surface()); }

py::array_t<double> World::rest_nodes(int body) const {
  at(body);
  return array_of(scene_.shapes[std::size_t(body)]->graph.positions);
}

py::tuple World::embedding(int body) const {
  const Gather& w = at(body).method().embedding();
  return py::make_tuple(array_of(w.begin), array_of(w.column), array_of(w.weight));
}

const Points& World::surface_now(int body) {
  const Body& of = at(body);
  if (shown_[std::size_t(body)] != version_) {
    const py::gil_scoped_release unlocked;
    surfaces_[std::size_t(body)] = &of.surface();
    shown_[std::size_t(body)] = version_;
  }
  return *surfaces_[std::size_t(body)];
}

py::array_t<double> World::surface(int body, py::handle owner) {
  const Use use(*this);
  return view_of(surface_now(body), owner);
}

py::array_t<double> World::x(int body) {
  const Use use(*this);
  return array_of(at(body).method().nodes().x);
}

py::array_t<double> World::v(int body) {
  const Use use(*this);
  return array_of(at(body).method().nodes().v);
}

py::array_t<double> World::masses(int body) {
  const Use use(*this);
  return array_of(at(body).method().nodes().mass);
}

py::object World::volume_ratio(int body) {
  const Use use(*this);
  return py::cast(at(body).volume_ratio());
}

py::array World::contacts() {
  const Use use(*this);
  const std::vector<ContactForce> found = contact_forces(scene_.simulation);
  py::array_t<ContactRow> rows(py::ssize_t(found.size()));
  ContactRow* row = rows.mutable_data();
  for (const ContactForce& c : found)
    *row++ = {c.body,           c.other_body,      c.collider, c.point,        c.feature,
              numbers(c.place), numbers(c.normal), c.gap,      c.normal_force, numbers(c.friction)};
  return rows;
}

py::tuple World::metrics() {
  const Use use(*this);
  Recorder now = start_;
  if (scene_.simulation.steps() > 0) now.note_step(scene_.simulation);
  now.note_frame(scene_.simulation, int(scene_.simulation.steps() / scene_.spec.substeps));
  return columns_of(now);
}

// ---- changes between steps -------------------------------------------------------------------------------

void World::place(int body, py::handle x, py::handle v) {
  const std::size_t nodes = nodes_of(body);
  const Points to = points_of(x, "x", nodes);
  const Points moving = v.is_none() ? Points(nodes, Vec3::Zero()) : points_of(v, "v", nodes);
  const Use use(*this);
  change(body).method().place(to, moving);
  scene_.simulation.rejoin(scene_.simulation.steps() == 0);
  throws_ = {};
  changed();
}

void World::set_forces(int body, py::handle forces) {
  const std::size_t nodes = nodes_of(body);
  const Points given = forces.is_none() ? Points() : points_of(forces, "forces", nodes);
  const Use use(*this);
  refuse_on(change(body).set_forces(given));
}

py::array_t<double> World::forces(int body) {
  const Use use(*this);
  const std::size_t nodes = nodes_of(body);
  const Points& set = at(body).forces();
  return array_of(set.empty() ? Points(nodes, Vec3::Zero()) : set);
}

py::array_t<double> World::node_forces(int body, py::handle surface_forces) {
  const Body& of = at(body);
  const Points given = points_of(surface_forces, "surface_forces", of.rest_surface().size());
  const Use use(*this);
  Points out(nodes_of(body), Vec3::Zero());
  of.method().pull_back(given, out);
  return array_of(out);
}

void World::set_holds(int body, std::vector<PlacedHold> holds) {
  const BodySpec& spec = scene_.spec.bodies[std::size_t(body)];
  if (const auto lack = spec.entry().lacks(spec.options(), Ability::live))
    throw WrongInput(Error{{}, {*lack}});
  refuse_on(change(body).set_holds(std::move(holds)));
}

void World::hold(int body, py::handle nodes, py::handle targets) {
  const Body& of = at(body);
  std::vector<Index> wanted = indices_of(nodes, "nodes", nodes_of(body));
  std::optional<Points> places;
  if (!targets.is_none()) places = points_of(targets, "targets", wanted.size());
  const Use use(*this);
  PlacedHold placed = of.hold_here(wanted);
  if (places) placed.start = std::move(*places);
  std::vector<PlacedHold> holds = of.holds();
  // Led nodes get new targets at every step: the hold stays as it is then.
  for (PlacedHold& known : holds)
    if (known.hold.nodes == wanted && known.hold.motion.keys.empty() && std::isinf(known.hold.release)) {
      known = std::move(placed);
      return set_holds(body, std::move(holds));
    }
  let_go(wanted, nodes_of(body), holds);
  if (!wanted.empty()) holds.push_back(std::move(placed));
  set_holds(body, std::move(holds));
}

void World::release(int body, py::handle nodes) {
  const Body& of = at(body);
  const std::size_t count = nodes_of(body);
  std::vector<Index> wanted;
  if (!nodes.is_none()) wanted = indices_of(nodes, "nodes", count);
  const Use use(*this);
  std::vector<PlacedHold> holds;
  if (!nodes.is_none()) {
    holds = of.holds();
    let_go(wanted, count, holds);
  }
  set_holds(body, std::move(holds));
}

py::array_t<Index> World::held(int body) {
  const Use use(*this);
  std::vector<Index> out;
  for (const PlacedHold& placed : at(body).holds())
    if (scene_.simulation.time() <= placed.hold.release)
      out.insert(out.end(), placed.hold.nodes.begin(), placed.hold.nodes.end());
  std::sort(out.begin(), out.end());
  return array_of(out);
}

py::array_t<Index> World::select(int body, const std::string& selector_json) {
  at(body);
  const ParsedScene asked = parse_scene(R"({"bodies": [{"pins": [{"select": )" + selector_json + "}]}]}", {});
  refuse_on(without_prefix(asked.problems, "bodies.0.pins.0."));
  return array_of(select_nodes(asked.spec.bodies.at(0).pins.at(0).select, *scene_.shapes[std::size_t(body)]));
}

void World::check_live(const ParsedScene& next, const std::string& path) const {
  const std::vector<std::string> parts = parts_of(path);
  const Description::Entry* option = option_at(parts);
  const bool of_body = parts[0] == "bodies";
  const auto refuse = [&](const char* found) {
    throw WrongInput(path, found, "an option that may change between steps",
                     "load the scene again with sets=[...]");
  };
  if (!option) refuse("no single value");
  if (option->facts.change != Change::live) refuse("an option that a body is built from");
  if (!of_body) {
    if (parts[0] != "gravity" && parts[0] != "timestep" && parts[0] != "substeps")
      refuse("an option that the scene is built from");
    return;
  }
  const BodySpec& spec = next.spec.bodies.at(std::stoul(parts.at(1)));
  const std::string& block = parts.at(2);
  const bool own = block == spec.method || block == "damping";
  if (own) {
    if (const auto lack = spec.entry().lacks(spec.options(), Ability::live))
      throw WrongInput(Error{{}, {*lack}});
  } else if (block != "friction" && block != "contact") {
    refuse("an option that the body has no use for now");
  }
}

void World::set(const std::string& path, const std::string& json) {
  const Use use(*this);
  ParsedScene next = parse_scene(parsed_.text, parsed_.file, {path + "=" + json});
  std::vector<Problem> more;
  if (next.problems.empty()) more = validate(next.spec);
  if (!next.problems.empty() || !more.empty()) throw WrongInput(next.error(more));
  const std::string& where = next.sets.at(0).first;
  check_live(next, where);
  Simulation& simulation = scene_.simulation;
  if (where.starts_with("bodies.")) {
    const int body = std::stoi(parts_of(where).at(1));
    const BodySpec& spec = next.spec.bodies.at(std::size_t(body));
    spec.entry().set_live(spec.options(), change(body).method(), spec.damping);
    refuse_on(change(body).set_contact(contact_of(spec, *scene_.shapes[std::size_t(body)])));
  }
  simulation.set_gravity(next.spec.gravity);
  simulation.set_step_length(next.spec.step_length());
  scene_.spec = next.spec;
  parsed_.text = std::move(next.text);
}

std::string World::scene_json() {
  const Use use(*this);
  return parsed_.text;
}

py::dict World::pose(int body, std::optional<double> time, double tolerance, int iterations, bool from_here) {
  const Body& of = at(body);
  if (!(tolerance >= 1e-10 && tolerance <= 0.1))
    throw WrongInput("tolerance", fmt::format("{:g}", tolerance), "1e-10 .. 0.1");
  if (iterations < 1) throw WrongInput("iterations", std::to_string(iterations), "1 or more");
  if (time && !(*time >= 0 && *time <= 1e9))
    throw WrongInput("time", fmt::format("{:g}", *time), "0 .. 1e9 s");
  const Use use(*this);
  InterruptWatch watch;
  PoseOptions options{tolerance, iterations, from_here, [&](int, int) { return watch.goes_on(); }};
  PoseResult result;
  {
    const py::gil_scoped_release unlocked;
    result = scene_.simulation.pose(body, time.value_or(of.last_key()), options);
  }
  throws_ = {};
  changed();
  watch.throw_if_stopped();
  if (!result.ok())
    throw FailedStep({body, of.name(), scene_.simulation.steps(), scene_.simulation.time(), result.trouble},
                     fmt::format("the static solve of {} failed: {}", of.name(), result.trouble));
  return py::dict("residual"_a = result.residual, "force"_a = result.force,
                  "iterations"_a = result.iterations, "increments"_a = result.increments);
}

// ---- state -----------------------------------------------------------------------------------------------

py::bytes World::checkpoint() {
  const Use use(*this);
  const std::vector<std::byte> bytes = save_checkpoint(scene_.simulation, scene_.fingerprint);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void World::restore(const std::string& bytes) {
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  const std::vector<std::byte> sealed(data, data + bytes.size());
  const Use use(*this);
  Writer before;
  scene_.simulation.save(before);
  std::string trouble = load_checkpoint(sealed, scene_.fingerprint, scene_.simulation);
  if (!trouble.empty()) {  // that of a run has its record, too
    Recorder record = start_;
    const std::string other = load_checkpoint(sealed, scene_.fingerprint, scene_.simulation, record);
    if (!other.starts_with("is not")) trouble = other;
  }
  throws_ = {};
  changed();
  steps_in_frame_ = int(scene_.simulation.steps() % scene_.spec.substeps);
  if (trouble.empty()) return;
  Reader back(before.bytes());
  scene_.simulation.load(back);
  steps_in_frame_ = int(scene_.simulation.steps() % scene_.spec.substeps);
  throw WrongInput("bytes", fmt::format("{} bytes: this {}", bytes.size(), trouble),
                   "those of checkpoint() of the same scene");
}

// ---- what is kept ----------------------------------------------------------------------------------------

std::shared_ptr<Recording> World::record(const std::string& folder, std::vector<std::string> formats,
                                         bool contacts) {
  const Use use(*this);
  if (recording_) throw WrongInput("record", "a recording that runs", "one at a time", "close it first");
  if (steps_in_frame_ != 0)
    throw WrongInput("record", fmt::format("step {} of a frame", steps_in_frame_),
                     fmt::format("the end of a frame, every {} steps", scene_.spec.substeps));
  recording_ = std::make_shared<Recording>(scene_, folder, std::move(formats), contacts);
  return recording_;
}

void World::finish(Recording& recording, const std::string& status, const std::string& failure) {
  const Use use(*this);
  if (recording_.get() == &recording) recording_.reset();
  recording.finish(scene_, status, failure);
}

py::tuple World::recorded(const Recording& recording) {
  const Use use(*this);
  py::dict hashes;
  for (int b = 0; b < int(bodies()); ++b)
    hashes[py::str(at(b).name())] = fmt::format("{:016x}", recording.recorder().hash(b));
  return py::make_tuple(columns_of(recording.recorder()), hashes);
}

Props World::props_near(const Vec3& low, const Vec3& high) const {
  std::vector<ColliderTrack> tracks;
  for (const Collider& collider : scene_.simulation.colliders())
    tracks.push_back(cli::track_of(collider, {scene_.simulation.time()}));
  return {tracks, low, high};
}

py::tuple World::around() {
  const Use use(*this);
  Bounds box{Vec3::Constant(std::numeric_limits<double>::infinity()), {}};
  box.max = -box.min;
  for (int b = 0; b < int(bodies()); ++b) {
    const Bounds body = bounds_of(surface_now(b));
    box = {box.min.cwiseMin(body.min), box.max.cwiseMax(body.max)};
  }
  const Props props = props_near(box.min, box.max);
  TriMesh all;
  for (int k = 0; k < props.count(); ++k) {
    const RenderBody prop = props.body(k, 0);
    const auto first = Index(all.vertices.size());
    all.vertices.insert(all.vertices.end(), prop.positions.begin(), prop.positions.end());
    for (const Triangle& t : prop.triangles)
      all.triangles.push_back({first + t[0], first + t[1], first + t[2]});
  }
  return py::make_tuple(array_of(all.vertices), array_of(all.triangles), props.floor());
}

Image World::picture(const PictureOptions& options) {
  if (bodies() == 0) throw WrongInput("bodies", "none", "a body to picture");
  const Simulation& simulation = scene_.simulation;
  Framing framing(options.view, double(options.settings.width) / options.settings.height);
  RenderScene scene;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (int b = 0; b < int(bodies()); ++b) {
    const Body& body = at(b);
    const SurfaceTrack track = with_points_as_balls({body.name(), body.triangles(), body.rest_surface(),
                                                     [&](int) -> Result<Points> { return body.surface(); }});
    RenderBody drawn{track.triangles, track.rest, *track.shape(0), palette(b), {}};
    for (const Vec3& p : drawn.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
    framing.add(drawn.positions);
    scene.bodies.push_back(std::move(drawn));
  }
  const Props props = props_near(low, high);
  for (int k = 0; k < props.count(); ++k) {
    const Points near = props.close_points(k, 0);
    framing.add(near);
    for (const Vec3& p : near) low = low.cwiseMin(p), high = high.cwiseMax(p);
  }
  scene.ground = options.ground.value_or(props.floor().value_or(low.y() - 0.01 * (high.y() - low.y())));
  const Camera camera = framing.camera();
  for (int k = 0; k < props.count(); ++k)
    if (props.faces(k, camera.eye, 0)) scene.bodies.push_back(props.body(k, 0));
  Pool pool(simulation.threads());
  return pliant::render(scene, camera, options.settings, pool);
}

py::array_t<std::uint8_t> World::render(const PictureOptions& options) {
  const Use use(*this);
  Image image;
  {
    const py::gil_scoped_release unlocked;
    image = picture(options);
  }
  py::array_t<std::uint8_t> out({image.height, image.width, 3});
  std::copy(image.rgb.begin(), image.rgb.end(), out.mutable_data());
  return out;
}

void register_contacts() {
  PYBIND11_NUMPY_DTYPE(ContactRow, body, other_body, collider, point, feature, place, normal, gap,
                       normal_force, friction);
}

py::tuple columns_of(const Recorder& recorder) {
  const std::vector<MetricsRow>& rows = recorder.rows();
  const auto count = py::ssize_t(rows.size()), columns = py::ssize_t(recorder.columns().size());
  py::array_t<int> frame(count), body(count);
  py::array_t<double> time(count);
  py::array_t<double> cells({columns, count});
  auto cell = cells.mutable_unchecked<2>();
  for (py::ssize_t r = 0; r < count; ++r) {
    const MetricsRow& row = rows[std::size_t(r)];
    frame.mutable_at(r) = row.frame;
    body.mutable_at(r) = row.body;
    time.mutable_at(r) = row.time;
    for (py::ssize_t c = 0; c < columns; ++c) cell(c, r) = row.cells[std::size_t(c)];
  }
  return py::make_tuple(py::cast(recorder.columns()), frame, time, body, cells);
}

}  // namespace pliant::python
