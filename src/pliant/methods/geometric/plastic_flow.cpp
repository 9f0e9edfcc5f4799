// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/plastic_flow.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::geometric {
namespace {

constexpr double no_change = 1e-9;  // of a rest length: what the cap leaves to flow

}  // namespace

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
  if (!((next - d).squaredNorm() > no_change * no_change * first)) return false;
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
