// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/cage_kernels.inl"

namespace pliant::cage {

constinit const CageKernels<float> float_kernels_portable = make_kernels<float>();
constinit const CageKernels<double> double_kernels_portable = make_kernels<double>();

}  // namespace pliant::cage
