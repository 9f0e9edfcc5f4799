// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/aligned.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/cage/cage_kernels.hpp"
#include "pliant/methods/cage/scaled_normals.hpp"

namespace pliant::cage {

/// Strains and rotations at the quadrature points, seen from the body's frame.
template <class T>
struct Look {
  Eigen::Quaterniond frame = Eigen::Quaterniond::Identity();
  AlignedVector<PointBatch<T>> batches;
  double energy = 0;  ///< elastic, J
};

/// The body as a whole: what a free flight keeps.
struct Whole {
  Vec3 centre{0, 0, 0};    ///< of mass, m
  Vec3 momentum{0, 0, 0};  ///< kg m/s
  Vec3 spin{0, 0, 0};      ///< angular momentum about the centre, kg m^2/s
  double kinetic = 0;      ///< J
};

struct State {
  Columns x;           ///< vertices of the cage, m
  Columns velocity;    ///< of Z: vertices, then scaled normals; m/s and 1/s
  Look<float> single;  ///< of the precision in use; the other is empty
  Look<double> twice;
  Whole whole;
  std::vector<double> plastic;  ///< permanent strain: xx yy zz yz xz xy of every point; empty = elastic
  std::vector<ContactMemory> contacts;
  std::vector<SideMemory> sides;
  std::vector<Index>
      more;  ///< vertices of the surface that meet colliders besides the spread ones; -1 = free

  template <class T>
  Look<T>& look();
  template <class T>
  const Look<T>& look() const {
    return const_cast<State*>(this)->look<T>();
  }
};
template <>
inline Look<float>& State::look() {
  return single;
}
template <>
inline Look<double>& State::look() {
  return twice;
}

}  // namespace pliant::cage
