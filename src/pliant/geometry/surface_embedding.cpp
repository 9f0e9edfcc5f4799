// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/surface_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pliant/geometry/node_grid.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

// A star whose C has an eigenvalue below this part of the largest says nothing about that direction (sheets,
// chains): noise there would be enlarged without bound.
constexpr double deficient = 0.05;
constexpr double negligible = 1e-12;  // weights below are left out
constexpr int most_rings = 12;

/// A set of small numbers that lists them in ascending order: bits, and a bit for every word of them.
class SortedSet {
 public:
  explicit SortedSet(std::size_t numbers) : word_(numbers / 64 + 1, 0), any_(word_.size() / 64 + 1, 0) {}
  void insert(Index number) {
    word_[std::size_t(number) / 64] |= std::uint64_t(1) << (number % 64);
    any_[std::size_t(number) / 4096] |= std::uint64_t(1) << (number / 64 % 64);
  }
  /// Calls visit(number) for all of them; empty afterwards.
  template <class Visit>
  void take(Visit&& visit) {
    for (std::size_t a = 0; a < any_.size(); ++a)
      for (; any_[a]; any_[a] &= any_[a] - 1) {
        const std::size_t w = 64 * a + std::size_t(__builtin_ctzll(any_[a]));
        for (; word_[w]; word_[w] &= word_[w] - 1) visit(Index(64 * w) + __builtin_ctzll(word_[w]));
      }
  }

 private:
  std::vector<std::uint64_t> word_, any_;
};

/// The part of one vertex's row while it is made.
class Row {
 public:
  explicit Row(std::size_t nodes) : at_(nodes, -1), nodes_(nodes), weights_(nodes) {}
  void add(Index node, double weight) {
    Index& at = at_[std::size_t(node)];
    if (at < 0) {
      at = size_;
      nodes_[std::size_t(size_)] = node;
      weights_[std::size_t(size_++)] = 0;
    }
    weights_[std::size_t(at)] += weight;
  }
  /// Leaves weights below the limit out; what they were goes to the largest. True if there were any.
  bool drop(double limit) {
    double lost = 0;
    Index kept = 0;
    for (Index k = 0; k < size_; ++k) {
      if (std::abs(weights_[k]) < limit) {
        lost += weights_[k];
        at_[nodes_[k]] = -1;
        continue;
      }
      at_[nodes_[k]] = kept;
      nodes_[kept] = nodes_[k];
      weights_[kept++] = weights_[k];
    }
    const bool any = kept < size_;
    size_ = kept;
    *std::max_element(weights_.begin(), weights_.begin() + size_) += lost;
    return any;
  }
  void clear() {
    for (const Index node : nodes()) at_[node] = -1;
    size_ = 0;
  }
  std::span<const Index> nodes() const { return {nodes_.data(), std::size_t(size_)}; }
  std::span<double> weights() { return {weights_.data(), std::size_t(size_)}; }
  double weight_of(Index node) const { return weights_[std::size_t(at_[node])]; }

 private:
  std::vector<Index> at_, nodes_;
  std::vector<double> weights_;
  Index size_ = 0;
};

class Embedder {
 public:
  Embedder(const NodeGraph& graph, double spacing)
      : graph_(graph), spacing_(spacing), adj_(adjacency(Index(graph.positions.size()), graph.edges)) {}

  /// g_ij = C_i^+ r_ij / |r_ij|^2, so that F_i d = sum_j (x_j - x_i) (g_ij . d).
  void differentiate(Pool& pool) {
    gradient_.resize(adj_.target.size());
    for_blocks(pool, int(graph_.positions.size()), 256, [&](int begin, int end) {
      for (Index i = begin; i < end; ++i) {
        Mat3 c = Mat3::Zero();
        for (Index k = adj_.begin[i]; k < adj_.begin[i + 1]; ++k) {
          const Vec3 r = edge(i, k);
          c += r * r.transpose() / r.squaredNorm();
        }
        const Mat3 pseudo = pseudo_inverse(c, deficient);
        for (Index k = adj_.begin[i]; k < adj_.begin[i + 1]; ++k) {
          const Vec3 r = edge(i, k);
          gradient_[k] = pseudo * r / r.squaredNorm();
        }
      }
    });
  }

  /// w_i = (1 - d_i^2 / R^2)^2, R the distance of the ninth node: it gets 0, so that nothing jumps when the
  /// set changes.
  void embed(const Vec3& X, std::span<const Index> nodes, Row& row) const {
    row.clear();
    double radius = 0;
    for (const Index i : nodes) radius = std::max(radius, (X - graph_.positions[i]).norm());
    if (nodes.size() < 9) radius = std::max(radius * (1 + 1e-6), 1.2 * spacing_);
    double sum = 0;
    for (const Index i : nodes) sum += weight(X, i, radius);
    for (const Index i : nodes) {
      const double w = sum > 0 ? weight(X, i, radius) / sum : 1.0 / double(nodes.size());
      if (w == 0) continue;  // the ninth, mostly not needed
      const Vec3 d = X - graph_.positions[i];
      double rest = 1;
      for (Index k = adj_.begin[i]; k < adj_.begin[i + 1]; ++k) {
        const double part = gradient_[k].dot(d);
        rest -= part;
        row.add(adj_.target[k], w * part);
      }
      row.add(i, w * rest);
    }
    if (is_short(X, row))
      for (const Index i : nodes) add_star(i, row);
    complete(X, row);
    if (row.drop(negligible)) complete(X, row);
  }

