// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/look.hpp"

#include "pliant/math/polar.hpp"
#include "pliant/math/rotation.hpp"

namespace pliant::cage {
namespace {

constexpr int rotation_iterations = 3;
static_assert(sizeof(PointBatch<float>) == sizeof(RotationBatch));

}  // namespace

template <class T>
void set_rest(int batches, Look<T>& look) {
  look.axes.setIdentity();
  look.batches.resize(std::size_t(batches));
  for (PointBatch<T>& b : look.batches)
    for (int lane = 0; lane < lanes; ++lane) {
      for (int k = 0; k < 4; ++k) b.q[k][lane] = T(k == 0);
      for (int k = 0; k < 9; ++k) b.r[k][lane] = b.a[k][lane] = T(k % 4 == 0);
    }
}

void find_rotations(PointBatch<float>* batches, int count) {
  nearest_rotations(reinterpret_cast<RotationBatch*>(batches), count, rotation_iterations);
}

void find_rotations(PointBatch<double>* batches, int count) {
  for (int b = 0; b < count; ++b)
    for (int lane = 0; lane < lanes; ++lane) {
      PointBatch<double>& at = batches[b];
      const Eigen::Quaterniond q = polar_rotation(
          matrix_of_lane(at.a, lane), {at.q[0][lane], at.q[1][lane], at.q[2][lane], at.q[3][lane]});
      const Mat3 r = q.toRotationMatrix();
      at.q[0][lane] = q.w(), at.q[1][lane] = q.x(), at.q[2][lane] = q.y(), at.q[3][lane] = q.z();
      for (int k = 0; k < 9; ++k) at.r[k][lane] = r(k / 3, k % 3);
    }
}

template void set_rest(int, Look<float>&);
template void set_rest(int, Look<double>&);

}  // namespace pliant::cage
