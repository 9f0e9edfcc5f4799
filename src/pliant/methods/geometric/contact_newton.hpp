// SPDX-License-Identifier: Apache-2.0
// The step under contact, G(D) = h' J^T r: conjugate gradients over projected steps, the contact problem
// inside each; steps that turn far are linearised again, about parts that have turned on arcs (part_arcs.hpp).
#pragma once

#include "pliant/methods/geometric/contact.hpp"

namespace pliant::geometric {

/// Newton's step, after contact.meet. Where it turns far it is linearised again; where that climbs it is done
/// by projected steps with new rotations each: without the split, B = A^-1 bounds every Hessian.
void contact_newton(Equation& e, SolverVectors& v, ContactStep& contact);

/// `count` projected steps with new rotations each, after contact.meet; without the split when they run away
/// with it.
void contact_local_global(Equation& e, SolverVectors& v, ContactStep& contact, int count);

}  // namespace pliant::geometric
