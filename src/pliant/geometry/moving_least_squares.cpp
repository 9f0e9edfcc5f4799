// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/moving_least_squares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/check.hpp"
#include "pliant/geometry/node_grid.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double detour = 1.8;        // longest way along edges over the straight distance
constexpr double beside = 1.2;        // of a: how far a point may be from its anchor
constexpr double widest_support = 4;  // of a
constexpr int least_neighbours = 5;   // four make a linear field, without choice
constexpr double worst_condition = 1e6;
constexpr int widenings = 5;
constexpr double widening = 1.2;
constexpr int block = 64;

/// Nodes around one within a distance, by ways along edges that make no great detour.
class Walk {
 public:
  Walk(const Points& nodes, const Adjacency& links) : nodes_(nodes), links_(links) {
    way_.assign(nodes.size(), -1);
  }
  /// Ends with the nodes in reached(), the start first.
  void from(Index start, double within) {
    for (const Index i : reached_) way_[std::size_t(i)] = -1;
    reached_.assign(1, start);
    queue_.assign(1, start);
    way_[std::size_t(start)] = 0;
    const Vec3& origin = nodes_[std::size_t(start)];
    for (std::size_t k = 0; k < queue_.size(); ++k) {
      const Index i = queue_[k];
      const double here = way_[std::size_t(i)];
      for (Index e = links_.begin[i]; e < links_.begin[i + 1]; ++e) {
        const Index j = links_.target[e];
        const Vec3& to = nodes_[std::size_t(j)];
        if ((to - origin).squaredNorm() > within * within) continue;
        const double way = here + (to - nodes_[std::size_t(i)]).norm();
        double& known = way_[std::size_t(j)];
        if (known >= 0 && way >= known * (1 - 1e-9)) continue;
        if (known < 0) reached_.push_back(j);
        known = way;
        queue_.push_back(j);
      }
    }
    std::erase_if(reached_, [&](Index i) {
      const bool round =
          way_[std::size_t(i)] > detour * (nodes_[std::size_t(i)] - origin).norm() * (1 + 1e-9);
      if (round) way_[std::size_t(i)] = -1;
      return round;
    });
  }
  const std::vector<Index>& reached() const { return reached_; }

 private:
  const Points& nodes_;
  const Adjacency& links_;
  std::vector<double> way_;
  std::vector<Index> reached_, queue_;
};

using Vec4 = Eigen::Vector4d;
using Mat4 = Eigen::Matrix4d;

/// w(r) and, in `slope`, dw/d(r^2) * 2: grad w = slope (x - X_I) / h_I^2.
double weight(double r, double& slope) {
  const double left = 1 - r;
  slope = -12 * left * left;
  return left * left * left * (1 + 3 * r);
}

}  // namespace

double median_nearest(const Points& nodes) {
  Vec3 low = nodes.front(), high = low;
  for (const Vec3& p : nodes) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const double guess = std::max(1e-12, (high - low).norm()) / std::cbrt(double(nodes.size()));
  const NodeGrid grid(nodes, guess);
  std::vector<NodeGrid::Found> found;
  std::vector<double> nearest;
  for (const Vec3& p : nodes) {
    grid.nearest(p, 2, std::numeric_limits<double>::infinity(), found);
    if (found.size() > 1) nearest.push_back(std::sqrt(found[1].squared));
  }
  if (nearest.empty()) return guess;
  std::nth_element(nearest.begin(), nearest.begin() + long(nearest.size() / 2), nearest.end());
  return nearest[nearest.size() / 2];
}

struct MovingLeastSquares::Basis {
  std::vector<Vec4> p;
  std::vector<double> w, slope;
  Mat4 inverse;
  Vec4 c;
  double scale = 0;
};

