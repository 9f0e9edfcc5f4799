// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/plastic_flow.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/volume_target.hpp"

namespace pliant::geometric {
namespace {

/// What the rows of a node cost about rest vectors d, with the rotation held.
double star_energy(const Model& model, std::span<const Vec3> x, Index i, const Mat3& rotation,
                   std::span<const Vec3> d) {
  const Adjacency& adj = model.adjacency;
  const Mat3 excess = volume_excess(star_of(model, i, d), covariance(model, x, i, d));
  double sum = 0;
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Vec3 now = x[adj.target[k]] - x[i];
    sum += model.edge_weight[adj.edge[k]] * ((now - rotation * d[k]).squaredNorm() +
                                             model.volume_rows[i] * (excess * d[k]).squaredNorm());
  }
  return sum;
}

/// Scales the vectors so that the map which takes the old ones to them, in the sense of least squares, has
/// determinant 1. False when it has none above 0.
bool keep_star_volume(const Model& model, Index i, const Points& before, std::span<Vec3> d) {
  const Adjacency& adj = model.adjacency;
  Mat3 now = Mat3::Zero(), was = Mat3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Vec3& old = before[std::size_t(k - adj.begin[i])];
    now += model.edge_weight[adj.edge[k]] * d[k] * old.transpose();
    was += model.edge_weight[adj.edge[k]] * old * old.transpose();
  }
  const double change = now.determinant() / was.determinant();
  if (!(change > 0)) return false;
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) d[k] /= std::cbrt(change);
  return true;
}

}  // namespace

int flow_star(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index i,
              const Mat3& rotation, std::span<Vec3> d) {
  const Index begin = model.adjacency.begin[i], end = model.adjacency.begin[i + 1];
  const bool has_volume = model.has_volume() && model.volume_rows[i] > 0;
  thread_local Points before;  // grows to the largest star, once
  if (has_volume) before.assign(d.begin() + begin, d.begin() + end);
  const auto flow_all = [&](double time) {
    int rows = 0;
    for (Index k = begin; k < end; ++k) rows += flow_row(model, plasticity, time, x, i, k, rotation, d[k]);
    return rows;
  };
  if (!has_volume) return flow_all(h);
  double cost = 0;
  for (int attempt = 0; attempt < 4; ++attempt, h /= 4) {
    const int rows = flow_all(h);
    if (rows == 0) return 0;
    if (attempt == 0) {
      // The rows have flowed: the energy before is that of the copy.
      for (Index k = begin; k < end; ++k) std::swap(d[k], before[std::size_t(k - begin)]);
      cost = star_energy(model, x, i, rotation, d);
      for (Index k = begin; k < end; ++k) std::swap(d[k], before[std::size_t(k - begin)]);
    }
    if (keep_star_volume(model, i, before, d) && star_energy(model, x, i, rotation, d) <= cost) return rows;
    std::copy(before.begin(), before.end(), d.begin() + begin);
  }
  return 0;
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
  // Squares where they do: most rows are far from every limit, and roots are what a row costs.
  const double square = strain.squaredNorm(), length_now = d.squaredNorm();
  if (!(square > law.yield * law.yield * length_now)) return false;
  const double first = model.rest_vector(i, k, {}).squaredNorm();
  Vec3 next = d + flow_share(law, std::sqrt(square / length_now), h) * strain;
  const double length = next.squaredNorm();
  if (!(length > 0)) return false;  // collapsed to a point: no direction to keep
  const double shortest = std::max(0.0, 1 - law.cap), longest = 1 + law.cap;
  if (length < shortest * shortest * first || length > longest * longest * first) {
    const double root = std::sqrt(length);
    next *= capped_length(law, root, std::sqrt(first)) / root;
  }
  if (!((next - d).squaredNorm() > no_plastic_change * no_plastic_change * first)) return false;
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
