// SPDX-License-Identifier: Apache-2.0
// Nodes on a surface that bounds nothing: sheets, tubes, masks. Nodes are vertices, refined if there are few
// and thinned out along the surface if there are many; never joined through space.
#pragma once

#include "pliant/geometry/body_graph.hpp"

namespace pliant {

/// Of the given triangles; vertices with diagonal 1 about the origin. Volumes are areas (thickness 1).
BodyGraph shell_graph(const Points& vertices, const std::vector<Triangle>& triangles, int nodes);

}  // namespace pliant
