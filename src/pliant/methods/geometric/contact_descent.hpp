// SPDX-License-Identifier: Apache-2.0
// One linearisation of a step with contacts about D: the model energy g . p + p . H p/2 is to be smallest over the
// steps p that keep to the contacts. Both ways go by projected steps (ContactStep::project_step), from g = G(D) and
// z = B g, and end with the new D.
//   conjugate_contact    conjugate gradients. Fast where B is near H^-1 and the contacts stay what they are.
//   accelerated_contact  accelerated projected gradients, of bodies with volume rows.
// Reasons with figures: docs/methods/contact/decisions.md.
#pragma once

#include "pliant/methods/geometric/contact.hpp"

namespace pliant::geometric {

struct Descent {
  bool bounded = true;  ///< false: B is no bound of H, the step may climb
  double first = 0;     ///< of its first step: the squared residual, kg m^2
};

/// How well the contact problems of a linearisation are solved, and how far it goes.
struct ContactAccuracy {
  int sweeps;    ///< of one contact problem, at most
  double fine;   ///< residual of a contact problem, m/s: of the first one, and of none less
  double least;  ///< squared residual of the step that counts as none, kg m^2
  double reduction;

  ContactAccuracy(const Equation& e, const ContactStep& contact);
  /// What of the squared residual `first` may be left, kg m^2.
  double enough(double first) const;
};

/// Share of an iteration's change of velocity to which its contact problem is solved: conjugate directions amplify
/// errors.
inline constexpr double contact_accuracy = 0.01;
/// Reduction of the residual, at most: contacts answer what is left, and thin legs tremble on it.
inline constexpr double contact_tolerance = 0.01;
/// Growth of the squared residual at which a step is given up: that of conjugate gradients rises and falls.
inline constexpr double diverging = 16;

Descent conjugate_contact(Equation& e, SolverVectors& v, ContactStep& contact);
Descent accelerated_contact(Equation& e, SolverVectors& v, ContactStep& contact);

}  // namespace pliant::geometric
