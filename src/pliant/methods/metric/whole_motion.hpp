// SPDX-License-Identifier: Apache-2.0
// What the connected parts of a body do as a whole in a step of second order (bdf2.cpp). Inner forces have
// neither resultant nor torque, so that the sum and the moments of (2) hold only inertia, loads and grabs.
// The conjugate gradients hardly see that part of the residual: to their preconditioner a rotation of a stiff
// body is stiff. So a part moves by the rigid motion that balances it as far as its held nodes leave one free,
// and a part that nothing holds has the momenta of the integrator to the last bit (physics/momentum.hpp).
#pragma once

#include "pliant/methods/metric/rigid_motion.hpp"
#include "pliant/methods/metric/scratch.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/momentum.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::metric {

class WholeMotion {
 public:
  /// The model outlives this object.
  explicit WholeMotion(const Model& model) : model_(model) {}

  /// x: where the nodes are after `time`, the length of the step, if every part turns as a rigid body, about a
  /// node that is held, and the rest of the velocities goes on with it. Parts that held nodes leave no turn
  /// move on straight lines.
  void start(const StepInput& input, const NodeState& now, double time, Points& x);
  /// Moves the parts of scratch.x, so that (2) of bdf2.cpp has no resultant and no moments.
  void balance(const StepInput& input, const ImplicitScheme& s, Scratch& scratch);
  /// Sets the momenta of the end scratch.x of a body that is neither held nor grabbed.
  void keep(const StepInput& input, const ImplicitScheme& s, Past past, const State& state, Scratch& scratch);

 private:
  const Model& model_;
  std::vector<RigidMotion> now_, before_, hat_, sums_;
  std::vector<RigidFreedom> freedom_;
  std::vector<RigidBalance> balance_;
  std::vector<Vec3> origin_, shift_;
  std::vector<Mat3> turn_, moments_;
};

}  // namespace pliant::metric
