// SPDX-License-Identifier: Apache-2.0
// The energy of linear elasticity seen from every element's own rotation [Mueller04, Sec. 3]: a tetrahedron's
// or, for hexahedra, a quadrature point's. With the
// deformation gradient F = sum_a x_a gradient_a^T, its nearest rotation R (math/polar.hpp) and the strain
// E = sym(R^T F) - I of an element of volume W:
//   V(x) = sum W (mu |E|^2 + lambda/2 (tr E)^2)                                                       (V)
//   force on corner a: -W P gradient_a,  P = R (2 mu E + lambda tr(E) I)                               (f)
// R^T F is symmetric at the nearest rotation, and |F - R|^2 and tr(R^T F) are both stationary there, so that
// dR drops out: (f) is the exact gradient of (V), and equals the R K (R^T x - X) of [Mueller04, Eq. 9]. The
// nearest *rotation* keeps this true of inverted elements: their smallest stretch is negative, and they are
// pushed back through flat.
//   K'_ab = W (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I),  g = R gradient                    (K)
// is R K R^T [Mueller04, Eq. 11]: the Hessian with R held, semidefinite in every state. `linear`: R = I,
// where (K) is exact.
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "pliant/methods/fem/model.hpp"

namespace pliant::fem {

using Rotations = std::vector<Eigen::Quaterniond>;  ///< one an element

inline Mat3 deformation_gradient(const Element& element, std::span<const Vec3> x) {
  // The gradients sum to zero: differences keep the digits far from the origin.
  const Vec3& origin = x[element.node[0]];
  Mat3 f = (x[element.node[1]] - origin) * element.gradient[1].transpose();
  for (std::size_t a = 2; a < element.node.size(); ++a)
    f.noalias() += (x[element.node[a]] - origin) * element.gradient[a].transpose();
  return f;
}

/// R of element e, from the warm start; I for `linear`; the warm start itself where it is given (rig.hpp): there
/// V is a quadratic of x, (f) its gradient and (K) its Hessian, all exact.
Eigen::Quaterniond rotation(const Model& model, Index e, const Mat3& f, const Eigen::Quaterniond& warm_start);

/// sym(A).
inline Mat3 symmetric(const Mat3& a) { return 0.5 * (a + a.transpose()); }

/// 2 mu E + lambda tr(E) I, Pa.
inline Mat3 stress(const Model& model, const Mat3& strain) {
  return 2 * model.mu * strain + model.lambda * strain.trace() * Mat3::Identity();
}

/// Both with rotations from the given warm starts.
double energy(const Model& model, std::span<const Vec3> x, const Rotations& warm_starts);
void gradient(const Model& model, std::span<const Vec3> x, const Rotations& warm_starts, std::span<Vec3> out);

}  // namespace pliant::fem
