// SPDX-License-Identifier: Apache-2.0
// From a shape and a material to a body of the geometric method.
#pragma once

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/model.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::geometric {

/// Young's modulus as row weights, density as node masses:
///   tributary   a_ij = E/2 share_ij: the cells around an edge; masses from the node volumes
///   calibrated  a_ij = E/2 (3 V_i/|N(i)| + 3 V_j/|N(j)|)/|r_ij|^2, V node volumes; for graphs without cells
///   uniform     a_ij = E h/2, masses density h^3, h the mean edge length: every node counts as inside
/// Laplacian rows get lambda = laplacian E h/2.
Result<Rows> make_rows(const NodeGraph& graph, double density, const Options& options);

/// Those of a shape: of the nodes that fill it or of its surface, as the operator says.
Result<Rows> make_rows(const Shape& shape, double density, const Options& options);

/// density in kg/m^3. Knows nothing of pins: they come with the steps.
Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options);

/// A body of given rows, without surface and cells.
Result<std::unique_ptr<Method>> build(Rows rows, const Damping& damping, const Options& options);

}  // namespace pliant::geometric
