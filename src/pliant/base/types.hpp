// SPDX-License-Identifier: Apache-2.0
// The words every file uses. SI units, y up, right-handed, counter-clockwise faces.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

using Index = std::int32_t;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Points = std::vector<Vec3>;
using Triangle = std::array<Index, 3>;

/// One node's three coordinates in single precision, padded so that a 128-bit register holds it: x, y, z, 0.
/// Kernels keep the fourth lane zero.
struct alignas(16) Float4 {
  float x = 0, y = 0, z = 0, w = 0;
};

}  // namespace pliant
