// SPDX-License-Identifier: Apache-2.0
// The linear system of one step, (1) of step.cpp divided by unit/h^2: the matrix (operator.hpp) at the
// positions where the step begins to be solved, its preconditioner, and the right side. The unknown is the
// displacement d of the nodes.
#pragma once

#include "pliant/methods/metric/conjugate_gradients.hpp"
#include "pliant/physics/step_context.hpp"

namespace pliant::metric {

/// The numbers of one step.
struct Scheme {
  double h = 0;           ///< s
  double drag = 0;        ///< alpha, 1/s
  double inner_drag = 0;  ///< beta, s
  double factor = 1;      ///< on all strengths
  bool split = false;     ///< the rigid motion is taken out (momentum.hpp)
};

using Context = StepContext<Scheme>;

class Equation {
 public:
  static constexpr int node_block = 2048;  ///< nodes that one thread takes at a time

  /// The model outlives this object.
  Equation(const Model& model, const Options& options);
  double unit() const { return unit_; }  ///< a typical mass, kg

  /// These nodes go where they are told: their rows do not count.
  void hold(std::span<const Index> nodes);
  bool is_held(Index node) const { return held_[node] != 0; }
  Index held_nodes() const { return Index(held_nodes_.size()); }

  /// The nodes are at x; the first guess is d = h v.
  void start(const Points& x, const Points& v, double h, Pool& pool);
  /// The same node by node: place(node) gives {x, d}.
  template <class Place>
  void start_at(Place&& place, Pool& pool);
  /// The first guess of one node.
  void guess(Index node, const Vec3& d);

  /// Elastic forces and the matrix at the positions of the start. metrics: as in State.
  void evaluate(const MatrixForm& form, const std::vector<double>& metrics, Pool& pool);
  /// The diagonal beside the elastic part, and the preconditioner of both.
  void set_matrix(const Scheme& s, std::span<const Grab> grabs, Pool& pool) {
    set_matrix(1 + s.h * s.drag / 2, s.h * s.h, grabs, pool);
  }
  /// The same of any scheme: factors on the masses, and on the springs of the grabs, s^2.
  void set_matrix(double mass, double elastic, std::span<const Grab> grabs, Pool& pool);
  /// forces: on nodes, N, beside gravity and grabs; empty: none.
  void set_right_side(const Scheme& s, const Vec3& gravity, std::span<const Vec3> forces,
                      std::span<const Grab> grabs, Pool& pool);
  /// Nothing but factor * forces, with d = 0 as first guess.
  void set_right_side(std::span<const Vec3> forces, double factor);
  /// inertia(node) and elastic times the elastic forces of the last evaluate().
  template <class Inertia>
  void set_residual(Inertia&& inertia, double elastic, Pool& pool);
  /// Subtracts share times the elastic part of the matrix times how far the nodes have moved.
  void add_inner_drag(std::span<const Vec3> moved, double share, Pool& pool);
  /// Adds to the right side of one node, unless it is held.
  void add_force(Index node, const Vec3& scaled) {
    if (!held_[node])
      for (int c = 0; c < 3; ++c) b_[at(c, node)] += float(scaled[c]);
  }
  /// Adds factor * forces to the right side.
  void add_forces(std::span<const Vec3> forces, double factor, Pool& pool);

  /// least: a displacement a node that is none, m. enough: r . z that is small enough.
  ConjugateGradients::Outcome solve(double tolerance, int most, Pool& pool, double least = 0,
                                    double enough = 0);

  /// From d = 0; floor: of r . z.
  ConjugateGradients::Outcome correct(double tolerance, int most, Pool& pool, double floor);

  Vec3 displacement(Index node) const;
  /// x = start + d and v = d/h of all nodes, and then(begin, end) for every block of them. False: not finite.
  template <class Then>
  bool end(double h, Points& x, Points& v, Pool& pool, Then&& then);
  /// Whether these are numbers.
  bool finite(const Points& x, const Points& v, Pool& pool);

  double setup_ms() const { return setup_ms_; }
  std::string solver_name() const { return preconditioner_->name(); }
  std::size_t memory_bytes() const;
  /// Of a step of so many iterations and right sides.
  StepTraffic traffic(int iterations, int sides = 1) const;

 private:
  std::size_t at(int axis, Index node) const {
    return std::size_t(axis) * std::size_t(matrix_->points()) + std::size_t(matrix_->place(node));
  }
  /// part(node, place, count) for nodes [begin, end) in pieces that lie side by side also in the matrix.
  template <class Part>
  void each_run(int begin, int end, Part&& part) const {
    for (int i = begin; i < end;) {
      const int last = std::min(int(run_end_[std::size_t(i)]), end);
      part(i, matrix_->place(i), last - i);
      i = last;
    }
  }
  Vec3 start_of(Index node) const {
    return {matrix_->x[at(0, node)], matrix_->x[at(1, node)], matrix_->x[at(2, node)]};
  }
  EndSweep end_sweep(double h, Points& x, Points& v) const;
  bool finite_sums() const;

  const Model& model_;
  double unit_ = 1, setup_ms_ = 0;
  std::unique_ptr<Operator> matrix_;
  std::unique_ptr<Preconditioner> preconditioner_;
  ConjugateGradients gradients_;
  Floats relative_mass_;   // over unit_, at the matrix's places
  Floats b_, d_;           // right side and unknown
  Floats along_, answer_;  // of the inner drag
  std::vector<unsigned char> held_;
  std::vector<Index> held_nodes_;  // those of held_, to let them go
  std::vector<Index> run_end_;     // behind the last node that lies beside the one before, from every node on
  std::vector<double> block_sums_;  // of node_block nodes each
};

template <class Place>
void Equation::start_at(Place&& place, Pool& pool) {
  const std::size_t n = std::size_t(matrix_->points());
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const auto [x, d] = place(i);
      const std::size_t p = std::size_t(matrix_->place(i));
      for (std::size_t c = 0; c < 3; ++c) matrix_->x[c * n + p] = x[int(c)], d_[c * n + p] = float(d[int(c)]);
    }
  });
}

template <class Inertia>
void Equation::set_residual(Inertia&& inertia, double elastic, Pool& pool) {
  const std::size_t n = std::size_t(matrix_->points());
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Vec3 own = inertia(i);
      const std::size_t p = std::size_t(matrix_->place(i));
      for (std::size_t c = 0; c < 3; ++c)
        b_[c * n + p] = held_[i] ? 0.0f : float(own[int(c)] + elastic * matrix_->force[c * n + p]);
    }
  });
}

template <class Then>
bool Equation::end(double h, Points& x, Points& v, Pool& pool, Then&& then) {
  const EndSweep sweep = end_sweep(h, x, v);
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    double sum = 0;
    each_run(begin, end, [&](int node, int place, int count) {
      sum += stencil_kernels().to_nodes(sweep, node, place, count);
    });
    then(begin, end);
    block_sums_[std::size_t(begin / node_block)] = sum;
  });
  return finite_sums();
}

}  // namespace pliant::metric
