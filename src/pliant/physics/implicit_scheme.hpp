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

/// x^ = x + history (x - x_n-1) + line v,  v^ = v + history (v - v_n-1). Without history BDF2 starts as if
/// the last step had been a straight line, x_n-1 = x_n - h v_n.
struct Extrapolation {
  double history = 0, line = 0;

  Extrapolation(Integrator integrator, double step, bool history_applies)
      : history(integrator == Integrator::bdf2 && history_applies ? 1.0 / 3 : 0),
        line(integrator == Integrator::bdf2 && !history_applies ? step / 3 : 0) {}
};

}  // namespace pliant
