// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/direct_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"
#include "pliant/math/ordering.hpp"
#include "pliant/math/panel_solver.hpp"
#include "pliant/math/supernodal_factor.hpp"
#include "pliant/math/supernodes.hpp"

namespace pliant {
namespace {

/// The lower-triangular factor itself: panels [L11; L21], column-major, in the order of the supernodes.
struct DoubleFactor {
  std::vector<double> value;
  std::vector<std::size_t> begin;
};

DoubleFactor allocate(const SupernodalPattern& pattern) {
  DoubleFactor factor;
  std::size_t size = 0;
  for (Index s = 0; s < pattern.supernodes(); ++s) {
    factor.begin.push_back(size);
    size += std::size_t(pattern.width(s)) * pattern.height(s);
  }
  factor.value.resize(size);
  return factor;
}

/// x = L^-1 x, then x = L^-T x, columns of L one by one.
void substitute(const SupernodalPattern& pattern, const DoubleFactor& factor, std::vector<Vec3>& x) {
  const Index count = pattern.supernodes();
  for (Index s = 0; s < count; ++s) {
    const double* column = factor.value.data() + factor.begin[s];
    const std::span<const Index> rows = pattern.rows(s);
    for (Index j = 0; j < pattern.width(s); ++j, column += rows.size()) {
      const Vec3 pivot = x[rows[j]] /= column[j];
      for (std::size_t i = j + 1; i < rows.size(); ++i) x[rows[i]] -= column[i] * pivot;
    }
  }
  for (Index s = count - 1; s >= 0; --s) {
    const std::span<const Index> rows = pattern.rows(s);
    for (Index j = pattern.width(s) - 1; j >= 0; --j) {
      const double* column = factor.value.data() + factor.begin[s] + j * rows.size();
      Vec3 sum = x[rows[j]];
      for (std::size_t i = j + 1; i < rows.size(); ++i) sum -= column[i] * x[rows[i]];
      x[rows[j]] = sum / column[j];
    }
  }
}

}  // namespace

struct DirectSolver::Impl {
  bool keep_double = false, in_16_bits = false, factored = false;
  SupernodalPattern pattern;
  EntryMap entries;
  std::vector<Index> matrix_begin, matrix_column;  ///< the pattern that refactor must meet
  PanelSolver panels;
  DoubleFactor exact;
  std::vector<Vec3> work;  ///< of solves in double

