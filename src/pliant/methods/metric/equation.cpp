// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/equation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/clock.hpp"

namespace pliant::metric {

Equation::Equation(const Model& model, const Options& options) : model_(model) {
  const auto begin = Clock::now();
  const std::size_t n = model.rest.size();
  unit_ = std::accumulate(model.mass.begin(), model.mass.end(), 0.0) / double(n);
  const Integrator form = matrix_of(options);
  matrix_ = model.on_grid ? make_grid_operator(model, form) : make_graph_operator(model, form);
  preconditioner_ = make_preconditioner(*matrix_, options);
  held_.assign(n, 0);
  held_nodes_.reserve(n);
  block_sums_.assign(n / node_block + 1, 0.0);
  run_end_.assign(n, Index(n));
  for (Index i = Index(n) - 2; i >= 0; --i)
    run_end_[i] = matrix_->place(i + 1) == matrix_->place(i) + 1 ? run_end_[i + 1] : i + 1;
  relative_mass_.assign(std::size_t(matrix_->points()), 0.0f);
  for (Index i = 0; i < model.nodes(); ++i) {
    const std::size_t p = std::size_t(matrix_->place(i));
    relative_mass_[p] = float(model.mass[i] / unit_), matrix_->free[p] = 1;
  }
  b_.assign(3 * std::size_t(matrix_->points()), 0.0f);
  d_ = b_;
  setup_ms_ = milliseconds_since(begin);
}

void Equation::hold(std::span<const Index> nodes) {
  for (const Index i : held_nodes_) held_[i] = 0, matrix_->free[at(0, i)] = 1;
  held_nodes_.assign(nodes.begin(), nodes.end());
  for (const Index i : held_nodes_) held_[i] = 1, matrix_->free[at(0, i)] = 0;
}

void Equation::start(const Points& x, const Points& v, double h, Pool& pool) {
  const std::size_t n = std::size_t(matrix_->points());
  double* const to = matrix_->x.data();
  float* const along = d_.data();
  const StateSweep sweep{
      x[0].data(), v[0].data(), h, {to, to + n, to + 2 * n}, {along, along + n, along + 2 * n}};
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    each_run(begin, end,
             [&](int node, int place, int count) { stencil_kernels().to_points(sweep, node, place, count); });
  });
}

void Equation::guess(Index node, const Vec3& d) {
  for (int c = 0; c < 3; ++c) d_[at(c, node)] = float(d[c]);
}

void Equation::evaluate(const MatrixForm& form, const std::vector<double>& metrics, Pool& pool) {
  matrix_->evaluate(form, metrics.empty() ? nullptr : metrics.data(), pool);
}

void Equation::set_matrix(double mass, double elastic, std::span<const Grab> grabs, Pool& pool) {
  matrix_->sweep(pool, [&](int begin, int end) {
    stencil_kernels().times(float(mass), relative_mass_.data(), matrix_->mass.data(), begin, end);
  });
  for (const Grab& grab : grabs) matrix_->mass[at(0, grab.node)] += float(elastic * grab.stiffness / unit_);
  preconditioner_->prepare(*matrix_, pool);
}

void Equation::set_right_side(const Scheme& s, const Vec3& gravity, std::span<const Vec3> forces,
                              std::span<const Grab> grabs, Pool& pool) {
  const std::size_t n = std::size_t(matrix_->points());
  RightSideSweep sweep{};
  for (std::size_t c = 0; c < 3; ++c) {
    sweep.elastic[c] = matrix_->force.data() + c * n;
    sweep.along[c] = d_.data() + c * n, sweep.out[c] = b_.data() + c * n;
    sweep.fall[c] = s.split ? 0.0f : float(s.h * s.h * gravity[int(c)]);
  }
  sweep.mass = relative_mass_.data(), sweep.free = matrix_->free.data();
  sweep.force = s.h * s.h / unit_, sweep.motion = float(1 - s.h * s.drag / 2);
  matrix_->sweep(pool, [&](int begin, int end) { stencil_kernels().right_side(sweep, begin, end); });
  if (!forces.empty()) add_forces(forces, sweep.force, pool);
  for (const Grab& grab : grabs)
    add_force(grab.node, sweep.force * grab.stiffness * (grab.target - start_of(grab.node)));
}

