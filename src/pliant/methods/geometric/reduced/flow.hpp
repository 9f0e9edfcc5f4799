// SPDX-License-Identifier: Apache-2.0
// What a sweep reads of a reduced body whose rest vectors d have flowed (plastic_flow.hpp). model.hpp
// with d in place of s X, edge rows only, every node with weight 1:
//   C_i(d) = sum over the rows of i of lambda_k (s_k Phi)^T d_k^T
//   A_i    = sum lambda_k (s_k X) d_k^T + Z^T C_i(d)         no longer symmetric at Z = 0
//   dV/dZ  = K Z + sum_i C_i(d) (1 - R_i^T) + B,   B = sum_i C_i(X) - C_i(d)      [Huang06, Eq. 6, 7]
// B is what flow leaves at Z = 0 with R = 1, in double. Every number here is made from d alone, one node or
// one sum at a time: a body that was loaded has the same bits as the one that was saved.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/methods/geometric/reduced/state.hpp"

namespace pliant::geometric {

class ReducedFlow {
 public:
  /// Everything from d. Off until this is called.
  void set_all(const Model& model, const Basis& basis, RestVectors d);
  bool on() const { return !pull_.empty(); }

  /// After rows of a node flowed. Different nodes may be set at the same time.
  void set_node(const Model& model, const Basis& basis, Index node, RestVectors d);
  /// B; after all nodes are set.
  void set_offset(const Model& model, const Basis& basis, RestVectors d, Pool& pool);

  const float* pull() const { return pull_.data(); }  ///< C(d), as ReducedArrays has it
  const float* rest() const { return rest_.data(); }  ///< the symmetric part of A(X)
  const float* skew() const { return skew_.data(); }  ///< the axial vector of the rest of A(X)
  const float* slew() const { return slew_.data(); }  ///< J
  const Coordinates& offset() const { return offset_; }
  std::size_t bytes() const;

 private:
  void make_room(const Model& model, const Basis& basis);

  AlignedVector<float> pull_, rest_, skew_, slew_;
  std::vector<Index> opposite_;
  std::vector<double> partial_;  ///< scratch of set_offset
  Coordinates offset_;
};

/// Lets the rows of all nodes flow towards the places x, with the rotations of the state, which hold there.
/// Returns how many did.
int let_flow(const ReducedModel& model, const Plasticity& plasticity, double h, const Points& x,
             ReducedState& state, ReducedFlow& flow, Pool& pool);

}  // namespace pliant::geometric
