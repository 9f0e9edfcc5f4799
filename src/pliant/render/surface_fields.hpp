// SPDX-License-Identifier: Apache-2.0
// What a moving surface can be coloured by, one number a vertex, from positions alone.
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// m/s, from two shapes `seconds` apart.
std::vector<float> speed_field(const Points& before, const Points& after, double seconds);

/// Largest stretch of the surface: current over rest length in the direction that is stretched most (1 =
/// none).
std::vector<float> stretch_field(const Points& rest, const Points& x, const std::vector<Triangle>& triangles);

/// Degrees, 0 .. 180, by which the material at a vertex has turned since rest.
std::vector<float> rotation_field(const Points& rest, const Points& x,
                                  const std::vector<Triangle>& triangles);

/// How far the surface is from a similar one: the largest over the smallest stretch within it (1 = none).
std::vector<float> distortion_field(const Points& rest, const Points& x,
                                    const std::vector<Triangle>& triangles);

struct SurfaceDistortion {
  double p95 = 1;   ///< of the triangles' distortions; 5 % of the rest area have more
  double kink = 0;  ///< degrees: the largest change of the angle between two neighbouring triangles
};
SurfaceDistortion surface_distortion(const Points& rest, const Points& x,
                                     const std::vector<Triangle>& triangles);

}  // namespace pliant
