// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/calibration.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace pliant::metric {
namespace {

constexpr double least_length =
    0.1;  // of E: what a length adds to C_ii, at least, in cells that are no cubes
constexpr double lowered = 0.97;
constexpr int most_rounds = 2000, stress_rounds = 100;

/// C_ii such that the stress of a stretch along any axis with free sides is E times it.
Vec3 axial_moduli(const Mat3& coupling, const Vec3& first, double young) {
  Mat3 c = coupling;
  c.diagonal() = first;
  for (int k = 0; k < stress_rounds; ++k) {
    const Mat3 inverse = c.inverse();
    for (int i = 0; i < 3; ++i) c(i, i) += young - 1 / inverse(i, i);
  }
  return c.diagonal();
}

/// Lengths with pillars (per axis) and face diagonals (by the axes of their plane) of cells that are no cubes.
struct Unequal {
  Vec3 along;
  Mat3 faces;
};
Unequal unequal_cells(const CubicModuli& cube, const Vec3& spacing) {
  const double e = young(cube), least = std::min(least_length * e, cube.c11 - 2 * cube.c12);
  const Vec3 h2 = spacing.cwiseAbs2();
  Mat3 m = Mat3::Constant(cube.c12);
  Unequal out{Vec3::Constant(cube.c11 - 2 * cube.c12), m};
  for (int round = 0; round < most_rounds; ++round) {
    const Vec3 c = axial_moduli(m, Vec3::Constant(cube.c11), e);
    bool enough = true;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      out.along[i] = (c[i] - h2[i] * (m(i, j) / h2[j] + m(i, k) / h2[k])) / 2;
      if (2 * out.along[i] >= least) continue;
      enough = false;
      for (const int other : {j, k}) m(i, other) = m(other, i) = lowered * m(i, other);
    }
    if (enough) break;
  }
  for (int i = 0; i < 3; ++i) {
    out.along[i] = std::max(out.along[i], least / 2);
    for (int j = 0; j < 3; ++j)
      out.faces(i, j) = m(i, j) * (h2[i] + h2[j]) * (h2[i] + h2[j]) / (4 * h2[i] * h2[j]);
  }
  return out;
}

}  // namespace

CubicModuli moduli(const Options& o) {
  if (o.model == Kind::original) return {2 * o.length, 0, o.angle};
  const double across = area_of(o) + o.pillar_diagonal;
  const double spatial = o.squared ? 0 : 8.0 / 9 * (volume_of(o) + o.pillar_diagonal);
  return {2 * (o.length + across + o.pillar) + spatial, across + spatial, across + spatial};
}

double young(const CubicModuli& c) {
  return c.c11 + c.c12 > 0 ? (c.c11 - c.c12) * (c.c11 + 2 * c.c12) / (c.c11 + c.c12) : 0;
}

SetStrengths set_strengths(const Options& o, const Vec3& spacing) {
  const CubicModuli cube = moduli(o);
  const double unit = o.strength < not_given ? o.strength : o.stiffness * spacing.prod() / young(cube);
  SetStrengths out;
  out.length.fill(unit * o.length);
  out.angle = unit * o.angle;
  if (o.orientation < not_given) out.orientation = unit * o.orientation;
  if (o.model == Kind::original) return out;
  out.pillar.fill(unit * o.pillar);
  out.face.fill(unit * area_of(o));
  out.spatial = unit * volume_of(o);
  out.pillar_diagonal = unit * o.pillar_diagonal;
  if (!(o.orientation < not_given) && o.integrator != Integrator::paper)
    out.orientation = unit * (in_pascals(o) ? cube.c11 : std::max(o.length, volume_of(o)));
  const bool cubes = spacing.maxCoeff() <= (1 + 1e-9) * spacing.minCoeff();
  if (cubes || !in_pascals(o) || (!o.squared && volume_of(o) > 0) || o.pillar_diagonal > 0) return out;
  const Unequal cells = unequal_cells(cube, spacing);
  for (int i = 0; i < 3; ++i) {
    out.length[std::size_t(i)] = unit * cells.along[i] * o.length / (o.length + o.pillar);
    out.pillar[std::size_t(i)] = unit * cells.along[i] * o.pillar / (o.length + o.pillar);
  }
  out.face = {unit * cells.faces(0, 1), unit * cells.faces(0, 2), unit * cells.faces(1, 2)};
  return out;
}

}  // namespace pliant::metric
