// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/factored_hessian.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/simd.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/softness.hpp"

namespace pliant::geometric {
namespace {

const FrontKernels& kernels() {
  return choose_kernels(front_kernels_portable, front_kernels_avx2, front_kernels_avx512);
}

Mat3 root_of(const Mat3& slew) {
  const Spectrum3 s = spectrum(slew);
  return s.with(s.values.cwiseMax(0).cwiseSqrt());
}

// Of one thread, ns: what a node costs in a factor and a solve, and how many multiply-adds are done in one;
// an iteration of the gradients, which takes 27 a node and, since all of many must go well, counts half as
// much again.
constexpr double node_ns = 600, multiply_adds_in_ns = 14, iteration_ns = 40;
constexpr double iterations_at_most = 120;

bool pays_off(double multiply_adds, double iterations, Index free) {
  return free * node_ns + multiply_adds / multiply_adds_in_ns < free * iteration_ns * iterations;
}

constexpr int few_members = 32;  // of a star whose rows fit on the stack

/// Of conjugate gradients, by how soft the softest motion is: 40 takes 3 (a bar), 17 000 60 to 100 (a plant).
double iterations_for(double softness) { return 0.5 * std::sqrt(softness); }

}  // namespace

void FactoredHessian::arrange(const Model& model, const Arrangement& arrangement) {
  PLIANT_CHECK(!model.has_volume() && model.covariance == Covariance::consistent);
  const Adjacency& adj = model.adjacency;
  ElementFactor::Elements stars;
  for (Index i = 0; i < model.nodes(); ++i) {
    const auto add = [&](Index node) {
      if (const Index place = arrangement.place[node]; place < arrangement.free) stars.node.push_back(place);
    };
    add(i);
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) add(adj.target[k]);
    stars.begin.push_back(Index(stars.node.size()));
  }
  factor_.analyse(arrangement.free, std::move(stars));

  member_.assign(adj.target.size(), -1);
  own_member_.assign(model.rest.size(), -1);
  for (Index i = 0; i < model.nodes(); ++i) {
    const std::span<const Index> members = factor_.members(i);
    const auto member_at = [&](Index node) {
      const auto at = std::find(members.begin(), members.end(), arrangement.place[node]);
      return at == members.end() ? -1 : Index(at - members.begin());
    };
    own_member_[i] = member_at(i);
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) member_[k] = member_at(adj.target[k]);
  }
  // A step allocates nothing, and every star is filled once in it: the large ones have a place of their own.
  large_at_.assign(model.rest.size(), 0);
  std::size_t large = 0;
  for (Index i = 0; i < model.nodes(); ++i)
    if (const int count = int(factor_.members(i).size()); count > few_members) {
      large_at_[i] = large;
      large += 3 * std::size_t(front_stride(3 * count));
    }
  large_rows_.assign(large, 0);
  root_.clear();
  for (const Star& star : model.stars) root_.push_back(root_of(star.slew));
  diagonal_.assign(arrangement.free, 0);
  work_.assign(3 * std::size_t(arrangement.free), 0);
}

/// The star's rows with the share of its rotation, and the node's mass. With P = J^1/2 R^T, the rows of
/// J^1/2 B are, at neighbour j, p_r x u_j with u_j = R (a_ij d_ij), and at the node minus their sum.
void FactoredHessian::fill(const Model& model, const Mat3& r, const Mat3& root, const Coefficients& c,
                           Index node, RestVectors d, double* matrix) {
  const Adjacency& adj = model.adjacency;
  const std::span<const Index> members = factor_.members(node);
  const int count = int(members.size()), stride = front_stride(3 * count);
  std::array<double, 3 * std::size_t(front_stride(3 * few_members))> few;
  double* rows = count > few_members ? large_rows_.data() + large_at_[node] : few.data();
  const Mat3 p = std::sqrt(c.turning) * root * r.transpose();
  const auto set_arm = [&](Index member, const Vec3& u) {
    for (int row = 0; row < 3; ++row) {
      const Vec3 t = p.row(row).transpose().cross(u);
      std::copy_n(t.data(), 3, rows + row * stride + 3 * member);
    }
  };
  const Index own = own_member_[node];
  Vec3 sum = Vec3::Zero();
  for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k) {
    Vec3 u = model.edge_weight[adj.edge[k]] * model.rest_vector(node, k, d);
    if (model.has_laplacian())
      u += model.laplacian_weight * model.laplacian_coefficient(node, k) * model.laplacian_rest[node];
    u = r * u;
    sum += u;
    if (member_[k] >= 0) set_arm(member_[k], u);
  }
  if (own >= 0) set_arm(own, -sum);
  for (int row = 0; row < 3; ++row)
    std::fill(rows + row * stride + 3 * count, rows + (row + 1) * stride, 0.0);
  kernels().minus_square(rows, 3 * count, stride, matrix);

  const auto add = [&](Index a, Index b, double value) {
    double* at = matrix + 3 * std::size_t(std::min(a, b)) * stride + 3 * std::max(a, b);
    for (int x = 0; x < 3; ++x, at += stride + 1) *at += value;
  };
  if (model.is_relieved(node)) add_relief(model, c.stiffness, node, d, add);
  double pull = 0;
  for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k) {
    const Index edge = adj.edge[k];
    const double a = c.stiffness * (1 - model.relief_of(node, edge)) * model.edge_weight[edge];
    pull += a;
    if (member_[k] < 0) continue;
    add(member_[k], member_[k], a);
    if (own >= 0) add(own, member_[k], -a);
  }
  if (own >= 0) add(own, own, pull + c.mass * model.mass[node] + diagonal_[members[own]]);
  if (model.has_laplacian()) add_laplacian_row(model, c.stiffness * model.laplacian_weight, node, add);
}