 private:
  Vec3 edge(Index i, Index k) const { return graph_.positions[adj_.target[k]] - graph_.positions[i]; }
  double weight(const Vec3& X, Index i, double radius) const {
    const double s = 1 - (X - graph_.positions[i]).squaredNorm() / (radius * radius);
    return s > 0 ? s * s : 0;
  }

  Vec3 missing(const Vec3& X, Row& row) const {
    Vec3 lack = X;
    for (std::size_t k = 0; k < row.nodes().size(); ++k)
      lack -= row.weights()[k] * graph_.positions[row.nodes()[k]];
    return lack;
  }
  bool is_short(const Vec3& X, Row& row) const { return !(missing(X, row).norm() <= 1e-14); }

  void add_star(Index i, Row& row) const {
    for (Index e = adj_.begin[i]; e < adj_.begin[i + 1]; ++e) row.add(adj_.target[e], 0);
    row.add(i, 0);
  }

  /// Deficient stars leave sum w X_k short of X. The missing vector e comes from the least weights c over the
  /// nodes of the row, and ring by ring more of them, with sum c = 0 and sum c X_k = e:
  /// c_k = (X_k - m) . M^-1 e, m the mean and M = sum (X_k - m)(X_k - m)^T. Rigid and affine motion are then
  /// exact whatever the stars are.
  void complete(const Vec3& X, Row& row) const {
    const Vec3 lack = missing(X, row);
    if (lack.norm() <= 1e-14) return;
    for (int ring = 0; ring < most_rings; ++ring) {
      const std::size_t count = row.nodes().size();
      Vec3 mean = Vec3::Zero();
      for (const Index i : row.nodes()) mean += graph_.positions[i] / double(count);
      Mat3 moment = Mat3::Zero();
      for (const Index i : row.nodes())
        moment += (graph_.positions[i] - mean) * (graph_.positions[i] - mean).transpose();
      const Spectrum3 axes = spectrum(moment);
      Vec3 lever = Vec3::Zero();
      double left = 0;
      for (int m = 0; m < 3; ++m) {
        const Vec3 axis = axes.vectors.col(m);
        if (axes.values[m] > 1e-12 * axes.values[2])
          lever += axis.dot(lack) / axes.values[m] * axis;
        else
          left += std::pow(axis.dot(lack), 2);
      }
      // sum c^2 = lever . M lever: weights that enlarge noise are not worth it while there are nodes farther
      // out.
      const double size = lever.dot(moment * lever);
      const bool good = size < 0.25 && left < 1e-28;
      if (good || ring + 1 == most_rings || !grow(row)) {
        for (std::size_t k = 0; k < count; ++k)
          row.weights()[k] += lever.dot(graph_.positions[row.nodes()[k]] - mean);
        return;
      }
    }
  }

  /// Adds the neighbours of the row's nodes; false if there are none left.
  bool grow(Row& row) const {
    const std::size_t count = row.nodes().size();
    for (std::size_t k = 0; k < count; ++k) add_star(row.nodes()[k], row);
    return row.nodes().size() > count;
  }

  const NodeGraph& graph_;
  double spacing_;
  Adjacency adj_;
  Points gradient_;
};

struct Part {
  std::vector<Index> size, column;
  std::vector<double> weight;
};

void append(Row& row, SortedSet& order, Part& part) {
  for (std::size_t k = 0; k < row.nodes().size(); ++k)
    if (row.weights()[k] != 0) order.insert(row.nodes()[k]);
  const std::size_t before = part.column.size();
  order.take([&](Index node) {
    part.column.push_back(node);
    part.weight.push_back(row.weight_of(node));
  });
  part.size.push_back(Index(part.column.size() - before));
}

}  // namespace

Gather surface_embedding(const Points& vertices, const std::vector<Index>& row, const Leaning& leaning,
                         const NodeGraph& graph, double spacing, Pool& pool) {
  Embedder embedder(graph, spacing);
  embedder.differentiate(pool);
  const NodeGrid grid(graph.positions, spacing);
  constexpr int block = 1024;
  std::vector<Part> parts((vertices.size() + block - 1) / block);
  for_blocks(pool, int(vertices.size()), block, [&](int begin, int end) {
    Part& part = parts[std::size_t(begin / block)];
    Row entries(graph.positions.size());
    SortedSet order(graph.positions.size());
    std::vector<NodeGrid::Found> found;
    for (int v = begin; v < end; ++v) {
      const Vec3& X = vertices[std::size_t(v)];
      entries.clear();
      if (!X.allFinite()) {
        entries.add(0, 1);
      } else {
        const Index r = row[std::size_t(v)];
        std::span<const Index> nodes;
        if (r >= 0)
          nodes = std::span(leaning.node)
                      .subspan(std::size_t(leaning.begin[r]),
                               std::size_t(leaning.begin[r + 1] - leaning.begin[r]));
        Index nearest = 0;
        if (nodes.empty()) {
          grid.nearest(X, 1, std::numeric_limits<double>::infinity(), found);
          nearest = found.front().id;
          nodes = {&nearest, 1};
        }
        embedder.embed(X, nodes, entries);
      }
      append(entries, order, part);
    }
  });
  Gather out;
  std::size_t entries = 0;
  for (const Part& part : parts) entries += part.column.size();
  out.begin.reserve(vertices.size() + 1);
  out.column.reserve(entries);
  out.weight.reserve(entries);
  for (const Part& part : parts) {
    for (const Index size : part.size) out.begin.push_back(out.begin.back() + size);
    out.column.insert(out.column.end(), part.column.begin(), part.column.end());
    out.weight.insert(out.weight.end(), part.weight.begin(), part.weight.end());
  }
  return out;
}

}  // namespace pliant
