// SPDX-License-Identifier: Apache-2.0
// A round bar with fine bumps: detail that shows how a coarse deformation carries it [Martin09, Fig. 1].
#pragma once

#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

struct BumpyBar {
  double length = 6;                        ///< along z, m
  double radius = 0.75;                     ///< m
  double bump = 0.05;                       ///< height of the bumps over and under the radius, m
  std::array<int, 2> waves{9, 14};          ///< bumps around and along
  std::array<int, 2> resolution{128, 160};  ///< quads around and along
  Vec3 center{0, 0, 0};                     ///< m
};

/// Closed and outward: quads around the bar, rings of them and a fan on the flat ends. At angle t and place z
/// along the bar the radius is  radius + bump cos(waves_0 t) cos(2 pi waves_1 z / length).
PolygonMesh bumpy_bar_surface(const BumpyBar& bar);

}  // namespace pliant
