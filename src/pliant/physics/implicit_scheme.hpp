// SPDX-License-Identifier: Apache-2.0
// The numbers of one implicit step, for methods whose equation is
//   x = x^ + h' v,   (1 + h' alpha) M (x - x^ - h' v^) + h'^2 (alpha M v^ + g + beta c - f) = 0
// with g = dV/dx, c the inner damping's force per beta, f outer forces. It is the same for both integrators:
//   euler: h' = h,    x^ = x_n,                 v^ = v_n
//   bdf2:  h' = 2h/3, x^ = (4 x_n - x_n-1)/3,   v^ likewise
#pragma once

#include "pliant/physics/damping.hpp"

namespace pliant {

enum class Integrator { bdf2, euler };

struct ImplicitScheme {
  double h = 0;           ///< h', s
  double drag = 0;        ///< alpha, 1/s
  double inner_drag = 0;  ///< beta, s
  double mass = 1;        ///< 1 + h' alpha
  double elastic = 0;     ///< h'^2
  double stiffness = 0;   ///< h'^2 + h' beta

  ImplicitScheme() = default;
  ImplicitScheme(Integrator integrator, double step, const Damping& damping)
      : h(integrator == Integrator::bdf2 ? 2 * step / 3 : step),
        drag(damping.mass),
        inner_drag(damping.stiffness),
        mass(1 + h * drag),
        elastic(h * h),
        stiffness(elastic + h * inner_drag) {}
};

/// What a step knows of the time before it. BDF2 starts anew where it knows nothing: at first, and when held
/// nodes or h change. Euler needs no past.
enum class Past : unsigned char {
  unknown,   ///< the next step of BDF2 looks for an acceleration
  known,     ///< x_n-1, v_n-1
  straight,  ///< as if the body had moved on a line: x_n-1 = x_n - h v_n, v_n-1 = v_n
  curved,    ///< as if under an acceleration a: x_n-1 = x_n - h v_n + h^2 a/2, v_n-1 = v_n - h a
};

/// x^ = x + history (x - x_n-1) + line v + bend a,  v^ = v + history (v - v_n-1) + line a.
///
/// A straight start is late by half a step for good: of order 1. For a curved one a = (v' - v_n)/h' with v' of
/// a trial step, an Euler step of length h', which has the matrix of the step. It makes free fall exact and
/// the scheme of order 2; on an oscillator of any frequency it takes energy. Held nodes have a = 0.
struct Extrapolation {
  double history = 0, line = 0, bend = 0;

  Extrapolation(Past past, double step)
      : history(past == Past::known ? 1.0 / 3 : 0),
        line(past == Past::straight || past == Past::curved ? step / 3 : 0),
        bend(past == Past::curved ? -step * step / 6 : 0) {}
};

/// The share of the way to its target that a held node has gone at the end of the trial step: h'/h.
inline constexpr double trial_share = 2.0 / 3;

}  // namespace pliant
