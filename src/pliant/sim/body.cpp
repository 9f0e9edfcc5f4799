// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "pliant/geometry/check_geometry.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant {
namespace {

Vec3 mean(const Points& points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return points.empty() ? sum : Vec3(sum / double(points.size()));
}

/// Empty: the surface's vertices are the points.
Points contact_points_at_rest(const Shape& shape) {
  Points out(std::size_t(shape.contact.rows()));
  gather(shape.contact, shape.graph.positions, out);
  return out;
}

/// The method of a body that has none: no nodes, and no step.
class NoMethod final : public Method {
 public:
  StepReport advance(const StepInput&) override {
    StepReport report;
    report.trouble = trouble;
    return report;
  }
  const NodeState& nodes() const override { return nodes_; }
  void place(std::span<const Vec3>, std::span<const Vec3>) override {}
  void surface(std::span<Vec3>) const override {}
  const Gather& embedding() const override { return embedding_; }
  void pull_back(std::span<const Vec3>, std::span<Vec3>) const override {}
  double elastic_energy() const override { return 0; }
  void elastic_forces(std::span<Vec3>) const override {}
  Relaxation relax(const StepInput&, double, RelaxMemory&) override { return {.trouble = trouble}; }
  void save(Writer&) const override {}
  bool load(Reader&) override { return false; }
  MethodDescription describe() const override { return {.name = "none", .solver = {}}; }
  double mass_damping() const override { return 0; }

  std::string trouble = "the body has no method";

 private:
  NodeState nodes_;
  Gather embedding_;
};

std::string text_of(const std::vector<Problem>& problems) {
  std::string text = Error{{}, problems}.text();
  if (!text.empty()) text.pop_back();
  return text;
}

std::optional<Error> error_of(std::vector<Problem> problems) {
  if (problems.empty()) return std::nullopt;
  return Error{{}, std::move(problems)};
}

/// What a method and a shape must have in common.
void check_fit(const Method* method, const Shape& shape, std::vector<Problem>& problems) {
  if (!method) return problems.push_back({"method", "none", "a method (build_method)", {}});
  if (method->embedding().rows() != Index(shape.surface.vertices.size()) ||
      method->nodes().x.size() != shape.graph.positions.size())
    problems.push_back(
        {"method",
         fmt::format("{} nodes and {} vertices", method->nodes().x.size(), method->embedding().rows()),
         fmt::format("the method of this shape: {} nodes and {} vertices", shape.graph.positions.size(),
                     shape.surface.vertices.size()),
         {}});
}

void check_start(const Start& start, std::size_t nodes, std::vector<Problem>& problems) {
  if (start.x.empty() && start.v.empty()) return;
  for (const auto& [place, list] : {std::pair{"start.x", &start.x}, {"start.v", &start.v}}) {
    if (list->size() != nodes)
      problems.push_back(
          {place, fmt::format("{} entries", list->size()), fmt::format("{}, one a node", nodes), {}});
    if (!std::all_of(list->begin(), list->end(), [](const Vec3& p) { return p.allFinite(); }))
      problems.push_back({place, "a number that is not finite", "finite numbers", {}});
  }
}

/// Nodes that exist, each in one hold.
class HoldCheck {
 public:
  HoldCheck(std::size_t nodes, std::vector<Problem>& problems) : owner_(nodes, -1), problems_(problems) {}

  void add(Index index, const Hold& hold) {
    const std::string place = fmt::format("holds.{}", index);
    for (const Index node : hold.nodes) {
      const bool exists = node >= 0 && std::size_t(node) < owner_.size();
      const Index owner = exists ? std::exchange(owner_[std::size_t(node)], index) : -1;
      if (exists && owner < 0) continue;
      problems_.push_back({place + ".nodes",
                           exists ? fmt::format("node {} that holds.{} has already", node, owner)
                                  : fmt::format("node {}", node),
                           exists ? "each node in one hold, once"
                                  : fmt::format("nodes below {}, those of the body", owner_.size()),
                           {}});
      break;
    }
    for (Problem& problem : check_motion(hold.motion, place + ".motion"))
      problems_.push_back(std::move(problem));
    if (std::isnan(hold.release)) problems_.push_back({place + ".release", "nan", "a time, s", {}});
  }
  /// As it acts.
  void add_placed(Index index, const PlacedHold& placed) {
    add(index, placed.hold);
    const std::string place = fmt::format("holds.{}.", index);
    if (placed.start.size() != placed.hold.nodes.size())
      problems_.push_back({place + "start",
                           fmt::format("{} places", placed.start.size()),
                           fmt::format("{}, one a node", placed.hold.nodes.size()),
                           {}});
    const auto finite = [](const Vec3& p) { return p.allFinite(); };
    if (!std::all_of(placed.start.begin(), placed.start.end(), finite) || !finite(placed.centre) ||
        !finite(placed.scale))
      problems_.push_back({place + "start", "a place or a scale that is not finite", "finite numbers", {}});
  }

