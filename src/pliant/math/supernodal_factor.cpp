// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/supernodal_factor.hpp"

#include <cblas.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>

#include "pliant/base/check.hpp"

// LAPACK as OpenBLAS exports it; character lengths of the Fortran interface are not read by it.
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrtri_(const char* uplo, const char* diag, const int* n, double* a, const int* lda, int* info);
}

namespace pliant {
namespace {

std::mutex blas_guards_mutex;
int blas_guards = 0, blas_threads_before = 0;

std::size_t square(std::size_t a) { return a * a; }

/// Doubles that the stack of updates needs at its highest.
std::size_t stack_size(const SupernodalPattern& pattern) {
  std::vector<std::size_t> held(pattern.supernodes(), 0);  // by the children of s
  std::size_t now = 0, highest = 0;
  for (Index s : pattern.postorder) {
    const std::size_t own = square(std::size_t(pattern.height(s) - pattern.width(s)));
    highest = std::max(highest, now + own);
    now += own - held[s];
    if (pattern.parent[s] >= 0) held[pattern.parent[s]] += own;
  }
  return highest;
}

/// One front: the panel of the supernode's columns and the square update of the rows below them.
class Fronts {
 public:
  Fronts(const SymmetricMatrix& matrix, const SupernodalPattern& pattern, const EntryMap& entries)
      : matrix_(matrix),
        pattern_(pattern),
        entries_(entries),
        local_(pattern.order.size()),
        stack_(new double[stack_size(pattern)]) {
    std::size_t largest = 0;
    for (Index s = 0; s < pattern.supernodes(); ++s) {
      largest = std::max(largest, std::size_t(pattern.height(s)) * pattern.width(s));
    }
    panel_.reset(new double[largest]);
  }

  double* panel() { return panel_.get(); }

  /// Returns -1, or the column of s whose pivot is not positive.
  Index eliminate(Index s) {
    const Index width = pattern_.width(s), height = pattern_.height(s), below = height - width;
    double* update = stack_.get() + top_;
    std::fill_n(panel_.get(), std::size_t(height) * width, 0.0);
    std::fill_n(update, square(below), 0.0);
    gather_entries(s);
    const std::size_t bottom = gather_children(s, update);

    int failed = 0;
    dpotrf_("L", &width, panel_.get(), &height, &failed);
    if (failed) return failed - 1;
    if (below > 0) {
      cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, below, width, 1,
                  panel_.get(), height, panel_.get() + width, height);
      cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, below, width, -1, panel_.get() + width, height, 1,
                  update, below);
      std::copy_n(update, square(below), stack_.get() + bottom);
      waiting_.push_back(s);
    }
    top_ = bottom + square(below);
    return -1;
  }

 private:
  void gather_entries(Index s) {
    const std::span<const Index> rows = pattern_.rows(s);
    const Index width = pattern_.width(s), height = pattern_.height(s);
    for (Index i = 0; i < height; ++i) local_[rows[i]] = i;
    for (Index c = 0; c < width; ++c) {
      const Index column = pattern_.first[s] + c;
      double* to = panel_.get() + std::size_t(c) * height;
      for (Index k = entries_.begin[column]; k < entries_.begin[column + 1]; ++k)
        to[local_[entries_.row[k]]] += matrix_.value[entries_.source[k]];
    }
  }

  /// Adds and drops the updates of the children of s, which end the stack. Returns where they began.
  std::size_t gather_children(Index s, double* update) {
    std::size_t bottom = top_;
    while (!waiting_.empty() && pattern_.parent[waiting_.back()] == s) {
      const Index child = waiting_.back();
      waiting_.pop_back();
      bottom -= square(std::size_t(pattern_.height(child) - pattern_.width(child)));
      add_child(s, child, stack_.get() + bottom, update);
    }
    return bottom;
  }

  void add_child(Index s, Index child, const double* from, double* update) {
    const Index width = pattern_.width(s), height = pattern_.height(s), below = height - width;
    const std::span<const Index> rows = pattern_.rows(child).subspan(pattern_.width(child));
    const Index count = Index(rows.size());
    place_.resize(count);
    for (Index i = 0; i < count; ++i) place_[i] = local_[rows[i]];
    for (Index j = 0; j < count; ++j, from += count) {
      const Index column = place_[j];
      double* to = column < width ? panel_.get() + std::size_t(column) * height
                                  : update + std::size_t(column - width) * below - width;
      for (Index i = j; i < count; ++i) to[place_[i]] += from[i];
    }
  }

  const SymmetricMatrix& matrix_;
  const SupernodalPattern& pattern_;
  const EntryMap& entries_;
  std::vector<Index> local_;    ///< place of a row in the current front
  std::vector<Index> place_;    ///< places of a child's rows
  std::vector<Index> waiting_;  ///< supernodes whose updates are on the stack
  std::unique_ptr<double[]> stack_, panel_;
  std::size_t top_ = 0;
};

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  const std::lock_guard lock(blas_guards_mutex);
  if (blas_guards++ == 0) {
    blas_threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::lock_guard lock(blas_guards_mutex);
  if (--blas_guards == 0) openblas_set_num_threads(blas_threads_before);
}

EntryMap map_entries(const SymmetricMatrix& matrix, const SupernodalPattern& pattern) {
  std::vector<Index> position(pattern.order.size());
  for (std::size_t k = 0; k < pattern.order.size(); ++k) position[pattern.order[k]] = Index(k);
  EntryMap map;
  map.begin.assign(position.size() + 1, 0);
  auto for_each_entry = [&](auto&& visit) {
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index k = matrix.begin[i]; k < matrix.begin[i + 1]; ++k) {
        const auto [column, row] = std::minmax(position[i], position[matrix.column[k]]);
        visit(column, row, k);
      }
  };
  for_each_entry([&](Index column, Index, Index) { ++map.begin[column + 1]; });
  std::partial_sum(map.begin.begin(), map.begin.end(), map.begin.begin());
  map.row.resize(matrix.column.size());
  map.source.resize(matrix.column.size());
  std::vector<Index> next(map.begin.begin(), map.begin.end() - 1);
  for_each_entry([&](Index column, Index row, Index k) {
    map.row[next[column]] = row;
    map.source[next[column]++] = k;
  });
  return map;
}

Index factor_supernodes(const SymmetricMatrix& matrix, const SupernodalPattern& pattern,
                        const EntryMap& entries, const PanelReceiver& receive) {
  const SingleThreadedBlas guard;
  Fronts fronts(matrix, pattern, entries);
  for (Index s : pattern.postorder) {
    const Index failed = fronts.eliminate(s);
    if (failed >= 0) return pattern.first[s] + failed;
    receive(s, fronts.panel());
  }
  return -1;
}

void invert_panel(double* panel, Index width, Index height) {
  for (Index c = 1; c < width; ++c) std::fill_n(panel + std::size_t(c) * height, c, 0.0);
  int failed = 0;
  dtrtri_("L", "N", &width, panel, &height, &failed);
  PLIANT_CHECK(failed == 0);  // pivots are positive
  if (height > width)
    cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, height - width, width, -1,
                panel, height, panel + width, height);
}

}  // namespace pliant
