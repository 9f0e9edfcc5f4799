// SPDX-License-Identifier: Apache-2.0
// The place where a held or grabbed body rests: the lowest energy of its weight and of the springs of its grabs,
//   E = - m g . c - sum f . x + sum k/2 |t - x|^2
// over the motions that pins and handles leave. Newton's method in the place o and the turning of the body, with
//   K = sum k (1, -[a])^T (1, -[a]) + sum diag(0, (f . a) 1 - sym(a f^T))        over all forces f at arms a from o
// and every eigenvalue of K replaced by its size, so that each step goes down; at a place that is no minimum it
// leaves along the steepest of the directions in which the energy falls away on both sides.
#pragma once

#include "pliant/methods/rigid/joint.hpp"
#include "pliant/physics/statics.hpp"

namespace pliant::rigid {

/// The motion that has come to rest, and how near it is.
Relaxation rest(const Model& model, const StepInput& input, double tolerance, Motion& motion);

}  // namespace pliant::rigid
