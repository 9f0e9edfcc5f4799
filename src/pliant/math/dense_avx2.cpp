// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/dense_kernels.inl"

namespace pliant {

constinit const DenseKernels<float> dense_float_avx2 = make_kernels<float>();
constinit const DenseKernels<double> dense_double_avx2 = make_kernels<double>();

}  // namespace pliant