  void clear() {
    const bool keep = keep_double, narrow = in_16_bits;
    *this = Impl{};
    keep_double = keep;
    in_16_bits = narrow;
  }
  std::string factor_numbers(const SymmetricMatrix& matrix);
  std::string fill_panels(const SymmetricMatrix& matrix);
  Report report(std::string trouble, double analyse_ms, double factor_ms) const;
};

std::string DirectSolver::Impl::factor_numbers(const SymmetricMatrix& matrix) {
  if (in_16_bits) {
    panels = PanelSolver(pattern, true);
    std::string trouble = fill_panels(matrix);
    if (!trouble.empty() || !panels.coarse()) return trouble;
    panels = PanelSolver(pattern);
  }
  return fill_panels(matrix);
}

std::string DirectSolver::Impl::fill_panels(const SymmetricMatrix& matrix) {
  exact = keep_double ? allocate(pattern) : DoubleFactor{};
  Index overflow = -1;
  const Index failed = factor_supernodes(matrix, pattern, entries, [&](Index s, double* panel) {
    const Index width = pattern.width(s), height = pattern.height(s);
    if (keep_double) std::copy_n(panel, std::size_t(width) * height, exact.value.data() + exact.begin[s]);
    invert_panel(panel, width, height);
    const Index bad = panels.set_panel(pattern, s, panel);
    if (bad >= 0 && overflow < 0) overflow = pattern.first[s] + bad;
  });
  if (failed >= 0)
    return fmt::format(
        "matrix is not positive definite at row {}: a node without mass or a disconnected part without mass "
        "or pin",
        pattern.order[failed]);
  if (overflow >= 0)
    return fmt::format("the inverse factor exceeds single precision at row {}: its pivot is too small",
                       pattern.order[overflow]);
  return {};
}

DirectSolver::Report DirectSolver::Impl::report(std::string trouble, double analyse_ms,
                                                double factor_ms) const {
  return {.trouble = std::move(trouble),
          .analyse_ms = analyse_ms,
          .factor_ms = factor_ms,
          .supernodes = pattern.supernodes(),
          .factor_entries = pattern.factor_entries,
          .panel_floats = panels.panel_floats()};
}

DirectSolver::DirectSolver() : impl_(std::make_unique<Impl>()) {}
DirectSolver::~DirectSolver() = default;
DirectSolver::DirectSolver(DirectSolver&&) noexcept = default;
DirectSolver& DirectSolver::operator=(DirectSolver&&) noexcept = default;

DirectSolver::Report DirectSolver::factor(const SymmetricMatrix& matrix) {
  impl_->clear();
  const auto start = Clock::now();
  if (std::string defect = find_defect(matrix); !defect.empty()) return impl_->report(defect, 0, 0);
  impl_->pattern = analyse(graph_of(matrix));
  impl_->entries = map_entries(matrix, impl_->pattern);
  impl_->panels = PanelSolver(impl_->pattern);
  impl_->matrix_begin = matrix.begin;
  impl_->matrix_column = matrix.column;
  const double analyse_ms = milliseconds_since(start);
  Report report = refactor(matrix);
  report.analyse_ms = analyse_ms;
  if (!report.ok()) impl_->clear();
  return report;
}

DirectSolver::Report DirectSolver::refactor(const SymmetricMatrix& matrix) {
  const auto start = Clock::now();
  std::string trouble = find_defect(matrix);
  if (trouble.empty() && (matrix.begin != impl_->matrix_begin || matrix.column != impl_->matrix_column))
    trouble = "the matrix to refactor has another pattern than the one that was analysed";
  if (trouble.empty()) trouble = impl_->factor_numbers(matrix);
  impl_->factored = trouble.empty();
  return impl_->report(std::move(trouble), 0, milliseconds_since(start));
}

std::span<const Index> DirectSolver::order() const { return impl_->pattern.order; }

void DirectSolver::solve(const Float4* b, Float4* z, Pool& pool) {
  PLIANT_CHECK(impl_->factored);
  impl_->panels.solve(b, z, pool);
}

void DirectSolver::solve(const Vec3* b, Vec3* z) const {
  PLIANT_CHECK(impl_->factored && !impl_->exact.begin.empty());
  const std::vector<Index>& order = impl_->pattern.order;
  std::vector<Vec3>& x = impl_->work;
  x.resize(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) x[k] = b[order[k]];
  substitute(impl_->pattern, impl_->exact, x);
  for (std::size_t k = 0; k < order.size(); ++k) z[order[k]] = x[k];
}

void DirectSolver::keep_double(bool keep) { impl_->keep_double = keep; }

void DirectSolver::use_16_bits(bool in_16_bits) { impl_->in_16_bits = in_16_bits; }

double DirectSolver::multiply_adds() const { return impl_->pattern.multiply_adds; }

std::size_t DirectSolver::bytes_per_solve() const { return impl_->panels.bytes_per_solve(); }

std::size_t DirectSolver::memory_bytes() const {
  const Impl& m = *impl_;
  const std::size_t indices = m.pattern.order.size() + m.pattern.row.size() + m.entries.begin.size() +
                              m.entries.row.size() + m.entries.source.size() + m.matrix_begin.size() +
                              m.matrix_column.size();
  return m.panels.memory_bytes() + m.exact.value.size() * sizeof(double) + indices * sizeof(Index);
}

}  // namespace pliant
