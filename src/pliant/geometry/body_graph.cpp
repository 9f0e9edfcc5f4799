// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/body_graph.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <numeric>

namespace pliant {

std::vector<NodeGraph::Edge> edges_of(std::vector<std::array<Index, 2>> pairs) {
  for (auto& pair : pairs)
    if (pair[0] > pair[1]) std::swap(pair[0], pair[1]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::vector<NodeGraph::Edge> edges;
  edges.reserve(pairs.size());
  for (const auto& pair : pairs)
    if (pair[0] != pair[1]) edges.push_back({pair[0], pair[1], 0});
  return edges;
}

void calibrate_shares(NodeGraph& graph, double dimension) {
  std::vector<double> degree(graph.positions.size(), 0);
  for (const auto& e : graph.edges) ++degree[e.a], ++degree[e.b];
  for (auto& e : graph.edges)
    e.share = dimension * (graph.volumes[e.a] / degree[e.a] + graph.volumes[e.b] / degree[e.b]) /
              (graph.positions[e.b] - graph.positions[e.a]).squaredNorm();
}

double stiffness_anisotropy(const NodeGraph& graph) {
  Mat3 t = Mat3::Zero();
  for (const auto& e : graph.edges) {
    const Vec3 r = graph.positions[e.b] - graph.positions[e.a];
    t += e.share * r * r.transpose();
  }
  const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(t, Eigen::EigenvaluesOnly).eigenvalues();
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
