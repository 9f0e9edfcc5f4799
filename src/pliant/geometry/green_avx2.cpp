// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/green_kernels.inl"

namespace pliant {

void green_avx2(const GreenTriangle* triangles, int count, const double* points, const GreenOutput& out) {
  green(triangles, count, points, out);
}

}  // namespace pliant
