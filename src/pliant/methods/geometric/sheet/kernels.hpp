// SPDX-License-Identifier: Apache-2.0
// The inner loops of sheet/sweeps.hpp, once per instruction set (base/simd.hpp). Vectors are x, y, z, 0 of a
// node. Slots are triangles at flat rest; members, three a triangle, are numbered on.
#pragma once

namespace pliant::geometric {

/// Nothing here is owned. Triangles at flat rest have three members each, the first ones; what follows them
/// belongs to other elements.
struct SheetArrays {
  // K: rows of free nodes without their diagonal.
  const int* row;
  const int* column;
  const double* value;
  const float* value_float;
  // Of every triangle.
  const int* corner;         ///< places, 3
  const double* slope;       ///< gradients of corners 1 and 2 (4 numbers), lambda, 0, 0, 0
  double* frame;             ///< r1, r2, r3: 3 vectors of 4
  double* slew;              ///< G^-1 in the axes of the plane: 11, 12, 22, normal
  float* lever;              ///< q of corners 1 and 2, the three columns of W: 5 vectors of 4
  float* turn;               ///< w: 4
  unsigned char* flattened;  ///< 1: the triangle is a line, its frame was left alone
  // Of every member.
  double* force;    ///< q: 4
  float* followed;  ///< w x q: 4
  // Members at every free node.
  const int* incident_begin;
  const int* incident;
};

/// out = base + diagonal u + what the sweep makes; base, diagonal and u may be null.
struct SheetCollect {
  const float* base;
  const float* diagonal;
  const float* u;
  float* out;
};

struct SheetKernels {
  /// Frames of triangles [begin, end) at x, and q and W from them. tension: also G^-1 from the stretches at x.
  void (*fit)(const SheetArrays& arrays, const double* x, bool tension, int begin, int end);
  /// q and W of one triangle from its frame.
  void (*push)(const SheetArrays& arrays, int triangle);
  /// out = base + diagonal u + scale (K x - sum of q) for nodes [begin, end). Returns u . out.
  double (*gradient)(const SheetArrays& arrays, const double* x, double scale, const SheetCollect& collect,
                     int begin, int end);
  /// w and w x q of triangles [begin, end) for the motion p.
  void (*follow)(const SheetArrays& arrays, const float* p, int begin, int end);
  /// out = base + diagonal u + pull K p - turning (sum of w x q). Returns u . out.
  double (*product)(const SheetArrays& arrays, const float* p, float pull, float turning,
                    const SheetCollect& collect, int begin, int end);
};

const SheetKernels& sheet_kernels();
extern const SheetKernels sheet_kernels_portable, sheet_kernels_avx2, sheet_kernels_avx512;

}  // namespace pliant::geometric
