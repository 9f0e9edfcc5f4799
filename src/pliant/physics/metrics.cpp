// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/metrics.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

namespace pliant {

// All sums run in the order of the nodes: the result does not depend on the number of threads.

double kinetic_energy(const NodeState& nodes) {
  double twice = 0;
  for (std::size_t i = 0; i < nodes.v.size(); ++i) twice += nodes.mass[i] * nodes.v[i].squaredNorm();
  return twice / 2;
}

Vec3 linear_momentum(const NodeState& nodes) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.v.size(); ++i) sum += nodes.mass[i] * nodes.v[i];
  return sum;
}

Vec3 centre_of_mass(const NodeState& nodes) {
  Vec3 sum = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < nodes.x.size(); ++i) {
    sum += nodes.mass[i] * nodes.x[i];
    mass += nodes.mass[i];
  }
  return sum / mass;
}

Vec3 angular_momentum(const NodeState& nodes) {
  // sum m (x - c) x (v - v_c) = sum m (x - c) x v: the centre's own velocity drops out
  const Vec3 centre = centre_of_mass(nodes);
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < nodes.x.size(); ++i)
    sum += nodes.mass[i] * (nodes.x[i] - centre).cross(nodes.v[i]);
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
