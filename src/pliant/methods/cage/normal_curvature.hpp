// SPDX-License-Identifier: Apache-2.0
// How the scaled normals bend: the second derivative of f . y(v, w) by the two edges of a face
// (scaled_normals.hpp). With f = dE/dy it is the part of the energy's Hessian that Gauss and Newton leave out.
#pragma once

#include "pliant/methods/cage/scaled_normals.hpp"

namespace pliant::cage {

using FaceCurvature = Eigen::Matrix<double, 6, 6>;  ///< by v, then w

/// Zero where a face has shrunk to a line: its normal has no direction there.
FaceCurvature normal_curvature(const FaceRest& face, const Vec3& v, const Vec3& w, const Vec3& f);

/// The nearest matrix without negative eigenvalues.
FaceCurvature without_negative(const FaceCurvature& m);

}  // namespace pliant::cage
