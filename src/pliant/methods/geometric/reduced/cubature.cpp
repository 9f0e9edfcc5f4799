// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/cubature.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "pliant/math/rotation.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int training_states = 24, test_states = 12;
constexpr Index candidates_at_most = 1200;
constexpr double typical_turn = 0.3;  // rad, root mean square over the nodes, of the largest states
constexpr double soft = 1e-9;         // modes below this share of the stiffest cost nothing: rigid motion

/// Numbers from the generator's bits, the same with every standard library.
class Numbers {
 public:
  double uniform() { return double(bits_() >> 11) * 0x1.0p-53; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform() + 1e-300));
    return radius * std::cos(2 * M_PI * uniform());
  }

 private:
  std::mt19937_64 bits_{1};
};

/// The rows of a node in the space.
struct NodeRows {
  std::vector<VectorXd> stencil;  ///< s_k Phi
  Points rest;                    ///< d_k
  std::vector<double> weight;     ///< lambda_k
  std::vector<double> theta;      ///< its relief, ../model.hpp
  Mat3 relief = Mat3::Zero();     ///< Q
};

NodeRows rows_of(const Model& model, const Basis::Columns& phi, Index i) {
  NodeRows out;
  out.relief = model.stars[i].relief;
  const Adjacency& adj = model.adjacency;
  const Index begin = adj.begin[i], end = adj.begin[i + 1];
  VectorXd laplacian = VectorXd::Zero(phi.cols());
  for (Index k = begin; k < end; ++k) {
    const Index j = adj.target[k];
    out.stencil.push_back((phi.row(j) - phi.row(i)).transpose());
    out.rest.push_back(model.rest[j] - model.rest[i]);
    out.weight.push_back(model.edge_weight[adj.edge[k]]);
    out.theta.push_back(model.relief_of(i, adj.edge[k]));
    if (model.has_laplacian()) laplacian += model.laplacian_coefficient(i, k) * out.stencil.back();
  }
  if (model.has_laplacian() && end > begin) {
    out.stencil.push_back(laplacian);
    out.rest.push_back(model.laplacian_rest[i]);
    out.weight.push_back(model.laplacian_weight);
    out.theta.push_back(0);
  }
  return out;
}

/// dV_i/dZ = sum over the rows of lambda (s Phi)^T ((1 - theta) s x - (R - A Q) d)^T.
Coordinates gradient_of(const NodeRows& rows, const Coordinates& z) {
  Mat3 a = Mat3::Zero();
  Points now(rows.rest.size());
  for (std::size_t k = 0; k < now.size(); ++k) {
    now[k] = rows.rest[k] + z.transpose() * rows.stencil[k];
    a += rows.weight[k] * now[k] * rows.rest[k].transpose();
  }
  const Mat3 r = nearest_rotation(a, Eigen::Quaterniond::Identity()).q.toRotationMatrix();
  const Mat3 turn = r - a * rows.relief;
  Coordinates out = Coordinates::Zero(z.rows(), 3);
  for (std::size_t k = 0; k < now.size(); ++k)
    out.noalias() +=
        rows.stencil[k] * (rows.weight[k] * ((1 - rows.theta[k]) * now[k] - turn * rows.rest[k])).transpose();
  return out;
}

/// The 3k x 3 matrix of w = J axial(Z^T C) by the entries of Z (column-major): at rest, where R = 1.
MatrixXd turn_matrix(const Coordinates& c) {
  const Eigen::Index k = c.rows();
  MatrixXd out = MatrixXd::Zero(3 * k, 3);  // axial of B = Z^T C: B(r, d) = sum_a Z(a, r) C(a, d)
  out.block(2 * k, 0, k, 1) = c.col(1);
  out.block(k, 0, k, 1) = -c.col(2);
  out.block(0, 1, k, 1) = c.col(2);
  out.block(2 * k, 1, k, 1) = -c.col(0);
  out.block(k, 2, k, 1) = c.col(0);
  out.block(0, 2, k, 1) = -c.col(1);
  return out;
}

struct RestModes {
  MatrixXd columns;    ///< 3k x m, scaled so that each has energy 1/2: H-orthonormal
  MatrixXd stiffness;  ///< K, k x k
  double turn = 0;     ///< rms turn of a node in a state of unit normal amplitudes
};

