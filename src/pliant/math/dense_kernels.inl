// SPDX-License-Identifier: Apache-2.0
// The kernels of dense_kernels.hpp; see base/simd.hpp for how such a file is written. One tile does all: the
// products of some panels of rows with a few columns stay in registers while the inner index goes by, and
// both are read in the order in which they lie.
#include "pliant/math/dense_kernels.hpp"

namespace pliant {
namespace {

#define PLIANT_INLINE inline __attribute__((always_inline))

#if defined(__AVX512F__)
constexpr int register_bytes = 64, tile_registers = 24;
#elif defined(__AVX2__)
constexpr int register_bytes = 32, tile_registers = 8;
#else
constexpr int register_bytes = 16, tile_registers = 8;
#endif

template <class T>
struct Register;
template <>
struct Register<float> {
  typedef float type __attribute__((vector_size(register_bytes), may_alias));
};
template <>
struct Register<double> {
  typedef double type __attribute__((vector_size(register_bytes), may_alias));
};
template <class T>
using Lanes = typename Register<T>::type;
template <class T>
constexpr int width = register_bytes / int(sizeof(T));
template <class T>
constexpr int parts = panel_rows / width<T>;  // registers of a panel's column

template <class T>
constexpr int tile_columns = 8 / parts<T>;
template <class T>
constexpr int tile_panels = tile_registers / (parts<T> * tile_columns<T>);

template <class T>
PLIANT_INLINE Lanes<T> load(const T* p) {
  return *reinterpret_cast<const Lanes<T>*>(p);
}
template <class T>
PLIANT_INLINE void store(T* p, const Lanes<T>& v) {
  *reinterpret_cast<Lanes<T>*>(p) = v;
}

enum class Put { set, add, subtract };

/// c = (or += or -=) sum over k of a_k b_k^T for `count` panels of rows, `apart` between them, and the
/// tile's columns; c's panels are c_apart apart.
template <class T, int count, Put put>
PLIANT_INLINE void tile(int k, const T* a, long apart, const T* b, T* c, long c_apart) {
  constexpr int columns = tile_columns<T>, rows = count * parts<T>;
  Lanes<T> sum[columns][rows] = {};
  for (int q = 0; q < k; ++q, a += panel_rows, b += panel_rows) {
    Lanes<T> at[rows];
    for (int i = 0; i < rows; ++i) at[i] = load(a + (i / parts<T>)*apart + (i % parts<T>)*width<T>);
    for (int j = 0; j < columns; ++j) {
      const T factor = b[j];
      for (int i = 0; i < rows; ++i) sum[j][i] += factor * at[i];
    }
  }
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) {
      T* to = c + (i / parts<T>)*c_apart + panel_rows * j + (i % parts<T>)*width<T>;
      if (put == Put::set)
        store(to, sum[j][i]);
      else if (put == Put::add)
        store(to, load(to) + sum[j][i]);
      else
        store(to, load(to) - sum[j][i]);
    }
}

/// The tiles of sixteen columns: `panels` panels of rows from a, the columns' rows in b.
template <class T, Put put>
void tiles(int panels, int k, const T* a, long apart, const T* b, T* c, long c_apart) {
  for (int j = 0; j < panel_rows; j += tile_columns<T>) {
    int i = 0;
    for (; i + tile_panels<T> <= panels; i += tile_panels<T>)
      tile<T, tile_panels<T>, put>(k, a + i * apart, apart, b + j, c + i * c_apart + panel_rows * j, c_apart);
    if (tile_panels < T >> 2 && i + 2 <= panels) {
      tile<T, 2, put>(k, a + i * apart, apart, b + j, c + i * c_apart + panel_rows * j, c_apart);
      i += 2;
    }
    for (; i < panels; ++i)
      tile<T, 1, put>(k, a + i * apart, apart, b + j, c + i * c_apart + panel_rows * j, c_apart);
  }
}

template <class T>
void gram(int panels, int first, int last, long columns, int begin, int end, const T* a, T* c) {
  const long apart = columns * panel_rows, c_apart = static_cast<long>(panels) * panel_rows * panel_rows;
  for (int j = first; j < last; j += panel_rows) {
    const int p = j / panel_rows;
    const T *rows = a + p * apart + static_cast<long>(begin) * panel_rows, *of = rows;
    T* to = c + p * c_apart + static_cast<long>(j) * panel_rows;
    if (begin == 0)
      tiles<T, Put::set>(panels - p, end - begin, rows, apart, of, to, c_apart);
    else
      tiles<T, Put::add>(panels - p, end - begin, rows, apart, of, to, c_apart);
  }
}

PLIANT_INLINE float root(float x) { return __builtin_sqrtf(x); }
PLIANT_INLINE double root(double x) { return __builtin_sqrt(x); }

/// The sixteen by sixteen on the diagonal; column after column. inverse: of its diagonal.
template <class T>
PLIANT_INLINE bool factor_diagonal(T* a, T* inverse) {
  for (int j = 1; j < panel_rows; ++j)
    for (int i = 0; i < j; ++i) a[panel_rows * j + i] = T(0);
  for (int j = 0; j < panel_rows; ++j) {
    T* column = a + panel_rows * j;
    if (!(column[j] > T(0))) return false;
    const T length = root(column[j]);
    inverse[j] = T(1) / length;
    for (int i = 0; i < panel_rows; ++i) column[i] *= inverse[j];
    column[j] = length;
    for (int k = j + 1; k < panel_rows; ++k) {
      const T factor = column[k];
      T* later = a + panel_rows * k;
      for (int part = 0; part < panel_rows; part += width<T>)
        store(later + part, load(later + part) - factor * load(column + part));
    }
  }
  return true;
}

/// A panel's sixteen columns <- columns L^-T of the block on the diagonal.
template <class T>
PLIANT_INLINE void divide(const T* diagonal, const T* inverse, T* c) {
  for (int part = 0; part < panel_rows; part += width<T>) {
    Lanes<T> x[panel_rows];
    for (int j = 0; j < panel_rows; ++j) {
      Lanes<T> sum = load(c + panel_rows * j + part), other = {};
      for (int k = 0; k + 1 < j; k += 2) {
        sum -= diagonal[panel_rows * k + j] * x[k];
        other += diagonal[panel_rows * (k + 1) + j] * x[k + 1];
      }
      if (j % 2 == 1) sum -= diagonal[panel_rows * (j - 1) + j] * x[j - 1];
      x[j] = (sum - other) * inverse[j];
      store(c + panel_rows * j + part, x[j]);
    }
  }
}

template <class T>
bool factor(int panels, T* a) {
  const long apart = static_cast<long>(panels) * panel_rows * panel_rows;
  for (int p = 0; p < panels; ++p) {
    T* rows = a + p * apart;
    T* diagonal = rows + static_cast<long>(p) * panel_rows * panel_rows;
    if (p > 0) tiles<T, Put::subtract>(panels - p, p * panel_rows, rows, apart, rows, diagonal, apart);
    T inverse[panel_rows];
    if (!factor_diagonal(diagonal, inverse)) return false;
    for (int i = p + 1; i < panels; ++i) divide(diagonal, inverse, diagonal + (i - p) * apart);
  }
  return true;
}

template <class T>
PLIANT_INLINE void invert_diagonal(const T* diagonal, T* inverse) {
  for (int j = 0; j < panel_rows; ++j) inverse[j] = T(1) / diagonal[(panel_rows + 1) * j];
}

template <class T>
void solve_rows(int panels, const T* l, int row_panels, T* b) {
  const long apart = static_cast<long>(panels) * panel_rows * panel_rows;
  for (int p = 0; p < panels; ++p) {
    const T* rows = l + p * apart;
    const T* diagonal = rows + static_cast<long>(p) * panel_rows * panel_rows;
    T* to = b + static_cast<long>(p) * panel_rows * panel_rows;
    if (p > 0) tiles<T, Put::subtract>(row_panels, p * panel_rows, b, apart, rows, to, apart);
    T inverse[panel_rows];
    invert_diagonal(diagonal, inverse);
    for (int i = 0; i < row_panels; ++i) divide(diagonal, inverse, to + i * apart);
  }
}

template <class T>
void solve_lower(int panels, const T* l, T* b) {
  const long apart = static_cast<long>(panels) * panel_rows * panel_rows;
  for (int p = 0; p < panels; ++p) {
    const T* at = l + p * apart;
    T* x = b + panel_rows * p;
    Lanes<T> sum[4][parts<T>] = {};
    for (int k = 0; k < panel_rows * p; k += 4, at += 4 * panel_rows)
      for (int e = 0; e < 4; ++e)
        for (int i = 0; i < parts<T>; ++i) sum[e][i] += b[k + e] * load(at + panel_rows * e + i * width<T>);
    for (int i = 0; i < parts<T>; ++i)
      store(x + i * width<T>, load(x + i * width<T>) - ((sum[0][i] + sum[1][i]) + (sum[2][i] + sum[3][i])));
    for (int j = 0; j < panel_rows; ++j, at += panel_rows) {
      const T value = x[j] / at[j];
      for (int i = j + 1; i < panel_rows; ++i) x[i] -= value * at[i];
      x[j] = value;
    }
  }
}

template <class T>
void solve_upper(int panels, const T* l, T* b) {
  constexpr int group = 4;  // columns at a time
  const long apart = static_cast<long>(panels) * panel_rows * panel_rows;
  for (int p = panels - 1; p >= 0; --p) {
    T* x = b + panel_rows * p;
    const T* own = l + p * apart + static_cast<long>(p) * panel_rows * panel_rows;
    for (int j = 0; j < panel_rows; j += group) {
      Lanes<T> sum[group][parts<T>] = {};
      for (int i = p + 1; i < panels; ++i) {
        const T* at = own + (i - p) * apart + panel_rows * j;
        for (int part = 0; part < parts<T>; ++part) {
          const Lanes<T> v = load(b + panel_rows * i + part * width<T>);
          for (int e = 0; e < group; ++e) sum[e][part] += v * load(at + panel_rows * e + part * width<T>);
        }
      }
      for (int e = 0; e < group; ++e) {
        T total = 0;
        for (int part = 0; part < parts<T>; ++part)
          for (int lane = 0; lane < width<T>; ++lane) total += sum[e][part][lane];
        x[j + e] -= total;
      }
    }
    for (int j = panel_rows - 1; j >= 0; --j) {
      T total = x[j];
      for (int i = j + 1; i < panel_rows; ++i) total -= own[panel_rows * j + i] * x[i];
      x[j] = total / own[(panel_rows + 1) * j];
    }
  }
}

template <class T>
constexpr DenseKernels<T> make_kernels() {
  return {gram<T>, factor<T>, solve_rows<T>, solve_lower<T>, solve_upper<T>};
}

}  // namespace
}  // namespace pliant
