// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/gather_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant {

GatherRows gather_rows() {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return gather_rows_avx512;
    case SimdLevel::avx2:
      return gather_rows_avx2;
    case SimdLevel::portable:
      break;
  }
  return gather_rows_portable;
}

}  // namespace pliant