/// H = K x 1_3 - sum_i T_i J_i T_i^T at rest, its modes without rigid motion.
RestModes rest_modes(const Model& model, const Basis& basis) {
  const Basis::Columns& phi = basis.columns;
  const Eigen::Index k = phi.cols();
  MatrixXd stiffness = MatrixXd::Zero(k, k), h = MatrixXd::Zero(3 * k, 3 * k), turns = h;
  for (Index i = 0; i < model.nodes(); ++i) {
    const MatrixXd t = turn_matrix(pull_of(model, phi, i, 1, &stiffness));
    const Mat3 slew = model.stars[i].slew;
    const MatrixXd leaned = t * slew;
    h.noalias() -= leaned * t.transpose();
    turns.noalias() += leaned * leaned.transpose() / model.nodes();
  }
  stiffness = MatrixXd(stiffness.selfadjointView<Eigen::Lower>());
  for (int c = 0; c < 3; ++c) h.block(c * k, c * k, k, k) += stiffness;
  const SpectrumX modes = dense_spectrum(h);
  const VectorXd& values = modes.values;
  RestModes out;
  out.stiffness = stiffness;
  out.columns.resize(3 * k, 3 * k);
  Eigen::Index kept = 0;
  for (Eigen::Index m = 0; m < 3 * k; ++m)
    if (values[m] > soft * values[3 * k - 1])
      out.columns.col(kept++) = modes.vectors.col(m) / std::sqrt(values[m]);
  out.columns.conservativeResize(3 * k, kept);
  out.turn = std::sqrt((turns * out.columns).cwiseProduct(out.columns).sum());
  return out;
}

std::vector<Coordinates> draw_states(const RestModes& modes, Eigen::Index k, int count, Numbers& numbers) {
  std::vector<Coordinates> out;
  for (int t = 0; t < count; ++t) {
    VectorXd amplitude(modes.columns.cols());
    for (double& a : amplitude) a = numbers.normal();
    const double scale = typical_turn / modes.turn * (0.1 + 0.9 * numbers.uniform());
    const VectorXd z = scale * (modes.columns * amplitude);
    out.push_back(Eigen::Map<const Coordinates>(z.data(), k, 3));
  }
  return out;
}

/// The gradients of a node over the states in the norm of H^-1, one below the other.
VectorXd column_of(const NodeRows& rows, const std::vector<Coordinates>& states, const MatrixXd& modes) {
  const Eigen::Index m = modes.cols();
  VectorXd out(m * Eigen::Index(states.size()));
  for (std::size_t t = 0; t < states.size(); ++t) {
    const Coordinates g = gradient_of(rows, states[t]);
    out.segment(m * Eigen::Index(t), m).noalias() =
        modes.transpose() * Eigen::Map<const VectorXd>(g.data(), g.size());
  }
  return out;
}

/// The gradients of all nodes together: K Z + sum_i C_i (1 - R_i^T).
VectorXd whole_column(const Model& model, const Basis& basis, const MatrixXd& stiffness,
                      const std::vector<Coordinates>& states, const MatrixXd& modes) {
  std::vector<Coordinates> sums;
  for (const Coordinates& z : states) sums.push_back(stiffness * z);
  for (Index i = 0; i < model.nodes(); ++i) {
    const Coordinates c = pull_of(model, basis.columns, i, 1, nullptr);
    const Mat3 rest = covariance(model, model.rest, i);
    for (std::size_t t = 0; t < states.size(); ++t) {
      const Mat3 a = rest + states[t].transpose().lazyProduct(c);
      const Mat3 r = nearest_rotation(a, Eigen::Quaterniond::Identity()).q.toRotationMatrix();
      sums[t].noalias() += c.lazyProduct((Mat3::Identity() - r).transpose());
    }
  }
  const Eigen::Index m = modes.cols();
  VectorXd out(m * Eigen::Index(states.size()));
  for (std::size_t t = 0; t < states.size(); ++t)
    out.segment(m * Eigen::Index(t), m).noalias() =
        modes.transpose() * Eigen::Map<const VectorXd>(sums[t].data(), sums[t].size());
  return out;
}