void Equation::set_right_side(std::span<const Vec3> forces, double factor) {
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) b_[at(c, i)] = held_[i] ? 0.0f : float(factor * forces[i][c]);
  std::fill(d_.begin(), d_.end(), 0.0f);
}

void Equation::add_inner_drag(std::span<const Vec3> moved, double share, Pool& pool) {
  const std::size_t n = std::size_t(matrix_->points());
  along_.resize(d_.size()), answer_.resize(d_.size());
  for (Index i = 0; i < model_.nodes(); ++i)
    for (int c = 0; c < 3; ++c) along_[at(c, i)] = float(moved[i][c]);
  matrix_->apply(along_.data(), answer_.data(), pool);
  matrix_->sweep(pool, [&](int begin, int end) {
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t p = std::size_t(begin); p < std::size_t(end); ++p)
        b_[c * n + p] -=
            matrix_->free[p] * float(share) * (answer_[c * n + p] - matrix_->mass[p] * along_[c * n + p]);
  });
}

void Equation::add_forces(std::span<const Vec3> forces, double factor, Pool& pool) {
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i)
      if (!held_[i] && !forces[i].isZero(0))
        for (int c = 0; c < 3; ++c) b_[at(c, i)] += float(factor * forces[i][c]);
  });
}

ConjugateGradients::Outcome Equation::solve(double tolerance, int most, Pool& pool, double least,
                                            double enough) {
  const double floor =
      std::max({ConjugateGradients::nothing_left, double(model_.nodes()) * least * least, enough});
  return gradients_.solve(*matrix_, *preconditioner_, b_, d_, tolerance, most, pool, floor);
}

ConjugateGradients::Outcome Equation::correct(double tolerance, int most, Pool& pool, double floor) {
  std::fill(d_.begin(), d_.end(), 0.0f);
  return gradients_.solve(*matrix_, *preconditioner_, b_, d_, tolerance, most, pool, floor);
}

Vec3 Equation::displacement(Index node) const { return {d_[at(0, node)], d_[at(1, node)], d_[at(2, node)]}; }

EndSweep Equation::end_sweep(double h, Points& x, Points& v) const {
  const std::size_t n = std::size_t(matrix_->points());
  const double* const from = matrix_->x.data();
  const float* const along = d_.data();
  return {{from, from + n, from + 2 * n}, {along, along + n, along + 2 * n}, 1 / h, x[0].data(), v[0].data()};
}

bool Equation::finite_sums() const {
  return std::isfinite(std::accumulate(block_sums_.begin(), block_sums_.end(), 0.0));
}

bool Equation::finite(const Points& x, const Points& v, Pool& pool) {
  for_blocks(pool, int(model_.nodes()), node_block, [&](int begin, int end) {
    Vec3 sum = Vec3::Zero();
    for (Index i = begin; i < end; ++i) sum += x[i].cwiseAbs() + v[i].cwiseAbs();
    block_sums_[std::size_t(begin / node_block)] = sum.sum();
  });
  return finite_sums();
}

std::size_t Equation::memory_bytes() const {
  return matrix_->matrix_bytes() + preconditioner_->memory_bytes() + gradients_.memory_bytes() +
         6 * std::size_t(matrix_->points()) * (sizeof(double) + sizeof(float));
}

StepTraffic Equation::traffic(int iterations, int sides) const {
  const std::size_t nodes = model_.rest.size(),
                    n = model_.on_grid ? std::size_t(model_.grid.end - model_.grid.begin) : nodes;
  const std::size_t matrix = matrix_->matrix_bytes(), vector = 3 * sizeof(float) * n;
  // An iteration: the matrix and two vectors, three of the residual, five of x and the next direction, and
  // where z is stored two more and what a cycle moves.
  const bool stored = preconditioner_->scales() == nullptr;
  const std::size_t iteration = matrix + (stored ? 12 : 10) * vector + preconditioner_->applied_bytes();
  // The ends: state to positions and displacements and back; forces and weights from positions; diagonal;
  // right side; first residual.
  const std::size_t ends =
      nodes * 4 * sizeof(Vec3) + n * (3 * 4 + 1) * sizeof(double) + 3 * matrix + 10 * vector;
  StepTraffic out;
  out.moved = std::size_t(sides) * ends + std::size_t(iterations) * iteration;
  out.working_set = matrix + n * 7 * sizeof(double) + (stored ? 6 : 5) * vector +
                    preconditioner_->memory_bytes() + nodes * 4 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::metric
