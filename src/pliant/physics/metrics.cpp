// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/metrics.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"

namespace pliant {

// All sums run in the order of the nodes: the result does not depend on the number of threads.

namespace {

/// visit(m, x, v) of all mass.
template <class Visit>
void each_mass(const NodeState& nodes, Visit&& visit) {
  PLIANT_CHECK(nodes.v.size() == nodes.x.size() && nodes.mass.size() == nodes.x.size());
  for (std::size_t i = 0; i < nodes.x.size(); ++i) visit(nodes.mass[i], nodes.x[i], nodes.v[i]);
  const NodeState::MassPoints& more = nodes.within;
  PLIANT_CHECK(more.v.size() == more.x.size() && more.mass.size() == more.x.size());
  for (std::size_t i = 0; i < more.x.size(); ++i) visit(more.mass[i], more.x[i], more.v[i]);
}

}  // namespace

double total_mass(const NodeState& nodes) {
  double sum = 0;
  each_mass(nodes, [&](double m, const Vec3&, const Vec3&) { sum += m; });
  return sum;
}

double kinetic_energy(const NodeState& nodes) {
  double twice = 0;
  each_mass(nodes, [&](double m, const Vec3&, const Vec3& v) { twice += m * v.squaredNorm(); });
  return twice / 2;
}

Vec3 linear_momentum(const NodeState& nodes) {
  Vec3 sum = Vec3::Zero();
  each_mass(nodes, [&](double m, const Vec3&, const Vec3& v) { sum += m * v; });
  return sum;
}

Vec3 centre_of_mass(const NodeState& nodes) {
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  each_mass(nodes, [&](double m, const Vec3& x, const Vec3&) {
    sum += m * x;
    mass += m;
  });
  return mass > 0 ? Vec3(sum / mass) : Vec3(Vec3::Zero());
}

Vec3 angular_momentum(const NodeState& nodes) {
  // sum m (x - c) x (v - v_c) = sum m (x - c) x v: the centre's own velocity drops out
  const Vec3 centre = centre_of_mass(nodes);
  Vec3 sum = Vec3::Zero();
  each_mass(nodes, [&](double m, const Vec3& x, const Vec3& v) { sum += m * (x - centre).cross(v); });
  return sum;
}

double max_speed(const NodeState& nodes) {
  double squared = 0;
  for (const Vec3& v : nodes.v) squared = std::max(squared, v.squaredNorm());
  return std::sqrt(squared);
}

bool all_finite(const NodeState& nodes) {
  const auto finite = [](const Vec3& p) { return p.allFinite(); };
  return std::all_of(nodes.x.begin(), nodes.x.end(), finite) &&
         std::all_of(nodes.v.begin(), nodes.v.end(), finite);
}

std::uint64_t frame_hash(std::span<const Vec3> surface, std::uint64_t so_far) {
  for (const Vec3& p : surface) {
    const float xyz[3] = {float(p.x()) + 0.0f, float(p.y()) + 0.0f, float(p.z()) + 0.0f};
    so_far = hash_bytes(xyz, sizeof xyz, so_far);
  }
  return so_far;
}

}  // namespace pliant
