// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/geometric/options.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::geometric {

/// The numbers of one step.
struct Scheme : ImplicitScheme {
  /// Factor of the rotations' share in the Hessian: `stiffness`, or h'^2 in the paper's frame.
  double turning = 0;

  Scheme(Integrator integrator, double step, const Damping& damping, DampingFrame frame)
      : ImplicitScheme(integrator, step, damping),
        turning(frame == DampingFrame::corotated ? stiffness : elastic) {}
};

using Context = StepContext<Scheme>;

}  // namespace pliant::geometric
