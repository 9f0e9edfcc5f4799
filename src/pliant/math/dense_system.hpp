// SPDX-License-Identifier: Apache-2.0
// Small dense symmetric systems in single or double precision, column by column in memory, lower triangle.
// Thin wrappers of OpenBLAS that report failure; each call works in the calling thread.
#pragma once

#include <cstddef>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"

namespace pliant {

/// c (n x n, lower triangle) = a^T a of the columns of a (k x n, k apart). In blocks of columns, by the pool;
/// the blocks depend on n alone.
template <class T>
void gram(int n, int k, const T* a, T* c, Pool& pool);

/// Lower Cholesky factor in place. False: not positive definite.
template <class T>
bool factor(int n, T* a);

/// b (n x columns) <- (L L^T)^-1 b.
template <class T>
void solve(int n, const T* l, T* b, int columns = 1);

/// b (n x columns) <- L^-1 b, and b <- L^-T b.
template <class T>
void solve_lower(int n, const T* l, T* b, int columns);
template <class T>
void solve_upper(int n, const T* l, T* b, int columns);

}  // namespace pliant
