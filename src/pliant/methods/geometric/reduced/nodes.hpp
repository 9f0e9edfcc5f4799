// SPDX-License-Identifier: Apache-2.0
// Places and velocities of the nodes, x = X + Phi Z, made when someone asks.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/methods/geometric/reduced/state.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::geometric {

class ReducedNodes {
 public:
  explicit ReducedNodes(const Model& full);

  /// At the state; made anew after drop().
  const NodeState& at(const ReducedModel& model, const ReducedState& state);
  /// The same with the help of the pool's threads.
  const NodeState& at(const ReducedModel& model, const ReducedState& state, Pool& pool);
  /// The state has changed.
  void drop() { current_ = false; }

 private:
  void show(const ReducedModel& model, const ReducedState& state, Index begin, Index end);

  NodeState nodes_;
  bool current_ = true;
};

}  // namespace pliant::geometric