 private:
  std::vector<Index> owner_;  ///< of a node; -1: none
  std::vector<Problem>& problems_;
};

/// What a body is made from.
std::vector<Problem> problems_of(const Shape& shape, const Method* method, const std::vector<Hold>& holds,
                                 const Start& start, const ContactOptions& contact) {
  std::vector<Problem> problems = check_shape(shape);
  if (problems.empty()) check_fit(method, shape, problems);
  const std::size_t nodes = method ? method->nodes().x.size() : 0;
  if (problems.empty()) {
    check_start(start, nodes, problems);
    HoldCheck check(nodes, problems);
    for (std::size_t k = 0; k < holds.size(); ++k) check.add(Index(k), holds[k]);
  }
  for (Problem& problem : check_contact(contact, "contact")) problems.push_back(std::move(problem));
  return problems;
}

}  // namespace

Body::Body(std::string name, const Shape& shape, std::unique_ptr<Method> method, std::vector<Hold> holds,
           const Start& start, const ContactOptions& contact)
    : name_(std::move(name)) {
  grabs_.reserve(max_grabs);
  if (std::vector<Problem> wrong = problems_of(shape, method.get(), holds, start, contact); !wrong.empty()) {
    refuse_all(std::move(wrong));
    return;
  }
  triangles_ = shape.surface.triangles;
  faces_ = shape.faces;
  rest_surface_ = shape.surface.vertices;
  if (shape.contact.rows() > 0) contact_triangles_ = shape.contact_triangles;
  contact_rest_ = contact_points_at_rest(shape);
  if (shape.closed) {
    volume_points_ = shape.contact;
    volume_triangles_ = shape.contact_triangles;
    rest_volume_ = volume(shape.graph.positions, rest_surface_);
  }
  closed_ = shape.closed;
  method_ = std::move(method);
  mass_ = total_mass(method_->nodes());
  contact_ = contact;
  surface_ = rest_surface_;
  if (!start.x.empty()) method_->place(start.x, start.v);
  for (Hold& hold : holds) {
    PlacedHold placed = hold_here(std::move(hold.nodes));
    placed.hold.motion = std::move(hold.motion);
    placed.hold.release = hold.release;
    holds_.push_back(std::move(placed));
  }
  place_holds();
}

/// A body without nodes, whose steps fail with these words.
void Body::refuse_all(std::vector<Problem> problems) {
  problems_ = std::move(problems);
  auto none = std::make_unique<NoMethod>();
  none->trouble = text_of(problems_);
  method_ = std::move(none);
  closed_ = false;
  place_holds();
}

PlacedHold Body::hold_here(std::vector<Index> nodes) const {
  PlacedHold placed;
  const Points& x = method_->nodes().x;
  for (const Index node : nodes) {
    const bool exists = node >= 0 && std::size_t(node) < x.size();
    placed.start.push_back(exists ? x[std::size_t(node)] : Vec3(Vec3::Constant(NAN)));
  }
  placed.centre = mean(placed.start);
  placed.hold.nodes = std::move(nodes);
  return placed;
}

std::optional<Error> Body::set_holds(std::vector<PlacedHold> holds) {
  std::vector<Problem> problems;
  HoldCheck check(method_->nodes().x.size(), problems);
  for (std::size_t k = 0; k < holds.size(); ++k) check.add_placed(Index(k), holds[k]);
  if (!problems.empty()) return error_of(std::move(problems));
  holds_ = std::move(holds);
  holds_changed_ = true;
  place_holds();
  return std::nullopt;
}

std::optional<Error> Body::set_contact(const ContactOptions& contact) {
  if (auto error = error_of(check_contact(contact))) return error;
  contact_ = contact;
  return std::nullopt;
}

/// What follows from the holds.
void Body::place_holds() {
  active_.assign(holds_.size(), 0);
  poses_.assign(holds_.size(), Pose{});
  chosen_ = false;
  slots_.clear();
  for (Index k = 0; k < Index(holds_.size()); ++k)
    for (Index rank = 0; rank < Index(holds_[k].hold.nodes.size()); ++rank)
      slots_.push_back({holds_[k].hold.nodes[rank], k, rank});
  std::sort(slots_.begin(), slots_.end(), [](const Slot& a, const Slot& b) { return a.node < b.node; });
  held_.reserve(slots_.size());
  held_slots_.reserve(slots_.size());
  targets_.reserve(slots_.size());
  hold_sizes_.reserve(slots_.size());
}

