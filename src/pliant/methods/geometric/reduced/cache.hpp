// SPDX-License-Identifier: Apache-2.0
// What follows from the model, the input and the state, and is kept from step to step to be faster: a step
// without it would make it again, with the same result.
#pragma once

#include "pliant/methods/geometric/reduced/flow.hpp"
#include "pliant/methods/geometric/reduced/holds.hpp"
#include "pliant/methods/geometric/reduced/matrix.hpp"
#include "pliant/methods/geometric/reduced/sweeps.hpp"

namespace pliant::geometric {

struct ReducedCache {
  ReducedHolds holds;    ///< of the last input
  ReducedMatrix matrix;  ///< A
  ReducedFlow flow;      ///< of a plastic body: what sweeps read, from state.rest_vectors
  ReducedSweeps sweeps;

  ReducedCache(const ReducedModel& model, const Options& options, const ReducedState& state)
      : holds(model), matrix(model), sweeps(model, options.adaptive) {
    take_rest_vectors(model, state);
  }

  /// After the state's rest vectors were replaced.
  void take_rest_vectors(const ReducedModel& model, const ReducedState& state) {
    if (!state.rest_vectors.empty()) flow.set_all(model.full, model.basis, state.rest_vectors);
  }
};

}  // namespace pliant::geometric
