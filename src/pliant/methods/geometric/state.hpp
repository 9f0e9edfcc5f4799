// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/geometric/model.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::geometric {

/// What decides the next step together with model and input: everything that `save` writes. Nodes are in the
/// caller's order.
struct State {
  NodeState nodes;
  Points x_before, v_before;        ///< one step earlier, for BDF2
  Past past = Past::unknown;        ///< of the next step, if it is as long and holds the same nodes
  double h = 0;                     ///< of the last step, s
  std::vector<unsigned char> held;  ///< of the last step, one byte a node
  std::vector<float> rotations;     ///< w, x, y, z of every owner of rows: the next step searches from them
  ContactState contact;             ///< forces and sides of the last step's contacts
  Points rest_vectors;              ///< d of every directed edge of a plastic body; else empty

  /// Whether the next step may use x_before and v_before: it is as long as the last one and holds the same
  /// nodes.
  bool continues(double next_h, const std::vector<unsigned char>& next_held) const {
    return past == Past::known && h == next_h && held == next_held;
  }

  void save(Writer& writer) const;
  bool load(Reader& reader);  ///< false: not a state of this body, which stays as it is
};

/// The model at rest.
State state_at_rest(const Model& model, bool plastic);

}  // namespace pliant::geometric
