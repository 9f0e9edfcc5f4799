// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/geometric/model.hpp"
#include "pliant/physics/history.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::geometric {

/// What decides the next step together with model and input: everything that `save` writes. Nodes are in the
/// caller's order.
struct State : History<Points> {
  NodeState nodes;
  std::vector<float> rotations;  ///< w, x, y, z of every owner of rows: the next step searches from them
  ContactState contact;          ///< forces and sides of the last step's contacts
  /// Impulses of the contacts with other bodies in the last step, on nodes, N s: BDF2 is to go on as if they had acted
  /// before it. Empty: none.
  Points carried;
  Points rest_vectors;  ///< d of every directed edge of a plastic body; else empty

  void save(Writer& writer) const;
  bool load(Reader& reader);  ///< false: not a state of this body, which stays as it is
};

/// The model at rest.
State state_at_rest(const Model& model, bool plastic);

}  // namespace pliant::geometric
