// SPDX-License-Identifier: Apache-2.0
// The inner loops of the single-precision solve, one set per instruction set (base/simd.hpp).
//
// A panel P = [L11^-1; -L21 L11^-1] of one supernode (width w, height m) is cut into groups of 8 columns and
// blocks of 16 rows. Memory runs through groups, in a group through blocks, in a block through columns; the
// 16 rows of a column are one line of 64 bytes. Group g has no blocks before g / 2: P is zero there. Rows
// beyond m are zero. In a line, lane 4 l + q holds row 4 q + l: then three lines (x, y, z) turn into 16 rows
// xyz0 in order by shuffles within 128 bits. Panels of 16-bit integers have the same layout in half the
// bytes; a column of them is to be multiplied by a scale.
#pragma once

#include <cstdint>

namespace pliant {

struct PanelNode {
  std::int64_t panel;  ///< first number of the panel
  std::int64_t rows;   ///< first entry in the row list; the list is filled up to whole blocks
  std::int32_t first;  ///< first own row
  std::int32_t width, height;
};

/// Supernodes [begin, end) and what they work on. Number: float or std::int16_t.
template <class Number>
struct PanelRange {
  const PanelNode* nodes;
  std::int32_t begin, end;
  const Number* panels;
  const float* scale;  ///< of the columns; null: 1
  const std::int32_t* rows;
  float* work;     ///< rows of xyz0
  float* scratch;  ///< 48 floats for each block of the tallest panel
};

/// forward: [y1; b2] = [0; b2] + P b1 in ascending order. backward: x1 = P^T [y1; x2] in descending order.
struct PanelKernels {
  void (*forward)(const PanelRange<float>&);
  void (*backward)(const PanelRange<float>&);
  void (*forward_short)(const PanelRange<std::int16_t>&);
  void (*backward_short)(const PanelRange<std::int16_t>&);
};

extern const PanelKernels panel_kernels_portable, panel_kernels_avx2, panel_kernels_avx512;

}  // namespace pliant
