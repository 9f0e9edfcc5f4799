// SPDX-License-Identifier: Apache-2.0
// What the stages of a step share: the body's rooms, and what the caller handed along.
#pragma once

#include "pliant/methods/cage/equation.hpp"
#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/cage/state.hpp"
#include "pliant/physics/damping.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::cage {

class ContactStep;  // contact.hpp

/// The numbers of the scheme are the damping.
struct Step : StepContext<Damping> {
  const Model& model;
  const Options& options;
  State& state;
  Cache& cache;
  Scratch& scratch;
  ContactStep& contact;

  template <class T>
  Equation<T> equation() const {
    return {model, cache, scratch};
  }
};

/// The two ways to advance positions and velocities of the state; on trouble, which the report tells, the
/// state stays. frozen_step.cpp, consistent_step.cpp.
template <class T>
void advance_frozen(const Step& step, bool split);
/// False: a step of BDF2 that would touch a collider; nothing has changed.
template <class T>
bool advance_consistent(const Step& step, Integrator by);

/// Permanent strain where the strain is above yield (plastic_flow.cpp).
template <class T>
void flow(const Step& step);

}  // namespace pliant::cage
