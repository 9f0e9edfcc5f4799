// SPDX-License-Identifier: Apache-2.0
// The kernels of kernels.hpp over all swept nodes, in parts of a fixed size whose sums are added in their
// order: results do not depend on the number of threads. Every other sweep goes backwards: it begins with
// what the last one left in the processor's caches.
#pragma once

#include <optional>

#include "pliant/base/parallel.hpp"
#include "pliant/methods/geometric/adaptive_rotations.hpp"
#include "pliant/methods/geometric/reduced/flow.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"
#include "pliant/methods/geometric/reduced/state.hpp"

namespace pliant::geometric {

/// What the kernels read, of a body that has flowed or not, and the state's rotations, which they write.
ReducedArrays swept_arrays(const ReducedModel& model, const ReducedFlow& flow, ReducedState& state);

class ReducedSweeps {
 public:
  ReducedSweeps(const ReducedModel& model, const std::optional<Adaptive>& adaptive);

  /// The rotations at Z: all, or those that `adaptive` asks for.
  void renew_rotations(const ReducedArrays& arrays, const Coordinates& z, Pool& pool);
  /// sum_i C_i (1 - R_i^T), with the rotations at Z (renew) or with the last ones.
  const Coordinates& rotate(const ReducedArrays& arrays, const Coordinates& z, bool renew, Pool& pool);
  /// sum_i C_i dR_i^T for the motion p; largest: the largest turn, rad.
  const Coordinates& turn(const ReducedArrays& arrays, const Coordinates& p, double& largest, Pool& pool);

  /// Rotations that the last renewal computed afresh.
  int active() const { return adaptive_.on() ? adaptive_.active() : nodes_; }
  bool is_active(Index node) const { return !adaptive_.on() || adaptive_.is_active(node); }
  bool adapts() const { return adaptive_.on(); }
  std::size_t bytes() const;

 private:
  /// z_ = Z in single precision.
  void to_single(const Coordinates& z);
  /// Covariances of all nodes, then visits from the seeds (adaptive_rotations.hpp).
  void spread_rotations(const ReducedArrays& arrays, const Coordinates& z, Pool& pool);
  /// Calls sweep(part, lanes, sum, first batch, last batch) for every part; sums_ = what they leave.
  template <class Sweep>
  void sweep(const Coordinates& z, Pool& pool, Sweep&& over);

  int nodes_, batches_, parts_;  ///< swept
  AdaptiveRotations adaptive_;   ///< its places are nodes
  bool backwards_ = false;       ///< the direction of the next sweep

  // Scratch.
  AlignedVector<float> z_, lanes_;
  AlignedVector<float> covariance_, rotation_;  ///< of adaptive bodies: [batch][9][16]
  std::vector<double> partial_;
  std::vector<float> largest_;  ///< one a part
  Coordinates sums_;
};

}  // namespace pliant::geometric
