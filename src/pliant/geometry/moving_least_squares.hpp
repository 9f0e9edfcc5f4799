// SPDX-License-Identifier: Apache-2.0
// Moving least squares on scattered nodes [ZJU06, Eqs. 4-8]: a field u(x) = sum_I phi_I(x) u_I that
// reproduces linear functions whatever the layout. With r = |x - X_I| / h_I, h_I the support radius of node
// I:
//   w(r) = 1 - 6 r^2 + 8 r^3 - 3 r^4 for r < 1, else 0                                              [Eq. 8]
//   p_I = (1, (X_I - x) / s), s the mean h_I of the neighbours;  A = sum_I w_I p_I p_I^T;  c = A^-1 e_1
//   phi_I(x) = w_I c . p_I
// The basis is centred at x and scaled by s: the moment matrix of [Eq. 6], well conditioned.
//
// Neighbourhoods do not reach through the outside of a body: a point has anchors, nodes that it sees, and its
// neighbours are among the nodes that the edges of the node graph, which stay inside, lead to on a way not
// much longer than straight.
#pragma once

#include <span>

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/node_graph.hpp"

namespace pliant {

struct MlsOptions {
  int nearest = 6;     ///< k: h_I is gamma times the distance to the k-th nearest node
  double gamma = 1.3;  ///< 1.3 is fast (some 22 neighbours on a lattice), 1.5 smoother (32)
  double spacing = 0;  ///< a, m; 0: the median distance of a node to its nearest
};

/// The shape functions at a point: value[k] of node[k], nodes ascending.
struct MlsValues {
  std::vector<Index> node;
  std::vector<double> value;
  Points gradient;        ///< filled by evaluate_gradients only, 1/m
  bool constant = false;  ///< poor neighbourhood: the constant basis (Shepard) was the last resort
  int widened = 0;        ///< how often the supports were widened for this point
  double condition = 0;   ///< pivot ratio of A, a lower bound of its condition number
};

/// The median distance of a node to its nearest, m.
double median_nearest(const Points& nodes);

class MovingLeastSquares {
 public:
  /// `pairs`: edges that stay inside the body; nodes that they do not join do not see each other.
  MovingLeastSquares(const Points& nodes, const std::vector<std::array<Index, 2>>& pairs,
                     const MlsOptions& options, Pool& pool);

  const Points& nodes() const { return nodes_; }
  double support(Index node) const { return support_[std::size_t(node)]; }  ///< h_I, m
  double spacing() const { return spacing_; }                               ///< a of the options, m

  /// Shape functions at x, seen from the anchors (at least one). Widens the supports by 1.2 up to five times
  /// where fewer than five nodes or nodes nearly in a plane are in reach.
  void evaluate(const Vec3& x, std::span<const Index> anchors, MlsValues& out) const;
  /// With the gradients of the shape functions.
  void evaluate_gradients(const Vec3& x, std::span<const Index> anchors, MlsValues& out) const;

  /// Nodes that a point anchored at this node may see.
  std::span<const Index> around(Index anchor) const {
    return std::span(around_).subspan(
        std::size_t(begin_[std::size_t(anchor)]),
        std::size_t(begin_[std::size_t(anchor) + 1] - begin_[std::size_t(anchor)]));
  }

 private:
  struct Basis;
  bool try_evaluate(const Vec3& x, double widen, bool last, MlsValues& out, Basis& basis) const;
  void set_constant(const Vec3& x, const std::vector<Index>& near, const std::vector<double>& weights,
                    MlsValues& out) const;
  void collect(std::span<const Index> anchors, std::vector<Index>& out) const;

  Points nodes_;
  std::vector<double> support_;
  std::vector<Index> begin_, around_;
  double spacing_ = 0;
};

}  // namespace pliant
