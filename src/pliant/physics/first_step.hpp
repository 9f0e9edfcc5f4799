// SPDX-License-Identifier: Apache-2.0
// The acceleration from which BDF2 starts (implicit_scheme.hpp). That of a trial step is right where the step
// resolves the motion. Where it does not (a stiff body struck, or thrown while it is held) the trial step takes
// much of the energy at once, and a past made from it would give some back: such a body starts with the
// acceleration of the outer forces alone, which makes free fall exact, too.
#pragma once

#include "pliant/physics/node_state.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

/// The trial step resolves the motion if its inner forces change little of it: with dv = h' (a - a_outer),
///   sum m |dv|^2 <= 0.05 (2 E_kinetic + 2 E_elastic) + sum m |h' a_outer|^2
/// On an oscillator of frequency w that is w h' <= 0.22. The last term: what holds a body answers its weight.
inline bool resolves(double inner, double energy, double outer) {
  constexpr double share = 0.05;
  return inner <= 2 * share * energy + outer;
}

/// a: by the trial step in, that of the start out; 0 for nodes that are held or have no mass. elastic: energy at
/// the beginning, J. trusted: the trial step is solved. The arrays are of all nodes; held: one byte a node.
void choose_acceleration(const NodeState& now, const StepInput& input, double drag, double h, double elastic,
                         bool trusted, std::span<const unsigned char> held, Points& a);

}  // namespace pliant
