// SPDX-License-Identifier: Apache-2.0
// How much of its strength each constraint of a lattice has where `stiffness` is in pascals. A cell is an
// element: it owns 1/4 of its twelve lengths, 1/2 of its twelve face diagonals and its four spatial
// diagonals, times the part of it that is filled. A constraint has the sum over the cells that own a share of
// it. Over two cells: each pair of cells in a row owns so much of the constraints through both; where the
// next cell is missing, half the strength goes to the constraint within the cell. Then the energy and the
// forces of any uniform strain are those of a continuum, for bodies of one cell across as well.
//
// Bending and torsion sum z^2 over the layers of a run of N >= 2 cells: constraints in layers of nodes by the
// trapezoid rule, (1 + 2/N^2) of the integral, those across layers by the midpoint rule, (1 - 1/N^2). Gregory's
// end correction moves the share
//   delta = q N/(12 (N - 1))
// from the outermost layer to the next: the outer edges of the cell at the end of a run count 1 - 2 delta, the
// inner ones 1 + 2 delta. Bending of the isotropic lattice is right to this order for q_L + q_D = 3/2 (q_L of
// lengths and pillars, q_D of face diagonals), torsion for q_D = 1: q_L = 1/2, q_D = 1. Uniform strain keeps
// its energy.
#pragma once

#include <span>

#include "pliant/methods/metric/model.hpp"

namespace pliant::metric {

/// Sets model.shares from its cells, and clears the bits of constraints that no cell owns. filled: the part
/// of each cell that is material, > 0; empty: all of it.
void share_among_cells(Model& model, std::span<const double> filled);

}  // namespace pliant::metric
