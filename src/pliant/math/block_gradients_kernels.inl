// SPDX-License-Identifier: Apache-2.0
// The passes of the block conjugate gradients (block_gradients.hpp), double precision, a row's x, y, z, 0 in
// one 256-bit register. A column of a block is loaded with the number behind it; that lane is dropped.
// Internal linkage, raw pointers and GCC vectors only: included by
// block_gradients_{portable,avx2,avx512}.cpp.

namespace pliant {
namespace {
namespace block_rows {

// Deduced types (auto) would lose these attributes.
typedef double Xyz0 __attribute__((vector_size(32), may_alias));
typedef double Column __attribute__((vector_size(32), may_alias, aligned(8)));

inline Xyz0* vectors(double* p) { return reinterpret_cast<Xyz0*>(p); }
inline const Xyz0* vectors(const double* p) { return reinterpret_cast<const Xyz0*>(p); }

/// sum + B v; the last lane is undefined.
inline Xyz0 add_block(Xyz0 sum, const double* b, const double* v) {
  const Xyz0 first = *reinterpret_cast<const Column*>(b), second = *reinterpret_cast<const Column*>(b + 3),
             third = *reinterpret_cast<const Column*>(b + 6);
  return sum + first * v[0] + second * v[1] + third * v[2];
}

inline double total(Xyz0 v) { return v[0] + v[1] + v[2]; }

/// q = A p; returns p . q.
inline double product(const BlockRows& rows, int begin, int end, const double* p, double* q) {
  Xyz0 dot = {};
  for (int i = begin; i < end; ++i) {
    // Two sums: the additions of one need not wait for the other's.
    Xyz0 even = {}, odd = {};
    int k = rows.begin[i];
    const int last = rows.begin[i + 1];
    for (; k + 1 < last; k += 2) {
      even = add_block(even, rows.blocks + 9 * long(k), p + 4 * long(rows.column[k]));
      odd = add_block(odd, rows.blocks + 9 * long(k + 1), p + 4 * long(rows.column[k + 1]));
    }
    if (k < last) even = add_block(even, rows.blocks + 9 * long(k), p + 4 * long(rows.column[k]));
    Xyz0 sum = even + odd;
    sum[3] = 0;
    vectors(q)[i] = sum;
    dot += sum * vectors(p)[i];
  }
  return total(dot);
}

/// z = D^-1 r; returns r . z.
inline double precondition(const BlockRows& rows, int begin, int end, const double* r, double* z) {
  Xyz0 dot = {};
  for (int i = begin; i < end; ++i) {
    Xyz0 sum = add_block(Xyz0{}, rows.inverse + 9 * long(i), r + 4 * long(i));
    sum[3] = 0;
    vectors(z)[i] = sum;
    dot += sum * vectors(r)[i];
  }
  return total(dot);
}

/// x += a p, r -= a q, z = D^-1 r; returns r . z.
inline double advance(const BlockRows& rows, int begin, int end, double a, const double* p, const double* q,
                      double* x, double* r, double* z) {
  for (int i = begin; i < end; ++i) {
    vectors(x)[i] += a * vectors(p)[i];
    vectors(r)[i] -= a * vectors(q)[i];
  }
  return precondition(rows, begin, end, r, z);
}

/// p = z + b p.
inline void redirect(int begin, int end, double b, const double* z, double* p) {
  for (int i = begin; i < end; ++i) vectors(p)[i] = vectors(z)[i] + b * vectors(p)[i];
}

constexpr BlockKernels kernels{product, precondition, advance, redirect};

}  // namespace block_rows
}  // namespace
}  // namespace pliant
