// SPDX-License-Identifier: Apache-2.0
// A reference of its own for balls on a plane. Hertz speaks of a half space: a^3 = 3 F R (1 - nu^2)/(4 E), and
// points far away approach by a^2/R. The centre of mass of a ball sinks less, by a share of the order of a/R, and
// strains of the order of a/R make the law of the material felt. So the whole ball is solved: an axisymmetric
// ball under its own weight on a plane without friction, bilinear finite elements (r, z) that are finest at the
// contact, Newton's method, nodes that touch by an active set.
#pragma once

namespace pliant {

enum class Law {
  linear,     ///< Hooke's law of small strain
  corotated,  ///< mu |F - R|^2 + lambda/2 tr(R^T F - 1)^2: bodies of geometric, meshless and cage
  green       ///< mu |G|^2 + lambda/2 tr(G)^2, G = (F^T F - 1)/2: bodies of metric
};

struct BallOnPlane {
  Law law = Law::linear;
  double poisson = 0.3;
  double load = 0;   ///< density times gravity times radius over Young's modulus
  int fineness = 1;  ///< 10 elements along the radius of the contact, times this
};

/// How far the centre of mass sinks over a^2/R; NaN where Newton's method does not end.
double sinking_over_hertz(const BallOnPlane& ball);

}  // namespace pliant
