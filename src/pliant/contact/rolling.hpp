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
// arm/R, the resistance of a stiff body, vanishes with the mesh. A part that turns so fast that it flies more
// than it rolls, w^2 R > g, is left alone, and so is one that slides. So is one that stands: its forces are spread
// (root mean square) over two edges and more each way. A block, or a cloth that lies on a ball, does not rock on facets.
//
// The torque is Coulomb's friction of turning. Like friction it only takes energy if it opposes the turning at the
// end of the step, that is, if it is found together with the impulses and if elasticity knows of it. Bodies that
// hand ContactStage::Rolling to their contact problems do so (bound(): N and patch are those of the impulses so
// far, so that the bound stands still while the problem is solved). A torque found after the step (resist())
// works where the body turns freely; a soft one that sways on its feet is fed by it, because its feet push the
// turning back. Bodies with Euler's steps while they touch have that: those take more than it gives. Where such
// a step sticks the torque turns the part about its contacts, else about its centre.
#pragma once

#include "pliant/contact/rebound.hpp"

namespace pliant {

class ContactProblem;

inline constexpr double rolling_arm = 0.03;  ///< of edge and patch

class RollingResistance {
 public:
  /// What may resist the parts of a problem, by the impulses and the turning that it has summed up. mass: of the
  /// parts, kg; edge in m.
  void bound(const StepInput& input, std::span<const Contact> contacts, std::span<const double> mass,
             double edge, ContactProblem& problem);

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
  /// Adds the normal impulse `along` (N s) at a place.
  void add(Index part, double along, const Vec3& normal, const Vec3& place);
  void resist(const Load& load, double edge, const StepInput& input, ReboundBody& body) const;

  std::vector<Load> loads_;
};

}  // namespace pliant