MovingLeastSquares::MovingLeastSquares(const Points& nodes, const std::vector<std::array<Index, 2>>& pairs,
                                       const MlsOptions& options, Pool& pool)
    : nodes_(nodes) {
  PLIANT_CHECK(!nodes.empty() && options.nearest >= 1 && options.gamma > 0);
  const Index n = Index(nodes.size());
  spacing_ = options.spacing > 0 ? options.spacing : median_nearest(nodes);
  std::vector<NodeGraph::Edge> edges;
  for (const auto& [a, b] : pairs) edges.push_back({a, b, 0});
  const Adjacency links = adjacency(n, edges);

  support_.resize(nodes.size());
  for_blocks(pool, n, block, [&](int begin, int end) {
    Walk walk(nodes_, links);
    std::vector<double> distance;
    for (Index i = begin; i < end; ++i) {
      double within = 1.6 * spacing_;
      for (int grown = 0;; ++grown, within *= 1.5) {
        walk.from(i, within);
        if (int(walk.reached().size()) > options.nearest || grown == 4) break;
      }
      distance.clear();
      for (const Index j : walk.reached())
        if (j != i) distance.push_back((nodes_[std::size_t(j)] - nodes_[std::size_t(i)]).norm());
      std::sort(distance.begin(), distance.end());
      const double kth =
          distance.empty() ? spacing_ : distance[std::min(distance.size(), std::size_t(options.nearest)) - 1];
      support_[std::size_t(i)] = std::min(options.gamma * kth, widest_support * spacing_);
    }
  });

  const double widest = *std::max_element(support_.begin(), support_.end());
  std::vector<std::vector<Index>> lists(nodes.size());
  for_blocks(pool, n, block, [&](int begin, int end) {
    Walk walk(nodes_, links);
    for (Index i = begin; i < end; ++i) {
      walk.from(i, widest + beside * spacing_);
      auto& list = lists[std::size_t(i)];
      for (const Index j : walk.reached())
        if ((nodes_[std::size_t(j)] - nodes_[std::size_t(i)]).norm() <=
            std::max(support_[std::size_t(j)], 1.5 * spacing_) + beside * spacing_)
          list.push_back(j);
      std::sort(list.begin(), list.end());
    }
  });
  begin_.push_back(0);
  for (const auto& list : lists) {
    around_.insert(around_.end(), list.begin(), list.end());
    begin_.push_back(Index(around_.size()));
  }
}

void MovingLeastSquares::collect(std::span<const Index> anchors, std::vector<Index>& out) const {
  out.clear();
  for (const Index anchor : anchors) {
    const auto list = around(anchor);
    const std::size_t before = out.size();
    out.insert(out.end(), list.begin(), list.end());
    if (before > 0) {
      std::inplace_merge(out.begin(), out.begin() + long(before), out.end());
      out.erase(std::unique(out.begin(), out.end()), out.end());
    }
  }
}

/// Shepard: the constant basis over the nodes in reach, of these weights; with none in reach the nearest of
/// the candidates in `out.node` alone.
void MovingLeastSquares::set_constant(const Vec3& x, const std::vector<Index>& near,
                                      const std::vector<double>& weights, MlsValues& out) const {
  out.constant = true;
  if (near.empty()) {
    const auto squared = [&](Index i) { return (nodes_[std::size_t(i)] - x).squaredNorm(); };
    const Index nearest = *std::min_element(out.node.begin(), out.node.end(),
                                            [&](Index i, Index j) { return squared(i) < squared(j); });
    out.node.assign(1, nearest);
    out.value.assign(1, 1.0);
    return;
  }
  double sum = 0;
  for (const double w : weights) sum += w;
  for (const double w : weights) out.value.push_back(w / sum);
  out.node.assign(near.begin(), near.end());
}

