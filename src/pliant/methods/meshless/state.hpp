// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/meshless/model.hpp"
#include "pliant/methods/meshless/packed_cells.hpp"
#include "pliant/physics/elastic_rod.hpp"
#include "pliant/physics/history.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::meshless {

/// A joint that somebody moves, in place of its keys.
struct DrivenJoint {
  Index joint = 0;
  Vec3 turn{0, 0, 0};  ///< rad, a rotation vector in the axes of the rest pose
  Vec3 move{0, 0, 0};  ///< m
};

/// What decides the next step together with model and input: everything that `save` writes.
struct State : History<Points> {
  NodeState nodes;                  ///< x are the parameters of the nodes; the field is their MLS blend
  bool touches = false;             ///< something touched in the last step
  PackedCells::Quaternions turned;  ///< of the cells: the last valid ones, and warm starts
  std::vector<Float4> node_turned;  ///< of the nodes (w, x, y, z), for warping at nodes and rows; else empty
  AlignedVector<double> flow;       ///< plastic strain of the cells, [batch][xx yy zz yz zx xy][16]; or empty
  ContactState contact;
  std::vector<DrivenJoint> driven;  ///< joints that do not follow their keys
  RodState rod;                     ///< of a loaded skeleton; else empty
};

/// At rest.
State state_at_rest(const Model& model, const PackedCells& cells, const Options& options);
void save(const State& state, Writer& writer);
/// False: not a state of this body. joints: how many there are.
bool load(Reader& reader, std::size_t joints, State& state);

}  // namespace pliant::meshless
