// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/cage_kernels.hpp"

#include "pliant/base/simd.hpp"

namespace pliant::cage {

template <>
const CageKernels<float>& kernels() {
  static const CageKernels<float>* const by_level[] = {&float_kernels_portable, &float_kernels_avx2,
                                                       &float_kernels_avx512};
  return *by_level[int(simd_level())];
}

template <>
const CageKernels<double>& kernels() {
  static const CageKernels<double>* const by_level[] = {&double_kernels_portable, &double_kernels_avx2,
                                                        &double_kernels_avx512};
  return *by_level[int(simd_level())];
}

}  // namespace pliant::cage
