// SPDX-License-Identifier: Apache-2.0
// Rotations only where they change [Huang06, Sec. 5]. Nodes are visited breadth first from seeds. A node j
// whose covariance A_j says that it has turned hardly more than its predecessor i takes over R_i
// ("accepted"); else its rotation is computed ("active"). Seeds are always active. The order of the visits
// and the predecessors do not depend on the state and are listed once; nodes at the same distance from the
// seeds know nothing of each other.
//
// Criteria, with B = R_i^T A_j, t = axial(B), A0 the covariance at rest; j is accepted when
//   angle     1.5 |t|/tr(B) <= threshold and tr(B) > 0: about the angle between R_i and R_j, rad
//   printed   |B - B^T| <= threshold |A0_i|, [Huang06, Eq. 8] with |A_i^rr| read as the norm of sum r r^T of the
//             predecessor (printed is its inverse, which has another unit); threshold^2 = 1e-2 to 1e-4 in the paper
//   naive-1   |A_j - A_i| <= threshold |A0_j|: covariances of neighbours are alike [Huang06, Fig. 6]
//   naive-2   |F_j - F_i| <= threshold, F = A A0^-1: so are deformation gradients
// The naive criteria compare with the neighbour's own value instead of the rotation handed on, so small
// changes add up unnoticed.
// What is taken over is first turned by the angle that B tells (`correct`): R_j = R_i (1 + [w]x) with
// w = tr(A0)/tr(B) J t, J = (tr(A0) I - A0)^-1, right to first order. The paper hands R_i on as it is: then
// every accepted node is strained by up to the threshold, which for a stiff body is far more than its true
// strain, and nodes that change sides give it a jolt. The naive criteria know no B, and stay as they are.
#pragma once

#include "pliant/base/parallel.hpp"
#include "pliant/methods/geometric/arrangement.hpp"

namespace pliant::geometric {

class AdaptiveRotations {
 public:
  /// The visits. Off until this is called.
  void choose(const Model& model, const Adaptive& options);
  bool on() const { return !depth_.empty(); }

  /// The visits in the places of a step.
  void arrange(const Model& model, const Arrangement& arrangement);

  /// Rotations from covariances: both and the quaternions (warm start in, result out) as in SweepArrays.
  void spread(const float* covariance, float* quaternion, float* rotation, Pool& pool);

  int active() const { return active_; }  ///< after the last spread; all before
  bool is_active(Index place) const { return is_active_[std::size_t(place)] != 0; }

  Index predecessor(Index node) const { return before_[std::size_t(node)]; }  ///< -1: a seed
  int depth(Index node) const { return depth_[std::size_t(node)]; }           ///< steps from the seeds

 private:
  struct Visit {
    int place, before;  ///< before = -1: a seed
  };
  /// Whether R_i goes on to j, and by which further turn w.
  bool accepted(const Visit& visit, const float* covariance, const float* rotation, float w[3]) const;
  void visit_range(int begin, int end, const float* covariance, float* quaternion, float* rotation);

  Adaptive options_;
  std::vector<Index> before_;             ///< per node
  std::vector<int> depth_;                ///< per node
  std::vector<Visit> visits_;             ///< in the order of the visits
  std::vector<int> level_;                ///< visits of depth d: [level_[d], level_[d + 1])
  std::vector<float> rest_norm_;          ///< per place: |A0|
  std::vector<float> rest_trace_;         ///< per place: tr(A0)
  std::vector<float> slew_;               ///< per place 9: J; only with correction
  std::vector<float> rest_inverse_;       ///< per place 9: A0^-1; only for naive-2
  std::vector<unsigned char> is_active_;  ///< per place
  int active_ = 0;
};

}  // namespace pliant::geometric
