// SPDX-License-Identifier: Apache-2.0
// The numbers that say how a body is doing: one definition for tests, command, page and bench.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "pliant/base/hash.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant {

/// All mass counts, also that which no node carries.
/// kg.
double total_mass(const NodeState& nodes);

/// Sum of m |v|^2 / 2, J.
double kinetic_energy(const NodeState& nodes);

/// Sum of m v, kg m/s.
Vec3 linear_momentum(const NodeState& nodes);

/// Sum of m x / sum of m, m; zero without mass.
Vec3 centre_of_mass(const NodeState& nodes);

/// Sum of m (x - c) x (v - v_c) about the centre of mass c, kg m^2/s: unchanged by gravity and by free
/// flight.
Vec3 angular_momentum(const NodeState& nodes);

/// Largest |v|, m/s.
double max_speed(const NodeState& nodes);

/// Every position and velocity is a number.
bool all_finite(const NodeState& nodes);

/// The frame hash: FNV-1a (64 bit) over the surface positions of a frame as 32-bit floats, x y z per vertex
/// in the order of the vertices, little endian, minus zero as zero. Frames are chained by passing the hash so
/// far.
std::uint64_t frame_hash(std::span<const Vec3> surface, std::uint64_t so_far = hash_seed);

}  // namespace pliant
