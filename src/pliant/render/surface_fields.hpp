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

}  // namespace pliant
