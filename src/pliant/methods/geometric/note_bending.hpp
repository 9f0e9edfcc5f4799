// SPDX-License-Identifier: Apache-2.0
// A warning before a slender box of few or long cells bends much too stiffly (docs/methods/geometric.md, Limits).
#pragma once

#include <array>

#include "pliant/methods/entry.hpp"
#include "pliant/methods/geometric/options.hpp"

namespace pliant::geometric {

/// Bending stiffness over that of beam theory, 1 + (section + 3 kept r^2 + 0.06 w r)/N^2: N cells through the
/// thickness, r (`aspect`) times as long as high. An edge along the beam sees the rotations of both its ends, which
/// differ where it is bent; `kept` of that is left (1 - theta, model.hpp). section: 2 where a section is lumped to
/// lines of nodes by the trapezoidal rule, 0 where they have its second moment. w: of the volume rows (RowModuli),
/// which clamps strain; fitted to bars held at one end (docs/methods/geometric/measured.md#bending).
double bending_bias(int cells, double aspect, double kept, double section, double volume = 0);

/// What the held end of a body of so many cells along adds to that: 5/n^2, fitted to the same bars. Nothing is added
/// where nothing is held.
double end_bias(int cells_along);

/// The nodes of each axis of a box that a regular lattice fills; zeros: it is none.
std::array<int, 3> lattice_of_box(const NodeGraph& graph);

/// The warning, or nothing.
std::optional<std::string> note_bending(const Options& options, const BodyPlan& plan);

}  // namespace pliant::geometric
