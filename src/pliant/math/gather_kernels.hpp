// SPDX-License-Identifier: Apache-2.0
// Rows of W c (gather.hpp), once per instruction set.
#pragma once

namespace pliant {

struct GatherArrays {
  const int *begin, *column;
  const double* weight;
  const double* channels;  ///< 3 each
  double* out;             ///< 3 a row
};

/// Rows [first, last). A row's bits do not depend on what else is computed.
using GatherRows = void (*)(const GatherArrays& arrays, int first, int last);

GatherRows gather_rows();  ///< of base/simd.hpp's level

void gather_rows_portable(const GatherArrays& arrays, int first, int last);
void gather_rows_avx2(const GatherArrays& arrays, int first, int last);
void gather_rows_avx512(const GatherArrays& arrays, int first, int last);

}  // namespace pliant
