// SPDX-License-Identifier: Apache-2.0
// Small dense symmetric systems in single or double precision. Matrices lie in panels of sixteen rows
// (dense_kernels.hpp), so that products, factor and solves all read in the order of memory: with a few
// hundred freedoms a library's factor spends more time on rearranging than on arithmetic. Failure is told.
#pragma once

#include <cstddef>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/math/dense_kernels.hpp"

namespace pliant {

inline int panels_of(int n) { return (n + panel_rows - 1) / panel_rows; }
/// n, filled up to whole panels.
inline int padded(int n) { return panels_of(n) * panel_rows; }
/// Numbers of a matrix of so many rows and columns.
inline std::size_t panel_size(int rows, int columns) {
  return std::size_t(padded(rows)) * std::size_t(columns);
}
/// Where entry (i, k) of a matrix of so many columns is.
inline std::size_t in_panels(int i, int k, int columns) {
  return (std::size_t(i / panel_rows) * std::size_t(columns) + std::size_t(k)) * panel_rows +
         std::size_t(i % panel_rows);
}

/// c (n x n, lower triangle, padded(n) columns) = a a^T of the rows of a (n x k), whose rows beyond n must be
/// 0. What a part of the pool does depends on n alone.
template <class T>
void gram_panels(int n, int k, const T* a, T* c, Pool& pool);

/// Lower Cholesky factor in place (n x n, padded(n) columns). False: not positive definite.
template <class T>
bool factor(int n, T* a);

/// b (padded(n) numbers) <- (L L^T)^-1 b, L^-1 b, L^-T b. What is beyond n must be 0 and stays so.
template <class T>
void solve(int n, const T* l, T* b);
template <class T>
void solve_lower(int n, const T* l, T* b);
template <class T>
void solve_upper(int n, const T* l, T* b);

/// Every row r of b (rows x n, padded(n) columns) <- L^-1 r.
template <class T>
void solve_lower_rows(int n, const T* l, int rows, T* b, Pool& pool);

/// c (n x n, lower triangle, column by column) = a^T a of the columns of a (k x n, k apart), by OpenBLAS. In
/// blocks of columns, by the pool; the blocks depend on n alone.
template <class T>
void gram(int n, int k, const T* a, T* c, Pool& pool);

}  // namespace pliant
