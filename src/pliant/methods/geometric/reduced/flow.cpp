// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/flow.hpp"

#include <atomic>

#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"

namespace pliant::geometric {
namespace {

constexpr int nodes_at_once = 512;  // of one partial sum

/// The first number of a node in an array of `count` numbers a node.
float* of_node(AlignedVector<float>& array, std::size_t count, Index node) {
  const std::size_t i = std::size_t(node);
  return array.data() + count * reduced_lanes * (i / reduced_lanes) + i % reduced_lanes;
}

template <std::size_t count>
void put(const double (&numbers)[count], float* at) {
  for (std::size_t e = 0; e < count; ++e) at[reduced_lanes * e] = float(numbers[e]);
}

/// What the rows that end at a node lack of their first rest vectors, as a force: S^T Lambda (S X - d).
Vec3 lacking(const Model& model, const std::vector<Index>& opposite, Index i, RestVectors d) {
  const Adjacency& adj = model.adjacency;
  Vec3 sum = Vec3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Vec3 edge = model.rest[adj.target[k]] - model.rest[i];
    sum += model.edge_weight[adj.edge[k]] * ((-edge - d[opposite[k]]) - (edge - d[k]));
  }
  return sum;
}

}  // namespace

void ReducedFlow::make_room(const Model& model, const Basis& basis) {
  const std::size_t k = std::size_t(basis.columns.cols()), n = model.rest.size();
  const std::size_t padded = (n + reduced_lanes - 1) / reduced_lanes * reduced_lanes;
  pull_.assign(3 * k * padded, 0);
  rest_.assign(6 * padded, 0);
  skew_.assign(3 * padded, 0);
  slew_.assign(6 * padded, 0);
  opposite_ = opposite_edges(model.adjacency);
  partial_.assign((n + nodes_at_once - 1) / nodes_at_once * 3 * k, 0);
  offset_ = Coordinates::Zero(Eigen::Index(k), 3);
}

void ReducedFlow::set_node(const Model& model, const Basis& basis, Index i, RestVectors d) {
  const Adjacency& adj = model.adjacency;
  const Basis::Columns& phi = basis.columns;
  float* pull = of_node(pull_, 3 * std::size_t(phi.cols()), i);
  for (Eigen::Index a = 0; a < phi.cols(); ++a) {
    Vec3 c = Vec3::Zero();
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
      c += model.edge_weight[adj.edge[k]] * (phi(adj.target[k], a) - phi(i, a)) * d[k];
    put({c.x(), c.y(), c.z()}, pull + 3 * reduced_lanes * a);
  }
  const Mat3 a = covariance(model, model.rest, i, d), s = (a + a.transpose()) / 2;
  put({s(0, 0), s(0, 1), s(0, 2), s(1, 1), s(1, 2), s(2, 2)}, of_node(rest_, 6, i));
  put({(a(2, 1) - a(1, 2)) / 2, (a(0, 2) - a(2, 0)) / 2, (a(1, 0) - a(0, 1)) / 2}, of_node(skew_, 3, i));
  const Mat3 j = star_of(model, i, d).slew;
  put({j(0, 0), j(0, 1), j(0, 2), j(1, 1), j(1, 2), j(2, 2)}, of_node(slew_, 6, i));
}

void ReducedFlow::set_offset(const Model& model, const Basis& basis, RestVectors d, Pool& pool) {
  const Basis::Columns& phi = basis.columns;
  const std::size_t numbers = 3 * std::size_t(phi.cols());
  for_blocks(pool, model.nodes(), nodes_at_once, [&](int begin, int end) {
    double* sum = partial_.data() + std::size_t(begin / nodes_at_once) * numbers;
    std::fill_n(sum, numbers, 0.0);
    for (Index i = begin; i < end; ++i) {
      const Vec3 f = lacking(model, opposite_, i, d);
      for (Eigen::Index a = 0; a < phi.cols(); ++a)
        for (int c = 0; c < 3; ++c) sum[3 * a + c] += phi(i, a) * f[c];
    }
  });
  offset_.setZero();
  for (std::size_t part = 0; part < partial_.size(); part += numbers)
    for (Eigen::Index a = 0; a < phi.cols(); ++a)
      for (int c = 0; c < 3; ++c) offset_(a, c) += partial_[part + std::size_t(3 * a + c)];
}

void ReducedFlow::set_all(const Model& model, const Basis& basis, RestVectors d) {
  if (!on()) make_room(model, basis);
  Pool pool(1);  // rounds as the pool of a step does
  for_blocks(pool, model.nodes(), nodes_at_once, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) set_node(model, basis, i, d);
  });
  set_offset(model, basis, d, pool);
}

std::size_t ReducedFlow::bytes() const {
  return sizeof(float) * (pull_.size() + rest_.size() + skew_.size() + slew_.size()) +
         sizeof(Index) * opposite_.size();
}

int let_flow(const ReducedModel& model, const Plasticity& plasticity, double h, const Points& x,
             ReducedState& state, ReducedFlow& flow, Pool& pool) {
  std::atomic<int> flowed = 0;
  for_blocks(pool, model.nodes(), 128, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Mat3 r = state.rotation(std::size_t(i)).toRotationMatrix();
      const int rows = flow_star(model.full, plasticity, h, x, i, r, state.rest_vectors);
      if (rows > 0) flow.set_node(model.full, model.basis, i, state.rest_vectors);
      flowed += rows;
    }
  });
  if (flowed > 0) flow.set_offset(model.full, model.basis, state.rest_vectors, pool);
  return flowed;
}

}  // namespace pliant::geometric
