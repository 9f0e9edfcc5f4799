// SPDX-License-Identifier: Apache-2.0
// A contact: one surface vertex of a body and one feature of a collider, for one step.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

/// Tells a contact again in the next step; the order of the solver's sweeps.
struct ContactKey {
  Index vertex = 0, collider = 0, feature = 0;
  auto operator<=>(const ContactKey&) const = default;
};

/// The share of one surface vertex in the row of a contact: the velocity of the contact point is
///   u = sum over the terms of weight * v(vertex) - velocity of the collider.
struct ContactTerm {
  Index vertex = 0;
  double weight = 1;
};

/// The row of a contact over the vertices of one body: one vertex, or the weighted vertices of a triangle or
/// an edge.
struct ContactTerms {
  std::array<ContactTerm, 4> list;
  int count = 0;

  void add(Index vertex, double weight) { list[std::size_t(count++)] = {.vertex = vertex, .weight = weight}; }
  const ContactTerm* begin() const { return list.data(); }
  const ContactTerm* end() const { return list.data() + count; }
};

struct Contact {
  ContactKey key;
  Vec3 normal{0, 1, 0};    ///< from the collider to the body, at the end of the step
  Vec3 velocity{0, 0, 0};  ///< of the collider's material, m/s
  double friction = 0;     ///< Coulomb's coefficient
  double restitution = 0;
  double gap = 0;  ///< over the contact plane at the beginning of the step, m

  /// Against another body. Empty: a collider, which meets the vertex of the key.
  ContactTerms row{};

  /// Both sides are of one body, in one row.
  bool within_one() const {
    double sum = 0;
    for (const ContactTerm& term : row) sum += term.weight;
    return row.count > 1 && std::abs(sum) < 0.5;  // of a side alone it is 1 or -1
  }
  ContactTerms terms() const {
    if (row.count > 0) return row;
    ContactTerms one;
    one.add(key.vertex, 1);
    return one;
  }
};

/// What a body remembers of a contact: the solver's warm start.
struct ContactMemory {
  ContactKey key;
  Index unused = 0;     ///< no bytes without a value: memories are compared and hashed as bytes
  Vec3 force{0, 0, 0};  ///< N
};

/// The side of a collider a vertex was on (Collider::query); only sheets and dirty meshes have one.
struct SideMemory {
  Index collider = 0, vertex = 0;
  Index side = 0;
};

/// A point that hit a collider which gives back some of the speed, until the impact is over (rebound.hpp).
struct ImpactMemory {
  ContactKey key;
  Index part = 0;
  Index idle = 0;                           ///< steps since it last had an impulse
  Index unused = 0;                         ///< no bytes without a value
  double approach = 0, restitution = 0;     ///< m/s, 1
  double energy = 0;                        ///< of the body when the impact began, J
  double elapsed = 0;                       ///< since then, s
  double impulse = 0;                       ///< of the part and the collider since then, N s
  Vec3 normal{0, 1, 0}, velocity{0, 0, 0};  ///< as those of the contact
};

/// What contacts leave to the next step: part of a method's state.
struct ContactState {
  std::vector<ContactMemory> memories;  ///< forces, by key
  std::vector<SideMemory> sides;        ///< by collider and vertex
  std::vector<ImpactMemory> impacts;    ///< by key

  void clear() { memories.clear(), sides.clear(), impacts.clear(); }
};

}  // namespace pliant
