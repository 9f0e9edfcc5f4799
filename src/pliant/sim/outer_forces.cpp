// SPDX-License-Identifier: Apache-2.0
#include "pliant/sim/outer_forces.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr int block = 1024;             // nodes
constexpr double least_spread = 1e-12;  // of the largest: nodes on a line take no moment about it

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
    if (const auto* point = std::get_if<PointForce>(&now)) add_field(*point, nodes, h, pool);
    if (const auto* vortex = std::get_if<VortexForce>(&now)) add_field(*vortex, nodes, h, pool);
  }
  add_winds(method, surface, forces, body, time, h, pool);
  return sum_;
}

template <class Field>
void OuterForces::add_field(const Field& field, const NodeState& nodes, double h, Pool& pool) {
  for_blocks(pool, int(sum_.size()), block, [&](int begin, int end) {
    for (std::size_t i = std::size_t(begin); i < std::size_t(end); ++i)
      sum_[i] += nodes.mass[i] * acceleration_at(field, places_[i]);
  });
  if (!nodes.within.mass.empty()) add_within(field, nodes, h);
}

/// Forces f on mass that no node carries, as forces on the nodes with their resultant and moment. Such a body moves
/// as one, so that no more of them matters: F/n + w x r, r from the mean place, sum r x (w x r) = sum r x f. It is
/// kicked in the middle of its step: there forces that depend on the place keep its energy.
template <class Field>
void OuterForces::add_within(const Field& field, const NodeState& nodes, double h) {
  const auto middle = [&](const Vec3& x, const Vec3& v) -> Vec3 { return x + h / 2 * v; };
  const NodeState::MassPoints& points = nodes.within;
  const std::size_t count = nodes.x.size();
  Vec3 mean = Vec3::Zero(), force = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t i = 0; i < count; ++i) mean += middle(nodes.x[i], nodes.v[i]) / double(count);
  for (std::size_t k = 0; k < points.x.size(); ++k) {
    const Vec3 x = middle(points.x[k], points.v[k]), f = points.mass[k] * acceleration_at(field, x);
    force += f;
    moment += (x - mean).cross(f);
  }
  Mat3 spread = Mat3::Zero();
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 r = middle(nodes.x[i], nodes.v[i]) - mean;
    spread += r.squaredNorm() * Mat3::Identity() - r * r.transpose();
  }
  const Vec3 w = pseudo_inverse(spread, least_spread) * moment;
  for (std::size_t i = 0; i < count; ++i)
    sum_[i] += force / double(count) + w.cross(middle(nodes.x[i], nodes.v[i]) - mean);
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
