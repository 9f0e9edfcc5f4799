// SPDX-License-Identifier: Apache-2.0
// The curves to which a closed surface shrinks by mean curvature flow [Tagliasacchi12]. The work is CGAL's,
// whose licence is the GPL: it is compiled in with the CMake option PLIANT_GPL only, and a program that has
// it may be given away under the GPL alone. Only mean_curvature.cpp includes CGAL.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

struct MiddleCurves {
  Points points;
  std::vector<std::array<Index, 2>> edges;  ///< may close rings; one piece a part of the surface
};

/// Whether it was compiled in.
bool has_mean_curvature();

/// Of a closed surface without edges of more than two triangles; an error for others, and where it was not
/// compiled in. The error names no file.
Result<MiddleCurves> mean_curvature_curves(const TriMesh& surface);

}  // namespace pliant
