// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/kernels.inl"

namespace pliant::geometric {

constinit const SheetKernels sheet_kernels_avx2 = make_sheet_kernels();

}  // namespace pliant::geometric