/// A hold acts in a step that ends no later than its release (a billionth of a step forgives round-off).
void Body::choose_held(double end, double h) {
  bool changed = !chosen_;
  for (std::size_t k = 0; k < holds_.size(); ++k) {
    const char now = end <= holds_[k].hold.release + 1e-9 * h;
    changed |= now != active_[k];
    active_[k] = now;
  }
  if (!changed) return;
  chosen_ = true;
  held_.clear();
  held_slots_.clear();
  for (Index s = 0; s < Index(slots_.size()); ++s)
    if (active_[slots_[s].hold]) {
      held_.push_back(slots_[s].node);
      held_slots_.push_back(s);
    }
  targets_.resize(held_.size());
  hold_sizes_.clear();
  for (const Index s : held_slots_) hold_sizes_.push_back(Index(holds_[slots_[s].hold].hold.nodes.size()));
}

/// Targets at the end of the step: c + R S (x_start - c) + translation.
void Body::aim(double end) {
  for (std::size_t k = 0; k < holds_.size(); ++k)
    if (active_[k]) poses_[k] = holds_[k].hold.motion.at(end);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Slot& slot = slots_[held_slots_[i]];
    const PlacedHold& placed = holds_[slot.hold];
    const Vec3& start = placed.start[slot.rank];
    const Pose& pose = poses_[slot.hold];
    // a pin stays exactly where it starts
    targets_[i] =
        placed.hold.motion.keys.empty() && placed.scale == Vec3::Ones()
            ? start
            : Vec3(placed.centre + pose.rotation * (start - placed.centre).cwiseProduct(placed.scale) +
                   pose.translation);
  }
}

std::span<const Vec3> Body::outer_forces(std::span<const WorldForce> forces, double time, double h,
                                         Pool& pool) {
  return forces_.on_nodes(*method_, {triangles_, rest_surface_, closed_}, forces, name_, time, h, pool);
}

StepInput Body::aim_at(double end, double h, const Environment& around, Pool& pool) {
  pool_ = &pool;
  choose_held(end, h);
  aim(end);
  contacts_.clear();
  last_step_ = h;
  const Vec3 gravity = with_constant_forces(around.gravity, around.forces, name_, end);
  const std::span<const Vec3> forces = outer_forces(around.forces, end, h, pool);
  outer_force_ = std::accumulate(forces.begin(), forces.end(), Vec3(mass_ * gravity));
  return {.h = h,
          .time = end,
          .gravity = gravity,
          .held = held_,
          .targets = targets_,
          .hold_sizes = hold_sizes_,
          .grabs = grabs_,
          .forces = forces,
          .colliders = around.colliders,
          .contact = contact_,
          .contact_log = &contacts_,
          .pool = &pool};
}

bool Body::is_left_alone(double time) const {
  const auto ends = [&](const PlacedHold& placed) {
    const std::vector<MotionKey>& keys = placed.hold.motion.keys;
    const bool released = placed.hold.release <= time, stays = std::isinf(placed.hold.release);
    return released || (stays && (keys.empty() || keys.back().time <= time));
  };
  return grabs_.empty() && forces_.given().empty() && std::all_of(holds_.begin(), holds_.end(), ends);
}

const StepReport& Body::advance(double end, double h, const Environment& around, Pool& pool) {
  report_ = method_->advance(aim_at(end, h, around, pool));
  return report_;
}

const Points& Body::surface() const {
  if (pool_)
    method_->surface_in_parallel(surface_, *pool_);
  else
    method_->surface(surface_);
  return surface_;
}

/// The long flat faces of a coarse mesh are chords of a bent body: those of a thin wall's two sides differ by
/// more than its thickness. So the volume is that inside the faces that follow the nodes.
double Body::volume(const Points& nodes, const Points& surface) const {
  if (volume_points_.rows() == 0) return enclosed_volume(surface, triangles_);
  volume_at_.resize(std::size_t(volume_points_.rows()));
  gather(volume_points_, nodes, volume_at_);
  return enclosed_volume(volume_at_, volume_triangles_);
}

std::optional<double> Body::volume_ratio() const {
  if (!closed_) return std::nullopt;
  if (!(rest_volume_ > 0)) return std::nullopt;
  return volume(method_->nodes().x, surface()) / rest_volume_;
}

void Body::set_grabs(std::span<const Grab> grabs) {
  const std::size_t count = std::min(grabs.size(), std::size_t(max_grabs));
  grabs_.assign(grabs.begin(), grabs.begin() + std::ptrdiff_t(count));
}

std::optional<Error> Body::set_forces(std::span<const Vec3> forces) {
  std::vector<Problem> problems;
  const std::size_t nodes = method_->nodes().x.size();
  if (!forces.empty() && forces.size() != nodes)
    problems.push_back(
        {"forces", fmt::format("{} entries", forces.size()), fmt::format("{}, one a node", nodes), {}});
  if (!std::all_of(forces.begin(), forces.end(), [](const Vec3& f) { return f.allFinite(); }))
    problems.push_back({"forces", "a number that is not finite", "finite numbers, N", {}});
  if (!problems.empty()) return error_of(std::move(problems));
  forces_.set(forces);
  return std::nullopt;
}

