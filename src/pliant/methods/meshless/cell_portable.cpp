// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/cell_kernels.inl"

namespace pliant::meshless {

constinit const CellKernels cell_kernels_portable{apply<float>, apply<double>, forces,
                                                  curvature,    blend,         diffuse};

}  // namespace pliant::meshless
