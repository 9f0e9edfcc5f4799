// SPDX-License-Identifier: Apache-2.0
// The step of a body that keeps the volume its surface encloses (kept_volume.hpp).
#pragma once

#include "pliant/methods/geometric/equation.hpp"
#include "pliant/methods/geometric/momentum.hpp"

namespace pliant::geometric {

/// A skin under pressure is stretched. A star whose edges are 1 + e times as long as at rest turns 1 + e
/// times less easily than J of the rest state says: with that J Newton's steps overshoot in the waves of the
/// skin. Each star gets its own share, tr(A0)/tr(R^T A) at X0, never more than 1: 0 <= H <= A still holds.
/// Renews the rotations.
void stiffen_stretched_stars(Equation& e);

/// c and z_c at X0, and how far along z_c the volume is kept.
void aim_volume_from_start(Equation& e);

/// One descent with c of X0, from there on c where that led: the linear constraint then holds near the end of
/// the step. From g = G(0); D = where the linear constraint begins, g = G(0) + H D.
void start_at_volume(Equation& e, SolverVectors& v);

/// The end of the step at V_0, with exact momentum (keep_momentum). Rigid motions keep the volume; but those
/// of held bodies are linearised, hence the repetition.
void end_at_volume(Equation& e, const OuterMotion& outer);

}  // namespace pliant::geometric