/// weight l l^T with l the coefficients of the node's Laplacian row.
template <class Add>
void FactoredHessian::add_laplacian_row(const Model& model, double weight, Index node, const Add& add) const {
  const Adjacency& adj = model.adjacency;
  double sum = 0;
  for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k) sum += model.laplacian_coefficient(node, k);
  const auto each = [&](auto&& visit) {
    if (own_member_[node] >= 0) visit(own_member_[node], -sum);
    for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k)
      if (member_[k] >= 0) visit(member_[k], model.laplacian_coefficient(node, k));
  };
  each([&](Index a, double left) {
    each([&](Index b, double right) {
      if (b <= a) add(a, b, weight * left * right);
    });
  });
}

/// stiffness dA Q dA^T: with u_j = a_ij d_ij at neighbour j and minus their sum at the node, u_a . Q u_b for
/// each pair.
template <class Add>
void FactoredHessian::add_relief(const Model& model, double stiffness, Index node, RestVectors d,
                                 const Add& add) const {
  const Adjacency& adj = model.adjacency;
  const Star now = d.empty() ? model.stars[node] : star_of(model, node, d);
  const Mat3 q = stiffness * now.relief;
  const auto each = [&](auto&& visit) {
    if (own_member_[node] >= 0) visit(own_member_[node], Vec3(-now.sum));
    for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k)
      if (member_[k] >= 0)
        visit(member_[k], Vec3(model.edge_weight[adj.edge[k]] * model.rest_vector(node, k, d)));
  };
  each([&](Index a, const Vec3& left) {
    const Vec3 weighted = q * left;
    each([&](Index b, const Vec3& right) {
      if (b <= a) add(a, b, weighted.dot(right));
    });
  });
}

template <class RotationOf>
bool FactoredHessian::factor_with(const Model& model, const Arrangement& arrangement,
                                  const RotationOf& rotation_of, const Coefficients& c, RestVectors d,
                                  Pool& pool, std::span<const Mat3> slews) {
  return factor_.factor(
      [&](Index i, double* matrix) {
        const Mat3 root = !slews.empty() ? root_of(slews[std::size_t(i)])
                          : d.empty()    ? root_[i]
                                         : root_of(star_of(model, i, d).slew);
        fill(model, rotation_of(arrangement.place[i]), root, c, i, d, matrix);
      },
      pool);
}

bool FactoredHessian::factor(const Model& model, const Arrangement& arrangement, const Sweeps& sweeps,
                             const Coefficients& c, std::span<const LinearSystem::Spring> springs,
                             RestVectors d, Pool& pool, std::span<const Mat3> slews) {
  for (const LinearSystem::Spring& spring : springs) diagonal_[spring.place] = spring.stiffness;
  const auto rotation = [&](Index place) -> Mat3 {
    float q[4];
    sweeps.quaternion(place, q);
    // Normalised: what single precision leaves of its length would outweigh the bending of a stiff body.
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
  };
  const bool factored = factor_with(model, arrangement, rotation, c, d, pool, slews);
  for (const LinearSystem::Spring& spring : springs) diagonal_[spring.place] = 0;
  return factored;
}

void FactoredHessian::solve(const float* g, float* z) {
  const std::size_t free = diagonal_.size();
  for (std::size_t k = 0; k < free; ++k)
    for (int c = 0; c < 3; ++c) work_[3 * k + c] = g[4 * k + c];
  factor_.solve(work_);
  for (std::size_t k = 0; k < free; ++k)
    for (int c = 0; c < 3; ++c) z[4 * k + c] = float(work_[3 * k + c]);
}

double FactoredHessian::softness(const Model& model, const Arrangement& arrangement,
                                 const SymmetricMatrix& stiffness, const Coefficients& c, Pool& pool) {
  const auto at_rest = [](Index) -> Mat3 { return Mat3::Identity(); };
  if (!factor_with(model, arrangement, at_rest, c, {}, pool)) return 0;
  return softest_motion(model, arrangement, stiffness, c.mass, c.stiffness,
                        [&](std::span<double> v) { factor_.solve(v); });
}

bool FactoredHessian::may_pay(const Model& model, const Coefficients& c, double multiply_adds_of_a,
                              Index free) {
  const double softest = 1 + 24 * c.stiffness * model.stiffness_ratio / c.mass;
  const double iterations = std::min(iterations_at_most, iterations_for(softest));
  double star = 0;
  for (Index i = 0; i < model.nodes(); ++i)
    star = std::max(star, 3.0 * (model.adjacency.begin[i + 1] - model.adjacency.begin[i]));
  const double share = model.has_laplacian() ? 27 : 216;
  return free > 0 && pays_off(std::max(share * multiply_adds_of_a, star * star * star / 6), iterations, free);
}

bool FactoredHessian::pays(const Model& model, const Arrangement& arrangement,
                           const SymmetricMatrix& stiffness, const Coefficients& coefficients, Pool& pool) {
  if (!pays_off(multiply_adds(), iterations_at_most, arrangement.free)) return false;
  const double soft = softness(model, arrangement, stiffness, coefficients, pool);
  return pays_off(multiply_adds(), iterations_for(soft), arrangement.free);
}

}  // namespace pliant::geometric
