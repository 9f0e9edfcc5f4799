// SPDX-License-Identifier: Apache-2.0
// A model laid out for the kernels of step_kernels.hpp, and their calls over all nodes in blocks of a fixed
// size (so that sums do not depend on the number of threads). Vectors are x, y, z, 0 per node, padded to
// whole batches.
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/methods/geometric/arrangement.hpp"
#include "pliant/methods/geometric/step_kernels.hpp"

namespace pliant::geometric {

using Floats = AlignedVector<float>;
using Doubles = AlignedVector<double>;

class Sweeps {
 public:
  /// Lays the model out anew; rotations are the identity afterwards.
  void arrange(const Model& model, const Arrangement& arrangement);

  int padded() const { return lanes * batches_; }  ///< nodes of a padded vector

  /// R(x) and the first sweep of scale * g(x); x: 4 doubles a node.
  void rotate(const double* x, float scale, Pool& pool);
  /// The same with the rotations of the last call of rotate.
  void stretch(const double* x, float scale, Pool& pool);
  /// First sweep of the product with p: pull_scale K p - turn_scale (the rotations' share).
  void turn(const float* p, float pull_scale, float turn_scale, Pool& pool);
  /// out = base + diagonal u + what the first sweep prepared, on the free nodes; base, diagonal and u may be
  /// null (u only with diagonal). Returns u . out.
  double collect(const float* base, const float* diagonal, const float* u, float* out, Pool& pool);

  /// Over the free nodes.
  void add(double s, const float* x, float* y, Pool& pool);
  void redirect(double s, float* p, const float* z, Pool& pool);
  double dot(const float* a, const float* b, Pool& pool);

  /// sum += s * (the turns of the last turn sweep), all nodes, radians.
  void add_turn(double s, Pool& pool);
  void clear_turns();
  double largest_turn() const;

  /// w, x, y, z of the node at a place.
  void set_quaternion(Index place, const float q[4]);
  void quaternion(Index place, float q[4]) const;
  Floats& quaternions() { return quaternion_; }

  /// Bytes one gradient, one product, one update of the iteration read and write at least.
  std::size_t gradient_bytes() const;
  std::size_t product_bytes() const;
  std::size_t update_bytes() const;
  std::size_t memory_bytes() const;

 private:
  void fill_edges(const Model& model, const Arrangement& arrangement);
  void fill_nodes(const Model& model, const Arrangement& arrangement);
  double summed(int parts) const;

  int nodes_ = 0, free_ = 0, batches_ = 0;
  AlignedVector<int> begin_, target_;
  Floats row_, star_, slew_, edge_sum_, laplacian_;
  Floats quaternion_, rotation_, turn_, turn_sum_, tensor_;
  std::vector<double> partial_;
  SweepArrays arrays_;
};

}  // namespace pliant::geometric
