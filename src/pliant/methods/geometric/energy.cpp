// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/energy.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/rotation.hpp"

namespace pliant::geometric {
namespace {

/// l_i = s_i sum_j c_ij (x_j - x_i).
Vec3 laplacian(const Model& model, std::span<const Vec3> x, Index i) {
  const Adjacency& adj = model.adjacency;
  Vec3 sum = Vec3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
    sum += model.laplacian_share[adj.edge[k]] * (x[adj.target[k]] - x[i]);
  return model.laplacian_scale[i] * sum;
}

/// out = S^T Lambda (S x - T d) for any 3x3 T_i in place of R_i.
template <class Tensor>
void rows_transposed(const Model& model, std::span<const Vec3> x, const Tensor& tensor, std::span<Vec3> out) {
  const Adjacency& adj = model.adjacency;
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t k = 0; k < model.edges.size(); ++k) {
    const auto& e = model.edges[k];
    const Vec3 now = x[e.b] - x[e.a], rest = model.rest[e.b] - model.rest[e.a];
    const Vec3 force = model.edge_weight[k] * (2 * now - (tensor(e.a) + tensor(e.b)) * rest);
    out[e.b] += force;
    out[e.a] -= force;
  }
  if (!model.has_laplacian()) return;
  for (Index i = 0; i < model.nodes(); ++i) {
    const Vec3 row = model.laplacian_weight * model.laplacian_scale[i] *
                     (laplacian(model, x, i) - tensor(i) * model.laplacian_rest[i]);
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
      const Vec3 part = model.laplacian_share[adj.edge[k]] * row;
      out[i] -= part;
      out[adj.target[k]] += part;
    }
  }
}

Mat3 cross_matrix(const Vec3& w) {
  Mat3 m;
  m << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return m;
}

}  // namespace

Mat3 covariance(const Model& model, std::span<const Vec3> x, Index i) {
  const Adjacency& adj = model.adjacency;
  Mat3 a = Mat3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Index j = adj.target[k];
    a += covariance_weight(model, adj.edge[k], j) * (x[j] - x[i]) *
         (model.rest[j] - model.rest[i]).transpose();
  }
  if (model.covariance == Covariance::consistent && model.has_laplacian())
    a += model.laplacian_weight * laplacian(model, x, i) * model.laplacian_rest[i].transpose();
  return a;
}

void update_rotations(const Model& model, std::span<const Vec3> x, Rotations& rotations) {
  PLIANT_CHECK(Index(rotations.size()) == model.nodes());
  for (Index i = 0; i < model.nodes(); ++i)
    rotations[i] = nearest_rotation(covariance(model, x, i), rotations[i]).q;
}

double energy(const Model& model, std::span<const Vec3> x, const Rotations& rotations) {
  double sum = 0;
  for (std::size_t k = 0; k < model.edges.size(); ++k) {
    const auto& e = model.edges[k];
    const Vec3 now = x[e.b] - x[e.a], rest = model.rest[e.b] - model.rest[e.a];
    sum += 0.5 * model.edge_weight[k] *
           ((now - rotations[e.a] * rest).squaredNorm() + (now - rotations[e.b] * rest).squaredNorm());
  }
  if (!model.has_laplacian()) return sum;
  for (Index i = 0; i < model.nodes(); ++i)
    sum += 0.5 * model.laplacian_weight *
           (laplacian(model, x, i) - rotations[i] * model.laplacian_rest[i]).squaredNorm();
  return sum;
}

void gradient(const Model& model, std::span<const Vec3> x, const Rotations& rotations, std::span<Vec3> out) {
  rows_transposed(
      model, x, [&](Index i) { return rotations[i].toRotationMatrix(); }, out);
}

SymmetricMatrix stiffness_matrix(const Model& model) {
  const Adjacency& adj = model.adjacency;
  SymmetricMatrix matrix;
  std::vector<double> sum(model.rest.size(), 0.0);
  std::vector<char> present(model.rest.size(), 0);
  std::vector<Index> row;
  const auto add = [&](Index i, Index j, double value) {
    if (j > i) return;
    if (!present[j]) present[j] = 1, row.push_back(j);
    sum[j] += value;
  };
  // Row k of the Laplacian: s_k c_kj at the neighbours j, minus their sum at k; K gets lambda L_ki L_kj.
  const auto add_laplacian_row = [&](Index i, Index k, double coefficient_at_i) {
    for (Index n = adj.begin[k]; n < adj.begin[k + 1]; ++n) {
      const double value = coefficient_at_i * model.laplacian_scale[k] * model.laplacian_share[adj.edge[n]];
      if (value == 0) continue;
      add(i, adj.target[n], value);
      add(i, k, -value);
    }
  };
  for (Index i = 0; i < model.nodes(); ++i) {
    const Index begin = adj.begin[i], end = adj.begin[i + 1];
    add(i, i, 0);
    for (Index n = begin; n < end; ++n) {
      const double twice = 2 * model.edge_weight[adj.edge[n]];
      add(i, i, twice);
      add(i, adj.target[n], -twice);
    }
    for (Index n = begin; model.has_laplacian() && n < end; ++n) {
      const Index k = adj.target[n];
      const double share = model.laplacian_weight * model.laplacian_share[adj.edge[n]];
      add_laplacian_row(i, i, -share * model.laplacian_scale[i]);
      add_laplacian_row(i, k, share * model.laplacian_scale[k]);
    }
    std::sort(row.begin(), row.end());
    for (Index j : row) {
      matrix.column.push_back(j);
      matrix.value.push_back(sum[j]);
      sum[j] = 0;
      present[j] = 0;
    }
    row.clear();
    matrix.begin.push_back(Index(matrix.column.size()));
  }
  return matrix;
}

void hessian_product(const Model& model, const Rotations& rotations, std::span<const Vec3> p,
                     std::span<Vec3> out) {
  const Adjacency& adj = model.adjacency;
  std::vector<Mat3> turn(model.rest.size());
  for (Index i = 0; i < model.nodes(); ++i) {
    Mat3 da = Mat3::Zero();
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
      const Index j = adj.target[k];
      da += model.edge_weight[adj.edge[k]] * (p[j] - p[i]) * (model.rest[j] - model.rest[i]).transpose();
    }
    if (model.has_laplacian())
      da += model.laplacian_weight * laplacian(model, p, i) * model.laplacian_rest[i].transpose();
    const Mat3 r = rotations[i].toRotationMatrix(), b = r.transpose() * da;
    const Vec3 axial(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
    turn[i] = r * cross_matrix(model.slew[i] * axial);
  }
  rows_transposed(
      model, p, [&](Index i) -> const Mat3& { return turn[i]; }, out);
}

}  // namespace pliant::geometric
