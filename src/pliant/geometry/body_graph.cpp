// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/body_graph.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {

std::vector<NodeGraph::Edge> edges_of(const std::vector<NodePair>& pairs) {
  Index nodes = 0;
  for (const auto& pair : pairs) nodes = std::max({nodes, pair[0] + 1, pair[1] + 1});
  // A bucket for every lower end: the buckets are short.
  std::vector<Index> begin(std::size_t(nodes) + 1, 0), higher(pairs.size());
  for (const auto& pair : pairs) ++begin[std::min(pair[0], pair[1]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  for (const auto& pair : pairs) higher[next[std::min(pair[0], pair[1])]++] = std::max(pair[0], pair[1]);
  std::vector<NodeGraph::Edge> edges;
  edges.reserve(pairs.size());
  for (Index i = 0; i < nodes; ++i) {
    std::sort(higher.begin() + begin[i], higher.begin() + begin[i + 1]);
    for (Index k = begin[i]; k < begin[i + 1]; ++k)
      if (higher[k] != i && (k == begin[i] || higher[k] != higher[k - 1])) edges.push_back({i, higher[k], 0});
  }
  return edges;
}

std::vector<NodePair> second_ring(Index nodes, const std::vector<NodeGraph::Edge>& edges) {
  const Adjacency adj = adjacency(nodes, edges);
  const auto degree = [&](Index i) { return adj.begin[i + 1] - adj.begin[i]; };
  std::vector<NodePair> pairs;
  std::vector<Index> common(std::size_t(nodes), 0), near_to(std::size_t(nodes), -1), reached;
  for (Index i = 0; i < nodes; ++i) {
    reached.clear();
    near_to[i] = i;
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) near_to[adj.target[k]] = i;
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
      for (Index l = adj.begin[adj.target[k]]; l < adj.begin[adj.target[k] + 1]; ++l)
        if (const Index j = adj.target[l]; j > i && near_to[j] != i && common[j]++ == 0) reached.push_back(j);
    std::sort(reached.begin(), reached.end());
    for (const Index j : reached) {
      if (common[j] >= 2 || degree(i) < 3 || degree(j) < 3) pairs.push_back({i, j});
      common[j] = 0;
    }
  }
  return pairs;
}

namespace {

using Mat6 = Eigen::Matrix<double, 6, 6>;
using Vec6 = Eigen::Matrix<double, 6, 1>;

/// u u^T as six numbers whose dot product is the product of the tensors.
Vec6 dyad(const Vec3& u) {
  const double s = std::sqrt(2.0);
  Vec6 d;
  d << u[0] * u[0], u[1] * u[1], u[2] * u[2], s * u[0] * u[1], s * u[1] * u[2], s * u[2] * u[0];
  return d;
}

/// How a node's volume is shared by its edges (the shares sum to 1): evenly at first, then changed as little
/// as possible so that sum_j v_j u_j u_j^T = I / 3, u the unit vectors along the edges. Without that, nodes
/// at a surface, whose edges lean into it, are 10 % too stiff along it, and bars of few nodes too stiff in
/// bending by as much. The least change is v_j = v (1 + u_j . L u_j), L symmetric: six equations. No edge
/// loses more than nine tenths.
void share_volume(const Points& r, std::vector<double>& v) {
  v.assign(r.size(), 1 / double(r.size()));
  if (r.size() < 6) return;
  Mat6 normal = Mat6::Zero();
  Vec6 lack;
  lack << Vec3::Constant(1.0 / 3), Vec3::Zero();
  for (std::size_t k = 0; k < r.size(); ++k) {
    const Vec6 d = dyad(r[k].normalized());
    normal += v[k] * d * d.transpose();
    lack -= v[k] * d;
  }
  // Flat stars have no answer; the small diagonal keeps theirs bounded.
  normal.diagonal().array() += 1e-5 * normal.trace();
  const Vec6 multiplier = Eigen::LDLT<Mat6>(normal).solve(lack);
  double least = 0;
  for (const Vec3& x : r) least = std::min(least, multiplier.dot(dyad(x.normalized())));
  const double part = least < -0.9 ? 0.9 / -least : 1;
  double sum = 0;
  for (std::size_t k = 0; k < r.size(); ++k)
    sum += v[k] *= 1 + part * multiplier.dot(dyad(r[k].normalized()));
  for (double& x : v) x /= sum;
}

}  // namespace

void calibrate_shares(NodeGraph& graph, int dimension) {
  const Adjacency adj = adjacency(Index(graph.positions.size()), graph.edges);
  Points r;
  std::vector<double> v;
  for (auto& e : graph.edges) e.share = 0;
  for (Index i = 0; i < Index(graph.positions.size()); ++i) {
    r.clear();
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
      r.push_back(graph.positions[adj.target[k]] - graph.positions[i]);
    if (dimension == 3)
      share_volume(r, v);
    else
      v.assign(r.size(), 1 / double(r.size()));
    for (std::size_t k = 0; k < r.size(); ++k)
      graph.edges[adj.edge[adj.begin[i] + Index(k)]].share +=
          dimension * graph.volumes[i] * v[k] / r[k].squaredNorm();
  }
}

double stiffness_anisotropy(const NodeGraph& graph) {
  Mat3 t = Mat3::Zero();
  for (const auto& e : graph.edges) {
    const Vec3 r = graph.positions[e.b] - graph.positions[e.a];
    t += e.share * r * r.transpose();
  }
  const Vec3 values = eigenvalues(t);
  return values[0] > 0 ? values[2] / values[0] : std::numeric_limits<double>::infinity();
}

void floor_and_scale(std::vector<double>& volumes, double least, double total) {
  const double sum = std::accumulate(volumes.begin(), volumes.end(), 0.0);
  const double floor = sum > 0 ? least * sum / double(volumes.size()) : 1;
  for (double& v : volumes) v = std::max(v, floor);
  const double scale = total / std::accumulate(volumes.begin(), volumes.end(), 0.0);
  for (double& v : volumes) v *= scale;
}

}  // namespace pliant
