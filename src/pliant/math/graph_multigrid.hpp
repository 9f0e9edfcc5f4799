// SPDX-License-Identifier: Apache-2.0
// One symmetric V-cycle for A = M + K, M a diagonal of masses, K a weighted graph Laplacian: the
// preconditioner for bodies too large for a direct solve. Box aggregation with scaled coarse energies,
// Chebyshev smoothing.
#pragma once

#include <memory>
#include <string>

#include "pliant/base/parallel.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// A = diag(mass + anchor) + sum over edges of weight (e_a - e_b)(e_a - e_b)^T.
struct GraphOperator {
  struct Edge {
    Index a = 0, b = 0;
    float weight = 0;  ///< > 0
  };
  Points positions;           ///< rest places, only used to form boxes
  std::vector<float> mass;    ///< > 0
  std::vector<float> anchor;  ///< links to pinned nodes, >= 0
  std::vector<Edge> edges;
};

class GraphMultigrid {
 public:
  struct Report {
    std::string trouble;
    double setup_ms = 0;
    int levels = 0;
    double complexity = 0;  ///< entries of all levels over entries of the finest
    bool ok() const { return trouble.empty(); }
  };

  GraphMultigrid();
  ~GraphMultigrid();
  GraphMultigrid(GraphMultigrid&&) noexcept;
  GraphMultigrid& operator=(GraphMultigrid&&) noexcept;

  Report build(const GraphOperator& fine);

  /// z = B r, one V-cycle from zero, three right-hand sides; z and r may be the same array. Returns r . z. No
  /// allocation; the same result for any number of threads. Not reentrant. Nodes that are neighbours should
  /// be near in the caller's order: the sweeps go along it.
  double apply(const Float4* r, Float4* z, Pool& pool);

  /// Bytes that the sweeps of one apply read and write, each counted for itself, for the speed limit. Sweeps
  /// that trail each other find some of them in the cache.
  std::size_t bytes_per_apply() const;
  std::size_t memory_bytes() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pliant