namespace {

void save_hold(const PlacedHold& placed, Writer& writer) {
  writer.value(std::uint64_t(placed.hold.nodes.size()));
  writer.array(placed.hold.nodes);
  writer.array(placed.start);
  writer.value(std::uint64_t(placed.hold.motion.keys.size()));
  writer.array(placed.hold.motion.keys);
  writer.value(placed.hold.motion.ease);
  writer.value(placed.hold.release);
  for (const Vec3& v : {placed.centre, placed.scale})
    for (int c = 0; c < 3; ++c) writer.value(v[c]);
}

bool load_hold(PlacedHold& placed, std::size_t nodes, Reader& reader) {
  std::uint64_t count = 0, keys = 0;
  reader.value(count);
  if (!reader.ok() || count > nodes) return false;
  placed.hold.nodes.resize(count);
  placed.start.resize(count);
  reader.array(placed.hold.nodes);
  reader.array(placed.start);
  reader.value(keys);
  if (!reader.ok() || keys > (1u << 20)) return false;
  placed.hold.motion.keys.resize(keys);
  reader.array(placed.hold.motion.keys);
  reader.value(placed.hold.motion.ease);
  reader.value(placed.hold.release);
  for (Vec3* v : {&placed.centre, &placed.scale})
    for (int c = 0; c < 3; ++c) reader.value((*v)[c]);
  return reader.ok() && (placed.hold.motion.ease == Ease::smooth || placed.hold.motion.ease == Ease::linear);
}

}  // namespace

void Body::save(Writer& writer) const {
  method_->save(writer);
  writer.value(std::uint64_t(grabs_.size()));
  for (const Grab& grab : grabs_) {  // field by field: no padding goes into a file
    writer.value(grab.node);
    for (int c = 0; c < 3; ++c) writer.value(grab.target[c]);
    writer.value(grab.stiffness);
  }
  writer.value(std::uint64_t(forces_.given().size()));
  writer.array(forces_.given());
  // holds that are still those of the scene are not state
  writer.value(std::uint64_t(holds_changed_ ? holds_.size() + 1 : 0));
  if (!holds_changed_) return;
  for (const PlacedHold& placed : holds_) save_hold(placed, writer);
}

bool Body::load(Reader& reader) {
  if (!method_->load(reader)) return false;
  caution_ = 0;
  contacts_.clear();
  std::uint64_t count = 0;
  reader.value(count);
  if (!reader.ok() || count > max_grabs) return false;
  grabs_.resize(count);
  for (Grab& grab : grabs_) {
    reader.value(grab.node);
    for (int c = 0; c < 3; ++c) reader.value(grab.target[c]);
    reader.value(grab.stiffness);
  }
  const std::size_t nodes = method_->nodes().x.size();
  std::uint64_t forces = 0;
  reader.value(forces);
  if (!reader.ok() || (forces != 0 && forces != nodes)) return false;
  Points given(forces);
  reader.array(given);
  forces_.set(given);
  chosen_ = false;
  std::uint64_t holds = 0;
  reader.value(holds);
  if (!reader.ok() || holds > nodes + 1) return false;
  if (holds == 0) return true;
  std::vector<PlacedHold> placed(holds - 1);
  for (PlacedHold& hold : placed)
    if (!load_hold(hold, nodes, reader)) return false;
  return !set_holds(std::move(placed));
}

void Body::save_report(Writer& writer) const {
  const StepReport& r = report_;
  for (const int count :
       {r.contacts, r.active_rotations, r.kept_rotations, r.yields, r.breakdowns, int(r.violent)})
    writer.value(count);
  for (const double value : {r.contact_residual, r.penetration, last_step_}) writer.value(value);
  for (int c = 0; c < 3; ++c) writer.value(r.contact_impulse[c]);
  const std::span<const ContactRecord> records = contacts_.records();
  writer.array(std::vector<ContactRecord>(records.begin(), records.end()));
}

bool Body::load_report(Reader& reader) {
  StepReport& r = report_ = {};
  int violent = 0;
  for (int* count : {&r.contacts, &r.active_rotations, &r.kept_rotations, &r.yields, &r.breakdowns, &violent})
    reader.value(*count);
  for (double* value : {&r.contact_residual, &r.penetration, &last_step_}) reader.value(*value);
  for (int c = 0; c < 3; ++c) reader.value(r.contact_impulse[c]);
  r.violent = violent != 0;
  std::vector<ContactRecord> records;
  reader.list(records);
  contacts_.clear();
  for (const ContactRecord& record : records) contacts_.add(record);
  return reader.ok();
}

}  // namespace pliant
