// SPDX-License-Identifier: Apache-2.0
// The step's matrix, never assembled: A = mass + scale sum_e (weight of e), rows of held nodes left out. With
// alpha of the constraints (model.hpp) at the positions of the last evaluate():
//   paper     alpha/H^2                               indefinite under compression, 0 at rest
//   lively    max(alpha, 0)/H^2
//   stable    (max(alpha, 0) + 2 kappa eta)/H^2       squared sets: kappa eta
//   accurate  max(alpha, 0)/H^2 1 + 2 eta/H^4 dr dr^T squared sets: 4 eta |s|/H^4 dr dr^T
// as graph Laplacians; angles of the original model: paper alpha/(h_i h_j) [..] as they are; lively |alpha|
// on their two edges; stable the same and 2 kappa eta |other edge|^2/(h_i h_j)^2; accurate |alpha| and
// eta/(h_i h_j)^2 J J^T, J = (b, a, -(a + b)). Cells that the orientation term pushes add
//   eta_J |dV/dr|^2/(4 V0^2)  to their twelve edges: half their Hessian, since the Laplacian of a cube's
//   edges
// has no eigenvalue below 2 but 0.
// Vectors are three arrays of points() floats each, x, y, z; entries outside the nodes are 0.
#pragma once

#include <memory>
#include <span>

#include "pliant/base/aligned.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/methods/metric/model.hpp"
#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {

using Floats = AlignedVector<float>;
using Doubles = AlignedVector<double>;

/// How the matrix is made of the constraints.
struct MatrixForm {
  Integrator integrator = Integrator::stable;
  double kappa = 0.5;
  double factor = 1;  ///< on all eta
  double scale = 1;   ///< of the elastic part, s^2/kg: h^2 over a typical mass
};

class Operator {
 public:
  explicit Operator(const Model& model, int points);
  virtual ~Operator() = default;

  int points() const { return points_; }
  /// Of every node; and of one.
  std::span<const Index> places() const { return places_; }
  int place(Index node) const { return places_[std::size_t(node)]; }
  const Model& model() const { return model_; }
  /// Three by three diagonal blocks; else a multiple of 1.
  bool blocks() const { return form_.integrator == Integrator::accurate; }
  const MatrixForm& form() const { return form_; }

  // Filled by who steps: positions (three arrays of doubles, m), mass (scaled, with springs of grabs), and 1
  // where a row counts, 0 where a node is held or none is.
  Doubles x;
  Floats mass, free;

  /// Elastic forces (three arrays of doubles, N) and the weights of the matrix at x. metrics: g of every
  /// constraint, null = 1. The orientation term included.
  void evaluate(const MatrixForm& form, const double* metrics, Pool& pool);
  Doubles force;
  int pushed_cells() const { return pushed_; }  ///< by the orientation term, in the last evaluate()

  /// out = A in; returns in . out.
  virtual double apply(const float* in, float* out, Pool& pool) const = 0;
  /// r = b - A x, p = d r; returns r . p.
  virtual double start(const float* x, const float* b, const float* d, float* r, float* p, Pool& pool) const;
  /// 1/diagonal in out[0], or the six arrays xx xy xz yy yz zz of inverse diagonal blocks. Returns the mean
  /// of the diagonal over that of the mass (0 for blocks); where it is small, apply() knows from then on
  /// until the next evaluate() that sums are exact enough (stencil_kernels.hpp).
  virtual double invert_diagonal(std::span<Floats> out, Pool& pool) = 0;
  /// Offsets and weights, where A is a lattice's of scalar weights and nothing else; of the accurate matrix
  /// weights that bound it, as bound_weights() sets them.
  virtual std::span<const StencilSet> stencils() { return {}; }
  virtual void bound_weights(Pool&) {}
  /// The same fields that an apply reads, in bytes.
  virtual std::size_t matrix_bytes() const = 0;

  /// Sweeps of fixed blocks over the points; partial sums are added in their order.
  template <class Part>
  void sweep(Pool& pool, Part&& part) const;
  template <class Part>
  double sum(Pool& pool, Part&& part) const;

 protected:
  virtual void evaluate_constraints(const double* metrics, Pool& pool) = 0;
  /// The volume ratio of every cell at x; false: none is below the threshold, and they were not all told.
  virtual bool measure_cells(Pool& pool) = 0;
  virtual void stiffen_cell(std::size_t cell, float weight) = 0;
  void push_cells();

  static constexpr int block = 4096;  // points
  const Model& model_;
  MatrixForm form_;
  int points_ = 0, begin_ = 0, end_ = 0;
  std::span<const Index> places_;
  std::vector<float> ratios_;  ///< of cells
  int pushed_ = 0;
  mutable std::vector<double> partial_;
};

/// On a lattice: stencils over whole rows (stencil_kernels.hpp).
std::unique_ptr<Operator> make_grid_operator(const Model& model, Integrator integrator);
/// On the edges of a graph.
std::unique_ptr<Operator> make_graph_operator(const Model& model, Integrator integrator);

template <class Part>
void Operator::sweep(Pool& pool, Part&& part) const {
  const int parts = (end_ - begin_ + block - 1) / block;
  pool.run(parts, [&](int k) {
    const int from = begin_ + k * block;
    part(from, from + block < end_ ? from + block : end_);
  });
}

template <class Part>
double Operator::sum(Pool& pool, Part&& part) const {
  const int parts = (end_ - begin_ + block - 1) / block;
  pool.run(parts, [&](int k) {
    const int from = begin_ + k * block;
    partial_[std::size_t(k)] = part(from, from + block < end_ ? from + block : end_);
  });
  double total = 0;
  for (int k = 0; k < parts; ++k) total += partial_[std::size_t(k)];
  return total;
}

}  // namespace pliant::metric
