// SPDX-License-Identifier: Apache-2.0
// What a caged body needs before it is built: its cage is read or made, and its nodes become quadrature points
// and the vertices of its surface.
#pragma once

#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/entry.hpp"

namespace pliant::cage {

/// At most one of file, budget and cells, each within its limits.
std::vector<Problem> check(const Options& options);

/// Fills options.mesh. Problems are placed relative to the body.
std::vector<Problem> prepare(Options& options, Shape& shape, Making& making);

}  // namespace pliant::cage
