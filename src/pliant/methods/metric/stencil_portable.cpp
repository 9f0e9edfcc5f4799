// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/stencil_kernels.inl"

namespace pliant::metric {

constinit const StencilKernels stencil_kernels_portable = {to_points,
                                                           to_nodes,
                                                           evaluate,
                                                           apply,
                                                           apply_blocks,
                                                           apply_angles,
                                                           diagonal,
                                                           diagonal_blocks,
                                                           cells,
                                                           bound,
                                                           right_side,
                                                           apply_sums,
                                                           start,
                                                           start_sums,
                                                           residual,
                                                           smooth,
                                                           dot,
                                                           subtract,
                                                           add,
                                                           turn,
                                                           start_scaled,
                                                           lower_scaled,
                                                           turn_scaled,
                                                           multiply,
                                                           times,
                                                           scale,
                                                           multiply_blocks,
                                                           restrict_row,
                                                           prolong_row,
                                                           coarsen_row,
                                                           gather_row};

}  // namespace pliant::metric
