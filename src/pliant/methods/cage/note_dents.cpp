// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/note_dents.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::cage {

double dent_bias(double poisson) { return 4 * (1 - poisson) / (3 - 4 * poisson); }

// Hertz: a round body sinks by the load over E/(1 - nu^2) to the power 2/3.
std::string note_dents(double poisson) {
  const double bias = dent_bias(poisson);
  return fmt::format(
      "dents too little where it touches a collider, however fine its cage: a load sinks in by {:.2f} of "
      "what its stiffness says, a ball under its weight by {:.2f} (poisson {:g}; docs/methods/cage.md, "
      "Limits). Methods meshless and geometric dent as they should.",
      1 / bias, std::pow(bias, -2.0 / 3), poisson);
}

}  // namespace pliant::cage
