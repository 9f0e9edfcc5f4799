// SPDX-License-Identifier: Apache-2.0
// Parts that turn in a step. A step is a straight line in the positions, and so is its linearisation: a part
// that turns by w gets w x r and is stretched by |w|^2/2. On the arc it is not, and the next linearisation
// begins at its shape:
//   x + step -> x + step + (exp([w]x) - 1 - [w]x) r,   w = J^-1 sum m r x step,  J = sum m (|r|^2 - r r^T)
// r from the centre of mass of the part; w rad.
#pragma once

#include "pliant/methods/geometric/arrangement.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// to += (exp([w]x) - 1 - [w]x) r for the parts that turn; no `turns`: all. x: 4 doubles a node, step and `to`: 4 floats, in
/// places.
void add_arcs(const Model& model, const Arrangement& arrangement, const std::vector<char>& turns,
              const double* x, const float* step, float* to);

}  // namespace pliant::geometric
