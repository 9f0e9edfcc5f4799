// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/outer_forces.hpp"

#include <algorithm>

namespace pliant {
namespace {

constexpr int block = 1024;  // nodes

bool is_constant(const WorldForce& force) { return std::holds_alternative<ConstantForce>(force.is); }

int winds_on(std::span<const WorldForce> forces, const std::string& body) {
  return int(std::count_if(forces.begin(), forces.end(), [&](const WorldForce& force) {
    return std::holds_alternative<WindForce>(force.is) && force.acts_on(body);
  }));
}

}  // namespace

bool OuterForces::follow(std::span<const WorldForce> forces, const std::string& body) {
  return std::any_of(forces.begin(), forces.end(),
                     [&](const WorldForce& force) { return !is_constant(force) && force.acts_on(body); });
}

std::span<const Vec3> OuterForces::on_nodes(const Method& method, const OuterSurface& surface,
                                            std::span<const WorldForce> forces, const std::string& body,
                                            double time, double h, Pool& pool) {
  if (!follow(forces, body)) return given_;
  const NodeState& nodes = method.nodes();
  const std::size_t count = nodes.x.size();
  sum_.resize(count);
  places_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    sum_[i] = given_.empty() ? Vec3(Vec3::Zero()) : given_[i];
    places_[i] = nodes.x[i] + h * nodes.v[i];
  }
  for (const WorldForce& force : forces) {
    if (!force.acts_on(body)) continue;
    const ForceKind now = force.at(time);
    if (const auto* point = std::get_if<PointForce>(&now)) add_field(*point, nodes, pool);
    if (const auto* vortex = std::get_if<VortexForce>(&now)) add_field(*vortex, nodes, pool);
  }
  add_winds(method, surface, forces, body, time, h, pool);
  return sum_;
}

template <class Field>
void OuterForces::add_field(const Field& field, const NodeState& nodes, Pool& pool) {
  for_blocks(pool, int(sum_.size()), block, [&](int begin, int end) {
    for (std::size_t i = std::size_t(begin); i < std::size_t(end); ++i)
      sum_[i] += nodes.mass[i] * acceleration_at(field, places_[i]);
  });
}

void OuterForces::add_winds(const Method& method, const OuterSurface& surface,
                            std::span<const WorldForce> forces, const std::string& body, double time,
                            double h, Pool& pool) {
  const int winds = winds_on(forces, body);
  if (winds == 0) return;
  const Gather& embedding = method.embedding();
  if (!wind_.attached())
    wind_.attach(embedding, surface.triangles, surface.rest, method.nodes().mass, surface.closed,
                 method.nodes().within.sum());
  vertices_.resize(surface.rest.size());
  velocities_.resize(surface.rest.size());
  vertex_forces_.assign(surface.rest.size(), Vec3::Zero());
  gather(embedding, places_, vertices_);
  gather(embedding, method.nodes().v, velocities_);
  for (const WorldForce& force : forces) {
    if (!force.acts_on(body)) continue;
    const ForceKind now = force.at(time);
    if (const auto* wind = std::get_if<WindForce>(&now))
      wind_.add(*wind, vertices_, velocities_, h, most_wind_share / winds, vertex_forces_, pool);
  }
  method.pull_back(vertex_forces_, sum_);
}

}  // namespace pliant
