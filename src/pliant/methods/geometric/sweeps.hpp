// SPDX-License-Identifier: Apache-2.0
// A model laid out for the kernels of step_kernels.hpp, and their calls over all nodes in blocks of a fixed
// size (so that sums do not depend on the number of threads). Vectors are x, y, z, 0 per node, padded to
// whole batches. Members are the arrays as the kernels read them: SweepArrays (step_kernels.hpp) and
// FlowArrays (flow_kernels.hpp) say what each holds. Of a sheet only the operations on vectors are used
// (sheet/sweeps.hpp has the rest).
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/methods/geometric/adaptive_rotations.hpp"
#include "pliant/methods/geometric/flow_kernels.hpp"
#include "pliant/methods/geometric/step_kernels.hpp"

namespace pliant::geometric {

using Floats = AlignedVector<float>;
using Doubles = AlignedVector<double>;

class Sweeps {
 public:
  /// Lays the model out anew; rotations are the identity afterwards. d: the rest vectors of a body that can
  /// flow.
  void arrange(const Model& model, const Arrangement& arrangement, RestVectors d = {});
  void set_star(int place, const Star& star);
  void set_slew(int place, const Mat3& slew);
  /// Renews the arrays from the rest vectors of all nodes.
  void set_rest(const Model& model, const Arrangement& arrangement, std::span<const Vec3> d);
  /// Plastic flow of d at x (plastic_flow.hpp); renews the arrays from it. renew: fit rotations first.
  /// Returns the number of rows that flowed.
  int flow(const Model& model, const Arrangement& arrangement, const Plasticity& plasticity, double h,
           const double* x, bool renew, std::span<Vec3> d, Pool& pool);
  /// The same star by star (flow_star), after fitting rotations at `places`; x in the order of the model.
  int flow_stars(const Model& model, const Arrangement& arrangement, const Plasticity& plasticity, double h,
                 const double* places, std::span<const Vec3> x, std::span<Vec3> d, Pool& pool);
  /// Rows do not flow by themselves: stars have a volume to keep, or volume rows.
  bool flows_by_stars(const Plasticity& plasticity) const {
    return !volume_.empty() || (solid_stars_ && plasticity.form == PlasticForm::consistent);
  }

  /// From the next arrange on: rotations only where they change.
  void adapt(const Model& model, const Adaptive& options) { adaptive_.choose(model, options); }
  /// Rotations that the last rotate or gradient computed afresh.
  int active() const { return adaptive_.on() ? adaptive_.active() : nodes_; }
  bool is_active(Index place) const { return !adaptive_.on() || adaptive_.is_active(place); }

  int padded() const { return lanes * batches_; }  ///< nodes of a padded vector

  /// What the second sweep makes of the first: out = base + diagonal u + (what the first prepared), on the
  /// free nodes; base, diagonal and u may be null (diagonal only with u). base and out may be the same.
  struct Collect {
    const float* base = nullptr;
    const float* diagonal = nullptr;
    const float* u = nullptr;
    float* out = nullptr;
  };

  /// R(x) from the last rotations as warm start; x: 4 doubles a node.
  void rotate(const double* x, Pool& pool);
  /// scale * g(x), with R(x) (renew) or with the last rotations. Returns u . out.
  double gradient(const double* x, float scale, bool renew, const Collect& collect, Pool& pool);
  /// pull_scale K p - turn_scale (the rotations' share). Returns u . out.
  double product(const float* p, float pull_scale, float turn_scale, const Collect& collect, Pool& pool);

  /// Over the free nodes.
  void add(double s, const float* x, float* y, Pool& pool);
  void redirect(double s, float* p, const float* z, Pool& pool);
  /// d += a p, then p = s p - z; and d += a p - z.
  void advance(double a, double s, float* d, float* p, const float* z, Pool& pool);
  void finish(double a, float* d, const float* p, const float* z, Pool& pool);
  double dot(const float* a, const float* b, Pool& pool);

  /// sum += s * (the turns of the last product), all nodes, radians. Noted now, done on the way of the next
  /// product.
  void add_turn(double s) { next_turns_.share += float(s); }
  void clear_turns() { next_turns_ = {0, false}; }
  double largest_turn() const;

  /// w, x, y, z of the node at a place.
  void set_quaternion(Index place, const float q[4]);
  void quaternion(Index place, float q[4]) const;
  Floats& quaternions() { return quaternion_; }
  Floats& slews() { return slew_; }

  /// Bytes one gradient, one product, one update of the iteration read and write at least.
  std::size_t gradient_bytes() const;
  std::size_t product_bytes() const;
  std::size_t update_bytes() const;
  /// The same of the last flow: of its rotations and of the rows that it looked at.
  std::size_t flow_bytes() const { return flow_bytes_; }
  std::size_t memory_bytes() const;

 private:
  /// The arrays of edges, of nodes, and those that plastic flow needs.
  void fill_edges(const Model& model, const Arrangement& arrangement, RestVectors d);
  void fill_nodes(const Model& model, const Arrangement& arrangement);
  void fill_flow(const Model& model, const Arrangement& arrangement);
  /// The arrays as the kernels of plastic flow see them.
  FlowArrays flow_arrays(std::span<const Vec3> d);
  /// The star of a node whose rest vectors have changed.
  void renew_star(const Model& model, Index node, int place, const FlowArrays& arrays);
  /// Which blocks of nodes have neighbours in which others.
  void fill_reach();
  /// Both sweeps over all nodes. Returns u . out.
  template <class First>
  double sweep_twice(const First& first, const Collect& collect, Pool& pool);
  /// The sum of the blocks' products, in their order.
  double summed(int parts) const;
  /// Bytes of the rows that both sweeps read.
  std::size_t row_bytes() const;
  /// Rotations where they change (adaptive_rotations.hpp), and the first part of the gradient's first sweep.
  void choose_rotations(const double* x, float scale, Pool& pool);

  int nodes_ = 0, free_ = 0, batches_ = 0;
  std::size_t edges_ = 0;  ///< directed, without empty ones
  AdaptiveRotations adaptive_;
  AlignedVector<int> begin_, target_;
  Floats row_, star_, slew_, edge_sum_, laplacian_, laplacian_share_, weight_, volume_, bulk_, relief_;
  // Of plastic bodies, see flow_kernels.hpp.
  std::vector<int> first_row_, row_count_, mirror_, flowed_;
  std::vector<unsigned> may_flow_;
  bool solid_stars_ = false;
  std::size_t flow_bytes_ = 0;
  Floats watched_, relieved_;
  std::vector<double> rest_length_;
  Floats quaternion_, rotation_, turn_, turn_sum_, covariance_, tensor_;
  struct Reach {
    int low, high;  ///< blocks
  };
  std::vector<Reach> reach_;           ///< of every block with free nodes: where its neighbours are
  std::vector<unsigned char> passed_;  ///< blocks whose second sweep is done
  std::vector<double> partial_;
  TurnShare next_turns_{0, false};
  SweepArrays arrays_;
};

}  // namespace pliant::geometric
