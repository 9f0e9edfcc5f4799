// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/plastic_flow.hpp"

namespace pliant::geometric {
namespace {

constexpr double no_change = 1e-9;  // of a rest length: what the cap leaves to flow

}  // namespace

int flow_rows(const Model& model, const Plasticity& plasticity, double h, std::span<const Vec3> x, Index i,
              const Mat3& rotation, std::span<Vec3> d) {
  const PlasticLaw& law = plasticity.law;
  const bool turned_back = plasticity.form == PlasticForm::consistent;
  int flowed = 0;
  for (Index k = model.adjacency.begin[i]; k < model.adjacency.begin[i + 1]; ++k) {
    const Vec3 now = x[model.adjacency.target[k]] - x[i];
    const Vec3 strain = (turned_back ? Vec3(rotation.transpose() * now) : now) - d[k];
    const double share = flow_share(law, strain.norm() / d[k].norm(), h);
    if (!(share > 0)) continue;
    const double first = model.rest_vector(i, k, {}).norm();
    Vec3 next = d[k] + share * strain;
    const double length = next.norm();
    if (!(length > 0)) continue;  // collapsed to a point: no direction to keep
    next *= capped_length(law, length, first) / length;
    if (!((next - d[k]).norm() > no_change * first)) continue;
    d[k] = next;
    ++flowed;
  }
  return flowed;
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
