// SPDX-License-Identifier: Apache-2.0
// The kernels of sweep_kernels.hpp; see base/simd.hpp for how such a file is written. The order of every sum
// is the same on all instruction sets.
#include "pliant/contact/sweep_kernels.hpp"

namespace pliant {
namespace {

typedef float Eight __attribute__((vector_size(32), may_alias));
typedef double Eight64 __attribute__((vector_size(64), may_alias));

inline double summed(Eight64 v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

void row(const float* s, const double* x, const double* y, const double* z, int count, double out[3]) {
  Eight64 sx = {}, sy = {}, sz = {};
  for (int k = 0; k < count; k += sweep_lanes) {
    const Eight64 w = __builtin_convertvector(*reinterpret_cast<const Eight*>(s + k), Eight64);
    sx += w * *reinterpret_cast<const Eight64*>(x + k);
    sy += w * *reinterpret_cast<const Eight64*>(y + k);
    sz += w * *reinterpret_cast<const Eight64*>(z + k);
  }
  out[0] = summed(sx);
  out[1] = summed(sy);
  out[2] = summed(sz);
}

}  // namespace
}  // namespace pliant