/// `out.node` holds the candidates. False: too few, or too nearly in a plane.
bool MovingLeastSquares::try_evaluate(const Vec3& x, double widen, bool last, MlsValues& out,
                                      Basis& basis) const {
  out.value.clear();
  basis.p.clear(), basis.w.clear(), basis.slope.clear();
  std::size_t kept = 0;
  double scale = 0;
  static thread_local std::vector<Index> near;
  near.clear();
  for (const Index i : out.node) {
    const double h = widen * support_[std::size_t(i)];
    const Vec3 r = nodes_[std::size_t(i)] - x;
    const double squared = r.squaredNorm();
    if (squared >= h * h) continue;
    double slope = 0;
    basis.w.push_back(weight(std::sqrt(squared) / h, slope));
    basis.slope.push_back(slope / (h * h));
    basis.p.push_back({1, r.x(), r.y(), r.z()});
    near.push_back(i);
    scale += h;
    ++kept;
  }
  if (kept < least_neighbours && !last) return false;
  if (kept > 0) {
    scale /= double(kept);
    Mat4 a = Mat4::Zero();
    for (std::size_t k = 0; k < kept; ++k) {
      basis.p[k].tail<3>() /= scale;
      a.noalias() += basis.w[k] * basis.p[k] * basis.p[k].transpose();
    }
    basis.scale = scale;
    const Eigen::LDLT<Mat4> factor(a);
    const Vec4 pivots = factor.vectorD().cwiseAbs();
    const double ratio = pivots.minCoeff() / pivots.maxCoeff();
    out.condition = 1 / ratio;
    bool good = kept >= least_neighbours && ratio > 0;
    if (good && ratio < 1e-3) {
      const Vec4 values = dense_eigenvalues(a);
      good = values[0] * worst_condition > values[3];
    }
    if (good) {
      basis.inverse = factor.solve(Mat4::Identity());
      basis.c = basis.inverse.col(0);
      for (std::size_t k = 0; k < kept; ++k) out.value.push_back(basis.w[k] * basis.c.dot(basis.p[k]));
      out.node.assign(near.begin(), near.end());
      return true;
    }
  }
  if (last) set_constant(x, near, basis.w, out);
  return last;
}

void MovingLeastSquares::evaluate(const Vec3& x, std::span<const Index> anchors, MlsValues& out) const {
  static thread_local Basis basis;
  collect(anchors, out.node);
  out.constant = false;
  out.gradient.clear();
  double widen = 1;
  for (out.widened = 0;; ++out.widened, widen *= widening)
    if (try_evaluate(x, widen, out.widened == widenings, out, basis)) return;
}

/// d_k phi_I = w_I (A^-1 e_k / s - A^-1 (d_k A) c) . p_I + (d_k w_I) c . p_I,  d_k A = sum d_k w_I p_I p_I^T:
/// p_I is centred at x; its own derivative drops out of A by p(x) = e_1 shifting likewise.
void MovingLeastSquares::evaluate_gradients(const Vec3& x, std::span<const Index> anchors,
                                            MlsValues& out) const {
  Basis basis;
  collect(anchors, out.node);
  out.constant = false;
  double widen = 1;
  for (out.widened = 0;; ++out.widened, widen *= widening)
    if (try_evaluate(x, widen, out.widened == widenings, out, basis)) break;
  out.gradient.assign(out.node.size(), Vec3::Zero());
  if (out.constant) return;
  for (int k = 0; k < 3; ++k) {
    Mat4 da = Mat4::Zero();
    std::vector<double> dw;
    for (std::size_t i = 0; i < out.node.size(); ++i) {
      dw.push_back(basis.slope[i] * (x - nodes_[std::size_t(out.node[i])])[k]);
      da += dw[i] * basis.p[i] * basis.p[i].transpose();
    }
    const Vec4 u = basis.inverse.col(k + 1) / basis.scale - basis.inverse * (da * basis.c);
    for (std::size_t i = 0; i < out.node.size(); ++i)
      out.gradient[i][k] = basis.w[i] * u.dot(basis.p[i]) + dw[i] * basis.c.dot(basis.p[i]);
  }
}

}  // namespace pliant
