// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/model.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"

namespace pliant::geometric {
namespace {

void store_symmetric(const Mat3& m, float* at) {
  const double entries[6] = {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
  for (int e = 0; e < 6; ++e) at[reduced_lanes * e] = float(entries[e]);
}

double size_of(const Points& points) {
  Vec3 low = points[0], high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

double unit_strain_force(const Model& model) {
  const Adjacency& adj = model.adjacency;
  double sum = 0;
  for (Index i = 0; i < model.nodes(); ++i) {
    double force = 0;
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
      force += 2 * model.edge_weight[adj.edge[k]] * (model.rest[adj.target[k]] - model.rest[i]).norm();
    sum += force * force;
  }
  return std::sqrt(sum);
}

/// The piece of every node, -1: none.
std::vector<Index> piece_of_nodes(const Model& model, const Basis& basis) {
  std::vector<Index> out(model.rest.size(), -1);
  for (std::size_t p = 0; p < basis.pieces.size(); ++p)
    for (Index i : basis.pieces[p].nodes) out[i] = Index(p);
  return out;
}

/// Sums over all nodes; the order of the nodes is that of the sums.
void add_whole(const Model& model, const Basis::Columns& phi, ReducedModel& out) {
  const Index n = model.nodes();
  for (Index i = 0; i < n; ++i) {
    out.total_mass += model.mass[i];
    out.centre += model.mass[i] * model.rest[i];
  }
  out.centre /= out.total_mass;
  for (Index i = 0; i < n; ++i) {
    const Vec3 r = model.rest[i] - out.centre;
    const auto row = phi.row(i).transpose();
    out.second += model.mass[i] * r * r.transpose();
    out.moment.noalias() += row * (model.mass[i] * r).transpose();
    out.sum.noalias() += model.mass[i] * row;
  }
  const Basis::Columns heavy = Eigen::Map<const Eigen::VectorXd>(model.mass.data(), n).asDiagonal() * phi;
  out.mass.noalias() = phi.transpose() * heavy;
  const Eigen::LLT<Eigen::MatrixXd> factor(out.mass);
  out.rest_coordinates = factor.solve(out.moment);
  out.one_coordinates = factor.solve(out.sum);
}

}  // namespace

Cubature every_node(const Model& model) {
  Cubature out{std::vector<Index>(model.rest.size()), std::vector<double>(model.rest.size(), 1.0)};
  std::iota(out.nodes.begin(), out.nodes.end(), 0);
  return out;
}

Coordinates pull_of(const Model& model, const Basis::Columns& phi, Index i, double weight,
                    Eigen::MatrixXd* stiffness) {
  const Adjacency& adj = model.adjacency;
  Coordinates c = Coordinates::Zero(phi.cols(), 3);
  Eigen::VectorXd laplacian = Eigen::VectorXd::Zero(phi.cols());
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Index j = adj.target[k];
    const double a = model.edge_weight[adj.edge[k]];
    const Eigen::VectorXd row = (phi.row(j) - phi.row(i)).transpose();
    c.noalias() += row * (a * (model.rest[j] - model.rest[i])).transpose();
    if (stiffness)
      stiffness->selfadjointView<Eigen::Lower>().rankUpdate(
          row, weight * (1 - model.relief_of(i, adj.edge[k])) * a);
    if (model.has_laplacian()) laplacian += model.laplacian_coefficient(i, k) * row;
  }
  if (stiffness && model.has_relief())
    stiffness->triangularView<Eigen::Lower>() += weight * (c * model.stars[i].relief * c.transpose());
  if (model.has_laplacian()) {
    c.noalias() += laplacian * (model.laplacian_weight * model.laplacian_rest[i]).transpose();
    if (stiffness)
      stiffness->selfadjointView<Eigen::Lower>().rankUpdate(laplacian, weight * model.laplacian_weight);
  }
  return c;
}

ReducedModel make_reduced_model(Model full, Basis basis, Cubature cubature) {
  PLIANT_CHECK(basis.columns.rows() == full.nodes());
  ReducedModel out;
  out.full = std::move(full);
  out.basis = std::move(basis);
  out.cubature = std::move(cubature);
  const Model& model = out.full;
  const Basis::Columns& phi = out.basis.columns;
  const Eigen::Index k = phi.cols();
  out.size = size_of(model.rest);
  out.unit_strain_force = unit_strain_force(model);
  out.piece_of = piece_of_nodes(model, out.basis);
  out.mass = out.stiffness = Eigen::MatrixXd::Zero(k, k);
  out.moment = Coordinates::Zero(k, 3);
  out.sum = Eigen::VectorXd::Zero(k);
  add_whole(model, phi, out);

  const int count = int(out.cubature.nodes.size());
  out.batches = (count + reduced_lanes - 1) / reduced_lanes;
  const std::size_t padded = std::size_t(out.batches) * reduced_lanes;
  out.pull.assign(3 * std::size_t(k) * padded, 0);
  out.rest.assign(6 * padded, 0);
  out.slew.assign(6 * padded, 0);
  for (int s = 0; s < count; ++s) {
    const Index i = out.cubature.nodes[s];
    const double weight = out.cubature.weights[s];
    const std::size_t batch = std::size_t(s) / reduced_lanes, lane = std::size_t(s) % reduced_lanes;
    const Coordinates c = weight * pull_of(model, phi, i, weight, &out.stiffness);
    float* pull = out.pull.data() + batch * 3 * std::size_t(k) * reduced_lanes + lane;
    for (Eigen::Index a = 0; a < k; ++a)
      for (int d = 0; d < 3; ++d) pull[reduced_lanes * (3 * a + d)] = float(c(a, d));
    store_symmetric(weight * covariance(model, model.rest, i),
                    out.rest.data() + 6 * batch * reduced_lanes + lane);
    store_symmetric(model.stars[i].slew / weight, out.slew.data() + 6 * batch * reduced_lanes + lane);
  }
  out.stiffness = Eigen::MatrixXd(out.stiffness.selfadjointView<Eigen::Lower>());
  return out;
}

Coordinates pulled(const ReducedModel& model, std::span<const Vec3> field) {
  Coordinates out = Coordinates::Zero(model.columns(), 3);
  for (Index i = 0; i < model.nodes(); ++i)
    out.noalias() += model.basis.columns.row(i).transpose() * field[i].transpose();
  return out;
}

void project(const ReducedModel& model, std::span<const Vec3> field, Coordinates& out) {
  out.setZero();
  for (Index i = 0; i < model.nodes(); ++i)
    out.noalias() += model.basis.columns.row(i).transpose() * (model.full.mass[i] * field[i]).transpose();
  out = Eigen::LLT<Eigen::MatrixXd>(model.mass).solve(out).eval();
}

}  // namespace pliant::geometric
