// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/reduced/model.hpp"
#include "pliant/physics/implicit_scheme.hpp"

namespace pliant::geometric {

/// What decides the next step together with model and input: everything that `save` writes.
struct ReducedState {
  Coordinates z, v;                   ///< Z, m; dZ/dt, m/s (times the unit of the column)
  Coordinates z_before, v_before;     ///< one step earlier, for BDF2
  Past past = Past::unknown;          ///< of the next step, if it is as long and holds the same pieces
  double h = 0;                       ///< of the last step, s
  std::vector<unsigned char> active;  ///< held pieces of the last step
  AlignedVector<float> quaternions;   ///< of the swept nodes, [batch][w x y z][16]: the next step starts here
  ContactState contact;
  Points rest_vectors;  ///< d of every directed edge of a plastic body; else empty

  /// Whether the next step may use z_before and v_before: it is as long as the last one and holds the same
  /// pieces.
  bool continues(double next_h, const std::vector<unsigned char>& next_active) const {
    return past == Past::known && h == next_h && active == next_active;
  }

  /// The rotation of a swept node, normalized.
  Eigen::Quaterniond rotation(std::size_t swept) const;
  void set_rotations(const Rotations& rotations);  ///< of all swept nodes
  /// All rotations become the identity.
  void clear_rotations();

  void save(Writer& writer) const;
  bool load(Reader& reader);  ///< false: not a state of this body, which stays as it is
};

/// At rest, nothing held.
ReducedState state_at_rest(const ReducedModel& model, bool plastic);

}  // namespace pliant::geometric
