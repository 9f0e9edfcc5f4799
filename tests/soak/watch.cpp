// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_body.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant::soak {
namespace {

double size_of(const Body& body) {
  const Bounds box = bounds_of(body.rest_surface());
  return (box.max - box.min).norm();
}

constexpr double most_way = 0.1;      // of the size, in a step
constexpr double most_damping = 0.1;  // s: more keeps for good what a step errs in

}  // namespace

Crossings::Crossings(Scene& scene) {
  Simulation& simulation = scene.simulation;
  for (int i = 0; i < int(simulation.bodies().size()); ++i) {
    if (!simulation.meets_others(i)) continue;
    const Body& body = simulation.bodies()[std::size_t(i)];
    Meeting meeting{i,
                    simulation.body(i).method().contact_body(),
                    std::make_unique<MovingSurface>(body.contact_rest(), body.contact_triangles()),
                    {},
                    {},
                    Points(body.contact_rest().size())};
    if (simulation.flaws(i))
      meeting.self = std::make_unique<SelfSearch>(body.contact_rest(), body.contact_triangles());
    bodies_.push_back(std::move(meeting));
  }
}

/// Contacts number points by their places at rest; triangles have them as given.
void Crossings::place(Meeting& meeting) {
  ContactStage& stage = meeting.contact->stage();
  const Gather& points = stage.rows().points();
  meeting.nodes_to_points.resize(std::size_t(points.rows()));
  gather(points, meeting.contact->nodes().x, meeting.nodes_to_points);
  for (std::size_t k = 0; k < meeting.x.size(); ++k)
    meeting.x[k] = meeting.nodes_to_points[std::size_t(stage.numbers()[k])];
}

bool Crossings::excused(const Simulation& simulation, int a, int b) const {
  for (const IndexPair& pair : simulation.crossing_after_step())
    if ((pair.first == a && pair.second == b) || (pair.first == b && pair.second == a)) return true;
  return false;
}

std::optional<std::string> Crossings::look(const Simulation& simulation) {
  for (Meeting& meeting : bodies_) {
    place(meeting);
    meeting.surface->refit(meeting.x, meeting.x, 0);
  }
  const auto name = [&](const Meeting& m) { return simulation.bodies()[std::size_t(m.body)].name(); };
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    Meeting& a = bodies_[i];
    if (!simulation.met_others(a.body)) continue;
    if (a.self && !excused(simulation, a.body, a.body) && a.self->crosses(a.x))
      return fmt::format("{} passes through itself", name(a));
    for (std::size_t j = i + 1; j < bodies_.size(); ++j) {
      Meeting& b = bodies_[j];
      if (!simulation.met_others(b.body) || excused(simulation, a.body, b.body)) continue;
      search_.find(*a.surface, a.x, *b.surface, b.x, found_);
      const auto through = std::count_if(found_.begin(), found_.end(), [](const EdgeCrossing& c) {
        return c.meeting == pliant::Meeting::through;
      });
      if (through > 0) return fmt::format("{} and {}: {} edges through triangles", name(a), name(b), through);
    }
  }
  return std::nullopt;
}

Energies::Energies(const Scene& scene) : spec_(scene.spec) {
  const auto last = [](const auto& keys) { return keys.empty() ? 0.0 : keys.back().time; };
  for (const ColliderSpec& collider : spec_.colliders)
    std::visit([&](const auto& c) { last_cause_ = std::max(last_cause_, last(c.motion)); }, collider.is);
  always_ = !spec_.forces.empty();
  for (std::size_t i = 0; i < scene.simulation.bodies().size(); ++i) {
    const Body& body = scene.simulation.bodies()[i];
    const BodySpec& spec = spec_.bodies[i];
    last_cause_ = std::max({last_cause_, body.last_key(), body.method().driven_until().value_or(0)});
    sizes_.push_back(size_of(body));
    // A speed of a hundredth of the size a second, and a strain of 1e-5.
    const double mass = total_mass(body.method().nodes());
    floors_.push_back(mass * std::pow(0.01 * sizes_[i], 2) +
                      1e-10 * spec.entry().stiffness(spec.options()) * mass / spec.density);
  }
}

bool Energies::driven(const Simulation& simulation) {
  bool out = always_ || simulation.time() <= last_cause_ + 2 * simulation.options().h;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const Body& body = simulation.bodies()[i];
    // Bodies that are moved out of something are lifted, too; from deep within they are torn.
    const double depth = body.report().penetration / sizes_[i];
    out |= body.grabbed() || body.report().shortened > 0 || depth > 1e-3;
    always_ |= depth > 0.02;
  }
  return out || !simulation.crossing_after_step().empty();
}

double Energies::gain(const Simulation& simulation) {
  double energy = 0, scale = 0;
  const Vec3 g = simulation.options().gravity;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const Method& method = simulation.bodies()[i].method();
    const NodeState& nodes = method.nodes();
    const double mass = total_mass(nodes), kinetic = kinetic_energy(nodes), elastic = method.elastic_energy();
    energy += kinetic + elastic - mass * g.dot(centre_of_mass(nodes));
    scale += kinetic + elastic + mass * g.norm() * sizes_[i] + floors_[i];
  }
  const double gain = least_ ? (energy - *least_) / most_ : 0;
  most_ = least_ ? std::max(most_, scale) : scale;
  least_ = least_ ? std::min(*least_, energy) : energy;
  return gain;
}

bool Energies::resolved(const Simulation& simulation) const {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    const double way = max_speed(simulation.bodies()[i].method().nodes()) * simulation.options().h;
    if (way > most_way * sizes_[i] || spec_.bodies[i].damping.stiffness > most_damping) return false;
  }
  return true;
}

std::optional<std::string> fallen(const Simulation& simulation) {
  for (const Body& body : simulation.bodies()) {
    if (!body.holds().empty() || body.grabbed()) continue;
    const Vec3 centre = centre_of_mass(body.method().nodes());
    for (std::size_t c = 0; c < simulation.colliders().size(); ++c) {
      const Collider& collider = simulation.colliders()[c];
      const auto* plane = std::get_if<PlaneCollider>(&collider.shape());
      if (!plane || collider.moves()) continue;
      const double height = plane->normal.normalized().dot(centre - plane->point);
      if (height < -size_of(body))
        return fmt::format("{} is {:.3g} m behind plane {}", body.name(), -height, c);
    }
  }
  return std::nullopt;
}

bool finite(const Simulation& simulation) {
  for (const Body& body : simulation.bodies()) {
    if (!all_finite(body.method().nodes())) return false;
    for (const Vec3& p : body.surface())
      if (!p.allFinite()) return false;
  }
  return true;
}

}  // namespace pliant::soak
