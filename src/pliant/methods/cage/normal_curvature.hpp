// SPDX-License-Identifier: Apache-2.0
// How the scaled normals bend: the second derivative of f . y(v, w) by the two edges of a face
// (scaled_normals.hpp). With f = dE/dy it is the part of the energy's Hessian that Gauss and Newton leave
// out.
#pragma once

#include "pliant/methods/cage/scaled_normals.hpp"

namespace pliant::cage {

using FaceCurvature = Eigen::Matrix<double, 6, 6>;  ///< by v, then w

/// Zero where a face has shrunk to a line: its normal has no direction there.
FaceCurvature normal_curvature(const FaceRest& face, const Vec3& v, const Vec3& w, const Vec3& f);

/// A face that has shrunk to a line turns its normal at once: there the body tears. Many motions of a cage
/// hardly move the body, so that a small energy is enough to keep its faces open, none above 0.15 of their
/// area at rest:  b(a) = -(1 - a/0.15)^2 ln(a/0.15),  a = area over that at rest.
struct Barrier {
  double energy = 0;
  Eigen::Matrix<double, 6, 1> gradient = Eigen::Matrix<double, 6, 1>::Zero();  ///< by v, then w
  FaceCurvature curvature = FaceCurvature::Zero();
};
/// False: the face is open enough, nothing was written. Derivatives on demand.
bool face_barrier(const FaceRest& face, const Vec3& v, const Vec3& w, bool derivatives, Barrier& out);

/// The nearest matrix without negative eigenvalues.
FaceCurvature without_negative(const FaceCurvature& m);

}  // namespace pliant::cage
