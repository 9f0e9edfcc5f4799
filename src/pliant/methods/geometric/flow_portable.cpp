// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/flow_kernels.inl"

namespace pliant::geometric {

constinit const FlowKernels flow_kernels_portable = make_flow_kernels();

}  // namespace pliant::geometric
