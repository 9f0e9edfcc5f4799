// SPDX-License-Identifier: Apache-2.0
// The step under contact, G(D) = h' J^T r: conjugate gradients over projected steps, the contact problem
// inside each; steps that turn far are linearised again, about parts that have turned on arcs (part_arcs.hpp).
#pragma once

#include "pliant/methods/geometric/contact.hpp"

namespace pliant::geometric {

/// Newton's step after contact.meet. If it turns far or climbs, it is linearised again. If that diverges, or
/// B splits off no rigid turning (contact_response.hpp), local/global steps with B = A^-1 take over: A bounds
/// every Hessian, so the energy falls.
void contact_newton(Equation& e, SolverVectors& v, ContactStep& contact);

/// `count` projected steps with new rotations each, after contact.meet. If they grow with the split, they are
/// repeated without it.
void contact_local_global(Equation& e, SolverVectors& v, ContactStep& contact, int count);

}  // namespace pliant::geometric
