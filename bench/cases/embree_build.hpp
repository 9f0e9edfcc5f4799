// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant::bench {

/// Times Embree's hierarchy of a surface, built by one thread at its default quality, ms: the yardstick of
/// everything that is done to a mesh once.
double embree_build_ms(const TriMesh& mesh);

}  // namespace pliant::bench
