// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/graph_multigrid_kernels.hpp"
//
#include "pliant/math/graph_multigrid_kernels.inl"

namespace pliant {
constinit const GraphKernels graph_kernels_portable = graph_rows::kernels;
}
