// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/plastic_flow.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/volume_target.hpp"

namespace pliant::geometric {
namespace {

/// Twice what the rows of a node cost about rest vectors d, with the rotation held. With S = sum a |x_j - x_i|^2, the
/// covariance A and B: edge rows S - 2 R : A + tr(B), less the relief S_theta - tr(A Q A^T); volume rows
/// w tr(E B E^T), E = F - T.
double star_energy(const Model& model, std::span<const Vec3> x, Index i, const Mat3& rotation,
                   std::span<const Vec3> d) {
  const Adjacency& adj = model.adjacency;
  double squares = 0, relieved_squares = 0;
  Mat3 a = Mat3::Zero(), b = a, relieved = a;
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Index edge = adj.edge[k];
    const Vec3 now = x[adj.target[k]] - x[i], weighted = model.edge_weight[edge] * d[k];
    const double square = model.edge_weight[edge] * now.squaredNorm(), theta = model.relief_of(i, edge);
    const Mat3 moment = d[k] * weighted.transpose();
    squares += square, relieved_squares += theta * square;
    a += now * weighted.transpose();
    b += moment, relieved += theta * moment;
  }
  const double w = model.has_volume() ? model.volume_rows[i] : 0;
  double sum = squares - 2 * rotation.cwiseProduct(a).sum() + b.trace();
  if (model.is_relieved(i)) {
    const Mat3 fit = a * inverse_moment(b);
    sum -= relieved_squares - (fit * relieved).cwiseProduct(fit).sum();
  }
  if (w == 0) return sum;
  const Mat3 excess = volume_excess(star_of(model, i, d), a);
  return sum + w * (excess * b).cwiseProduct(excess).sum();
}

constexpr double flat_star = 1e-3;     // of the cube of the mean moment: the star of a sheet has no volume
constexpr double least_volume = 0.05;  // J of stars that are flat or inside out

bool has_volume(const Mat3& b) {
  const double mean = b.trace() / 3;
  return b.determinant() > flat_star * mean * mean * mean;
}

/// sum_j a_ij u_ij v_ij^T over the rows of a node.
template <class U, class V>
Mat3 moment(const Model& model, Index i, const U& u, const V& v) {
  Mat3 sum = Mat3::Zero();
  for (Index k = model.adjacency.begin[i]; k < model.adjacency.begin[i + 1]; ++k)
    sum += model.edge_weight[model.adjacency.edge[k]] * u(k) * v(k).transpose();
  return sum;
}

/// The rest vectors of a star flow together. Returns how many did.
int flow_together(const Model& model, const PlasticLaw& law, double h, std::span<const Vec3> x, Index i,
                  const Mat3& rotation, const Mat3& first_moment, std::span<Vec3> d) {
  const Index begin = model.adjacency.begin[i], end = model.adjacency.begin[i + 1];
  const auto now = [&](Index k) -> Vec3 {
    return rotation.transpose() * (x[model.adjacency.target[k]] - x[i]);
  };
  const auto first = [&](Index k) { return model.rest_vector(i, k, {}); };
  // Both by the map from the first vectors, which is the same measure: what it calls the first volume stays.
  const double change = moment(model, i, now, first).determinant() / first_moment.determinant();
  const double shape = 1 / std::cbrt(change > least_volume ? change : least_volume);
  double most = 0;
  for (Index k = begin; k < end; ++k)
    most = std::max(most, (shape * now(k) - d[k]).squaredNorm() / d[k].squaredNorm());
  if (!(most > law.yield * law.yield)) return 0;
  const double share = flow_share(law, std::sqrt(most), h);
  const auto flowed = [&](Index k) -> Vec3 {
    const Vec3 next = d[k] + share * (shape * now(k) - d[k]);
    const double length = next.norm();
    return length > 0 ? Vec3(next * (capped_length(law, length, first(k).norm()) / length)) : d[k];
  };
  const double volume = moment(model, i, flowed, first).determinant() / first_moment.determinant();
  if (!(volume > 0)) return 0;
  const double kept = 1 / std::cbrt(volume);
  int rows = 0;
  for (Index k = begin; k < end; ++k) {
    const Vec3 next = kept * flowed(k);
    if (!((next - d[k]).squaredNorm() > no_plastic_change * no_plastic_change * first(k).squaredNorm()))
      continue;
    d[k] = next;
    ++rows;
  }
  return rows;
}

}  // namespace

bool has_solid_stars(const Model& model) {
  const auto first = [&](Index i) { return [&model, i](Index k) { return model.rest_vector(i, k, {}); }; };
  for (Index i = 0; i < model.nodes(); ++i)
    if (has_volume(moment(model, i, first(i), first(i)))) return true;
  return false;
}

int flow_star(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index i,
              const Mat3& rotation, std::span<Vec3> d) {
  const Index begin = model.adjacency.begin[i], end = model.adjacency.begin[i + 1];
  const auto first = [&](Index k) { return model.rest_vector(i, k, {}); };
  const Mat3 first_moment = moment(model, i, first, first);
  const bool together = plasticity.form == PlasticForm::consistent && has_volume(first_moment);
  const auto flow_all = [&](double time) {
    if (together) return flow_together(model, plasticity.law, time, x, i, rotation, first_moment, d);
    int rows = 0;
    for (Index k = begin; k < end; ++k) rows += flow_row(model, plasticity, time, x, i, k, rotation, d[k]);
    return rows;
  };
  if (!together && !(model.has_volume() && model.volume_rows[i] > 0)) return flow_all(h);
  thread_local Points before;  // grows to the largest star, once
  before.assign(d.begin() + begin, d.begin() + end);
  const double cost = star_energy(model, x, i, rotation, d);
  for (int attempt = 0; attempt < 4; ++attempt, h /= 4) {
    const int rows = flow_all(h);
    if (rows == 0) return 0;
    if (star_energy(model, x, i, rotation, d) <= cost) return rows;
    std::copy(before.begin(), before.end(), d.begin() + begin);
  }
  return 0;
}

bool flow_row(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index i,
              Index k, const Mat3& rotation, Vec3& d) {
  const PlasticLaw& law = plasticity.law;
  const Vec3 now = x[model.adjacency.target[k]] - x[i];
  Vec3 strain = -d;
  strain.noalias() += rotation.transpose() * now;
  // Squares where they do: most rows are far from every limit, and roots are what a row costs.
  const double square = strain.squaredNorm(), length_now = d.squaredNorm();
  if (!(square > law.yield * law.yield * length_now)) return false;
  const double first = model.rest_vector(i, k, {}).squaredNorm();
  const Vec3 way = plasticity.form == PlasticForm::printed ? Vec3(now - d) : strain;
  Vec3 next = d + flow_share(law, std::sqrt(square / length_now), h) * way;
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
