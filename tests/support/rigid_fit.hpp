// SPDX-License-Identifier: Apache-2.0
// How far a body is from its rest shape, wherever it is and however it has turned.
#pragma once

#include <span>

#include "pliant/base/types.hpp"

namespace pliant {

/// sqrt(sum m |x - (R X + t)|^2 / sum m), with the rigid motion that makes it least.
double shape_error(std::span<const Vec3> x, std::span<const Vec3> rest, std::span<const double> mass);

}  // namespace pliant
