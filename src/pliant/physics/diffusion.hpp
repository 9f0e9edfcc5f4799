// SPDX-License-Identifier: Apache-2.0
// Diffusion from sources inside a body [ZJU06, Eqs. 12-14]: q minimises 1/2 int |grad q|^2 with given values at
// the nodes of the sources. With the Laplacian L_ij = sum_c w_c g_i . g_j it is linear in them, q = W q_sources,
//   W = -L_ff^-1 L_fs   (rows of the sources' own nodes: the identity)
// so that W is made once and a step is one product. Rows sum to one where a source reaches.
#pragma once

#include <vector>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/math/symmetric_matrix.hpp"

namespace pliant {

/// W, row by row: one a node, one column a source. source_of: of each node, -1: it has none of its own.
AlignedVector<float> influence_of_sources(const SymmetricMatrix& laplacian,
                                          const std::vector<Index>& source_of, Index sources, Pool& pool);

}  // namespace pliant
