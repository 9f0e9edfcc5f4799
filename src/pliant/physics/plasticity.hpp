// SPDX-License-Identifier: Apache-2.0
// When a material flows for good, and how far: the law that the methods share. What flows is theirs, for
// example the rest vectors of edges. Symbols: rho strain now, y yield, c creep, h step.
//   rho <= y: elastic
//   rho >  y: the share  kappa = min(1, c (rho - y) h/h_ref)  of the strain becomes the new rest shape
// [Huang06, Eq. 6], with the step length that its c hides: h_ref = 1/30 s, so that a body flows as much in
// two half steps as in one. kappa in [0, 1] keeps the new rest between the old one and the present shape.
#pragma once

#include <algorithm>

namespace pliant {

struct PlasticLaw {
  double yield = 0.02;  ///< strain up to which nothing flows
  double creep = 1;     ///< share of the strain that flows per strain above yield and reference step
  double cap = 0.5;     ///< largest relative change of a rest length
};

inline constexpr double plastic_reference_step = 1.0 / 30;  ///< h_ref, s

/// kappa: 0 while the strain is elastic.
inline double flow_share(const PlasticLaw& law, double strain, double h) {
  return std::clamp(law.creep * (strain - law.yield) * h / plastic_reference_step, 0.0, 1.0);
}

/// A rest length after flow, no further from the first one than the cap allows.
inline double capped_length(const PlasticLaw& law, double length, double first) {
  return std::clamp(length, std::max(0.0, 1 - law.cap) * first, (1 + law.cap) * first);
}

}  // namespace pliant