/// Each state counts by its relative error.
VectorXd state_scales(const VectorXd& target, Eigen::Index m) {
  VectorXd out(target.size());
  for (Eigen::Index at = 0; at < target.size(); at += m)
    out.segment(at, m).setConstant(1 / std::max(target.segment(at, m).norm(), 1e-300));
  return out;
}

/// Lawson and Hanson's active sets on the normal equations; at most `count` weights above 0.
VectorXd non_negative(const MatrixXd& gram, const VectorXd& right, Eigen::Index count) {
  const Eigen::Index n = gram.rows();
  VectorXd w = VectorXd::Zero(n);
  std::vector<Eigen::Index> active;
  std::vector<char> banned(std::size_t(n), 0);
  while (Eigen::Index(active.size()) < std::min(count, n)) {
    const VectorXd slope = right - gram * w;
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < n; ++i)
      if (!(w[i] > 0) && !banned[i] && slope[i] > 1e-12 * right.norm() &&
          (best < 0 || slope[i] > slope[best]))
        best = i;
    if (best < 0) break;
    active.push_back(best);
    bool entered = false;
    while (!active.empty()) {
      MatrixXd small = gram(active, active);
      small.diagonal().array() += 1e-12 * small.trace();
      const VectorXd some = right(active);
      const VectorXd fit = small.ldlt().solve(some);
      double step = 1;
      for (std::size_t a = 0; a < active.size(); ++a)
        if (!(fit[Eigen::Index(a)] > 0)) {
          const double now = w[active[a]];
          step = std::min(step, now / (now - fit[Eigen::Index(a)] + 1e-300));
        }
      for (std::size_t a = 0; a < active.size(); ++a)
        w[active[a]] += step * (fit[Eigen::Index(a)] - w[active[a]]);
      if (step == 1) {
        entered = true;
        break;
      }
      std::erase_if(active, [&](Eigen::Index i) {
        const bool out = !(w[i] > 1e-14 * w.maxCoeff());
        if (out) w[i] = 0;
        return out;
      });
    }
    // One that only leaves again would be chosen for ever.
    if (!(w[best] > 0)) banned[best] = 1;
    if (!entered && active.empty()) break;
  }
  return w;
}

/// Spread over the node order, which follows the body.
std::vector<Index> choose_candidates(Index nodes) {
  std::vector<Index> out;
  const Index count = std::min(nodes, candidates_at_most);
  for (Index c = 0; c < count; ++c) out.push_back(Index(std::int64_t(c) * nodes / count));
  return out;
}

}  // namespace

TrainedCubature train_cubature(const Model& model, const Basis& basis, int count) {
  const Eigen::Index k = basis.columns.cols();
  const RestModes modes = rest_modes(model, basis);
  const Eigen::Index m = modes.columns.cols();
  Numbers numbers;
  const std::vector<Coordinates> states = draw_states(modes, k, training_states, numbers);
  const std::vector<Coordinates> tests = draw_states(modes, k, test_states, numbers);
  const std::vector<Index> candidates = choose_candidates(model.nodes());

  VectorXd target = whole_column(model, basis, modes.stiffness, states, modes.columns);
  const VectorXd test_target = whole_column(model, basis, modes.stiffness, tests, modes.columns);
  MatrixXd columns(target.size(), Eigen::Index(candidates.size()));
  for (std::size_t c = 0; c < candidates.size(); ++c)
    columns.col(Eigen::Index(c)) =
        column_of(rows_of(model, basis.columns, candidates[c]), states, modes.columns);
  const VectorXd scales = state_scales(target, m);
  columns = scales.asDiagonal() * columns;
  target = scales.cwiseProduct(target);
  const VectorXd w = non_negative(columns.transpose() * columns, columns.transpose() * target, count);

  TrainedCubature out;
  VectorXd got = VectorXd::Zero(test_target.size());
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const double weight = w[Eigen::Index(c)];
    if (!(weight > 0)) continue;
    out.points.nodes.push_back(candidates[c]);
    out.points.weights.push_back(weight);
    got += weight * column_of(rows_of(model, basis.columns, candidates[c]), tests, modes.columns);
  }
  const VectorXd lack = state_scales(test_target, m).cwiseProduct(got - test_target);
  out.error = lack.norm() / std::sqrt(double(test_states));
  return out;
}

}  // namespace pliant::geometric
