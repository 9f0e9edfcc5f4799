// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/plastic_flow.hpp"

#include <Eigen/LU>
#include <cmath>

namespace pliant::geometric {
namespace {

constexpr double no_change = 1e-9;  // of a rest length: what the cap leaves to flow

}  // namespace

int flow_star(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index i,
              const Mat3& rotation, std::span<Vec3> d) {
  const Adjacency& adj = model.adjacency;
  const bool keeps_volume = model.has_volume() && model.stars[i].compliance > 0;
  int rows = 0;
  Mat3 now = Mat3::Zero(), was = Mat3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Vec3 before = d[k];
    rows += flow_row(model, plasticity, h, x, i, k, rotation, d[k]);
    const double weight = model.edge_weight[adj.edge[k]];
    now += weight * d[k] * before.transpose();
    was += weight * before * before.transpose();
  }
  if (rows == 0 || !keeps_volume) return rows;
  // The map that takes the old vectors to the new ones, in the sense of least squares, has this determinant.
  const double change = now.determinant() / was.determinant();
  if (!(change > 0)) return rows;  // inside out: no volume to go by
  const double scale = 1 / std::cbrt(change);
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) d[k] *= scale;
  return rows;
}

bool flow_row(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index i,
              Index k, const Mat3& rotation, Vec3& d) {
  const PlasticLaw& law = plasticity.law;
  const Vec3 now = x[model.adjacency.target[k]] - x[i];
  Vec3 strain = -d;
  if (plasticity.form == PlasticForm::consistent)
    strain.noalias() += rotation.transpose() * now;
  else
    strain += now;
  const double square = strain.squaredNorm() / d.squaredNorm();
  if (!(square > law.yield * law.yield)) return false;
  const double first = model.rest_vector(i, k, {}).norm();
  Vec3 next = d + flow_share(law, std::sqrt(square), h) * strain;
  const double length = next.norm();
  if (!(length > 0)) return false;  // collapsed to a point: no direction to keep
  next *= capped_length(law, length, first) / length;
  if (!((next - d).norm() > no_change * first)) return false;
  d = next;
  return true;
}

Points rest_vectors(const Model& model) {
  Points out(model.adjacency.target.size());
  for (Index i = 0; i < model.nodes(); ++i)
    for (Index k = model.adjacency.begin[i]; k < model.adjacency.begin[i + 1]; ++k)
      out[k] = model.rest_vector(i, k, {});
  return out;
}

std::vector<Index> opposite_edges(const Adjacency& adjacency) {
  const std::size_t directed = adjacency.target.size();
  std::vector<Index> first(directed / 2, -1), out(directed);
  for (std::size_t k = 0; k < directed; ++k) {
    Index& other = first[adjacency.edge[k]];
    if (other < 0) {
      other = Index(k);
    } else {
      out[k] = other;
      out[other] = Index(k);
    }
  }
  return out;
}

}  // namespace pliant::geometric
