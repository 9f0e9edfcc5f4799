// SPDX-License-Identifier: Apache-2.0
// Strains and rotations at the quadrature points, seen along the body's own axes. A body that only moved as a
// whole has strain 0 there to the last bit, also in single precision.
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/aligned.hpp"
#include "pliant/base/types.hpp"
#include "pliant/methods/cage/cage_kernels.hpp"

namespace pliant::cage {

template <class T>
struct Look {
  Eigen::Quaterniond axes = Eigen::Quaterniond::Identity();
  AlignedVector<PointBatch<T>> batches;
  double energy = 0;  ///< elastic, J
};

/// The look of a body at rest, without its energy.
template <class T>
void set_rest(int batches, Look<T>& look);

/// The rotations of the deformation gradients; the search starts from those that are there.
void find_rotations(PointBatch<float>* batches, int count);
void find_rotations(PointBatch<double>* batches, int count);

/// Axes and rotations in another precision: where a search starts. The sizes must agree.
template <class From, class To>
void copy_rotations(const Look<From>& from, Look<To>& to) {
  to.axes = from.axes;
  for (std::size_t b = 0; b < to.batches.size(); ++b)
    for (int k = 0; k < 4; ++k)
      for (int lane = 0; lane < lanes; ++lane) to.batches[b].q[k][lane] = To(from.batches[b].q[k][lane]);
}

/// The 3x3 of quadrature point q out of nine rows of lanes: PointBatch::a or PointBatch::r.
template <class T>
Mat3 matrix_of_lane(const T (&rows)[9][lanes], Index lane) {
  Mat3 out;
  for (int k = 0; k < 9; ++k) out(k / 3, k % 3) = double(rows[k][lane]);
  return out;
}

}  // namespace pliant::cage
