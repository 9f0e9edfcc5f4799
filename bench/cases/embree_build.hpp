// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/tri_mesh.hpp"

namespace pliant::bench {

struct Time {
  double ms = 0, cpu_ms = 0;  ///< on the wall; of all threads
};

/// Times Embree's hierarchy of a surface, built by that many threads at its default quality: the yardstick of
/// everything that is done to a mesh once.
Time embree_build(const TriMesh& mesh, int threads);

}  // namespace pliant::bench
