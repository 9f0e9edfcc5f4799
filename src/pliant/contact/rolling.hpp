// SPDX-License-Identifier: Apache-2.0
// Rolling resistance. A round body touches along a patch, which resists rolling. A mesh of it touches with few
// vertices and rocks from facet to facet, where a rigid polyhedron of facets of half the angle q loses only
// about 3 q^2 of its energy at each edge: a ball that fell straight down would rock for minutes. So the ground
// also answers with a torque against the turning w of a part across the normal n:
//   |torque| <= arm N,   opposite to w - (w.n) n,   and no more than stops that turning within the step
//   arm = 0.03 (edge + patch)
// N: sum of the normal forces, at most twice the weight; edge: of the mesh; patch: how far the forces are
// spread along the way that the body rolls, root mean square. Rocking over a facet of width a on a body of
// radius R stores N a^2/(8 R) and costs N arm a/R: each swing loses the share 8 arm/a, whatever the mesh, while
// arm/R, the resistance of a stiff body, vanishes with the mesh. Where the contact sticks the part turns about
// it, else about its centre. A part that turns so fast that it flies more than it rolls, w^2 R > g, is left
// alone. Energy is only taken.
#pragma once

#include "pliant/contact/rebound.hpp"

namespace pliant {

inline constexpr double rolling_arm = 0.03;  ///< of edge and patch

class RollingResistance {
 public:
  /// At the end of a step of a body that nothing holds; edge in m.
  void resist(const StepInput& input, std::span<const Contact> contacts, std::span<const Vec3> impulses,
              double edge, ReboundBody& body);

 private:
  struct Load {
    Index part = 0;
    double sum = 0;                        ///< of r_n, N s
    Vec3 normal{0, 0, 0}, first{0, 0, 0};  ///< sums of n r_n and x r_n
    Mat3 second = Mat3::Zero();            ///< sum of x x^T r_n
  };
  void resist(const Load& load, double edge, const StepInput& input, ReboundBody& body) const;

  std::vector<Load> loads_;
};

}  // namespace pliant
