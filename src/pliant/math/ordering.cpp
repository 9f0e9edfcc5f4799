// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/ordering.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <cmath>
#include <csignal>
#include <mutex>
#include <new>
#include <numeric>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

static_assert(sizeof(idx_t) == sizeof(Index), "METIS must be built with 32-bit indices");

std::string find_defect_in_row(const SymmetricMatrix& matrix, Index row) {
  const Index begin = matrix.begin[row], end = matrix.begin[row + 1];
  if (begin == end || matrix.column[end - 1] != row)
    return fmt::format("row {} of the matrix does not end with its diagonal entry", row);
  for (Index k = begin; k < end; ++k) {
    if (matrix.column[k] < 0 || (k > begin && matrix.column[k] <= matrix.column[k - 1]))
      return fmt::format("row {} of the matrix does not have ascending columns from 0 to its diagonal", row);
    if (!std::isfinite(matrix.value[k]))
      return fmt::format("the matrix entry at row {}, column {} is {}", row, matrix.column[k],
                         matrix.value[k]);
  }
  return {};
}

/// METIS takes SIGTERM itself while it works and then gives up: the signal waits here until it is done.
class TermWaits {
 public:
  TermWaits() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~TermWaits() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  TermWaits(const TermWaits&) = delete;
  TermWaits& operator=(const TermWaits&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

std::string find_defect(const SymmetricMatrix& matrix) {
  if (matrix.begin.size() <= 1) return "the matrix is empty";
  if (matrix.begin.front() != 0 || std::size_t(matrix.begin.back()) != matrix.column.size() ||
      matrix.column.size() != matrix.value.size())
    return fmt::format("the matrix is malformed: rows span [{}, {}) but there are {} columns and {} values",
                       matrix.begin.front(), matrix.begin.back(), matrix.column.size(), matrix.value.size());
  for (Index row = 0; row < matrix.rows(); ++row)
    if (matrix.begin[row] > matrix.begin[row + 1])
      return fmt::format("the matrix is malformed: row {} ends before it begins", row);
  for (Index row = 0; row < matrix.rows(); ++row)
    if (std::string defect = find_defect_in_row(matrix, row); !defect.empty()) return defect;
  return {};
}

MatrixGraph graph_of(const SymmetricMatrix& matrix) {
  const Index n = matrix.rows();
  MatrixGraph graph;
  graph.begin.assign(n + 1, 0);
  auto for_each_link = [&](auto&& visit) {
    for (Index i = 0; i < n; ++i)
      for (Index k = matrix.begin[i]; k + 1 < matrix.begin[i + 1]; ++k) visit(i, matrix.column[k]);
  };
  for_each_link([&](Index i, Index j) { ++graph.begin[i + 1], ++graph.begin[j + 1]; });
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.neighbor.resize(graph.begin[n]);
  std::vector<Index> next(graph.begin.begin(), graph.begin.end() - 1);
  for_each_link([&](Index i, Index j) { graph.neighbor[next[i]++] = j, graph.neighbor[next[j]++] = i; });
  return graph;
}

std::vector<Index> nested_dissection(const MatrixGraph& graph) {
  std::vector<Index> order(graph.rows()), position(graph.rows());
  std::iota(order.begin(), order.end(), 0);
  if (graph.neighbor.empty()) return order;

  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  idx_t n = graph.rows();
  // METIS does not write to the graph although it takes it without const. It draws from the random sequence
  // of the C library, so two calls at a time would not be reproducible.
  auto* begin = const_cast<Index*>(graph.begin.data());
  auto* neighbor = const_cast<Index*>(graph.neighbor.data());
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const TermWaits term_waits;
  const int status = METIS_NodeND(&n, begin, neighbor, nullptr, options, order.data(), position.data());
  if (status == METIS_ERROR_MEMORY) throw std::bad_alloc();
  PLIANT_CHECK(status == METIS_OK);
  return order;
}

std::vector<Index> minimum_degree(const MatrixGraph& graph) {
  const Index n = graph.rows();
  std::vector<Eigen::Triplet<float>> entries;
  for (Index i = 0; i < n; ++i) {
    entries.emplace_back(i, i, 1.0f);
    for (Index k = graph.begin[i]; k < graph.begin[i + 1]; ++k)
      entries.emplace_back(i, graph.neighbor[k], 1.0f);
  }
  Eigen::SparseMatrix<float> matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>()(matrix, order);
  return {order.indices().begin(), order.indices().end()};
}

}  // namespace pliant
