// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/energy.hpp"

#include <algorithm>

#include "pliant/math/rotation.hpp"

namespace pliant::geometric {
namespace {

/// nearest_rotation for warm starts that are near, a tenth of the time: plain Newton steps w = H^-1 t while H
/// is positive definite. There is no maximum of tr(R^T A) but the global one, so that t = 0 with such an H is
/// the answer.
Eigen::Quaterniond near_rotation(const Mat3& a, Eigen::Quaterniond q) {
  constexpr int most_steps = 4;
  constexpr double near = 0.5, done = 1e-8;  // rad; convergence is quadratic
  for (int k = 0; k < most_steps; ++k) {
    const Mat3 b = q.toRotationMatrix().transpose() * a;
    const Vec3 t(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
    const double trace = b.trace();
    const Mat3 h = trace * Mat3::Identity() - (b + b.transpose()) / 2;
    const double minor = h(0, 0) * h(1, 1) - h(0, 1) * h(1, 0), det = h.determinant();
    if (!(h(0, 0) > 0 && minor > 0 && det > 1e-6 * trace * trace * trace && trace > 0)) break;
    const Vec3 w = h.inverse() * t;
    const double angle = w.norm();
    if (!(angle < near)) break;
    q = (q * Eigen::Quaterniond(1, w.x() / 2, w.y() / 2, w.z() / 2)).normalized();
    if (angle < done) return q;
  }
  return nearest_rotation(a, q).q;
}

/// Calls edge_row(weight, other end, e, pull) and laplacian_row(weight, e) for the rows that a node owns, with
/// e = s x - R d, and e less the relief, see ../model.hpp.
template <class EdgeRow, class LaplacianRow>
void each_row(const Model& model, const Points& x, Index i, const Mat3& rotation, RestVectors d,
              EdgeRow&& edge_row, LaplacianRow&& laplacian_row) {
  const Adjacency& adj = model.adjacency;
  const Index begin = adj.begin[i], end = adj.begin[i + 1];
  Vec3 laplacian = Vec3::Zero();
  Mat3 fitted = Mat3::Zero();
  if (model.is_relieved(i))
    fitted = covariance(model, x, i, d) * (d.empty() ? model.stars[i] : star_of(model, i, d)).relief;
  for (Index k = begin; k < end; ++k) {
    const Index j = adj.target[k], edge = adj.edge[k];
    const Vec3 now = x[j] - x[i], rest = model.rest_vector(i, k, d), e = now - rotation * rest;
    edge_row(model.edge_weight[edge], j, e, Vec3(e - model.relief_of(i, edge) * now + fitted * rest));
    if (model.has_laplacian()) laplacian += model.laplacian_coefficient(i, k) * now;
  }
  if (model.has_laplacian() && end > begin)
    laplacian_row(model.laplacian_weight, Vec3(laplacian - rotation * model.laplacian_rest[i]));
}

}  // namespace

Rotations rotations_at(const ReducedModel& model, const ReducedState& state, const Points& x) {
  const std::vector<Index>& swept = model.cubature.nodes;
  Rotations out(swept.size());
  for (std::size_t s = 0; s < swept.size(); ++s)
    out[s] = near_rotation(covariance(model.full, x, swept[s], state.rest_vectors), state.rotation(s));
  return out;
}

double energy(const ReducedModel& model, const ReducedState& state, const Points& x,
              const Rotations& rotations) {
  double sum = 0;
  for (std::size_t s = 0; s < rotations.size(); ++s) {
    const double weight = model.cubature.weights[s];
    each_row(
        model.full, x, model.cubature.nodes[s], rotations[s].toRotationMatrix(), state.rest_vectors,
        [&](double a, Index, const Vec3& e, const Vec3&) { sum += 0.5 * weight * a * e.squaredNorm(); },
        [&](double a, const Vec3& e) { sum += 0.5 * weight * a * e.squaredNorm(); });
    sum -= weight * relieved_energy(model.full, x, model.cubature.nodes[s], state.rest_vectors);
  }
  return sum;
}

void elastic_forces(const ReducedModel& model, const ReducedState& state, const Points& x,
                    const Rotations& rotations, std::span<Vec3> out) {
  const Adjacency& adj = model.full.adjacency;
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t s = 0; s < rotations.size(); ++s) {
    const Index i = model.cubature.nodes[s];
    const double weight = model.cubature.weights[s];
    each_row(
        model.full, x, i, rotations[s].toRotationMatrix(), state.rest_vectors,
        [&](double a, Index j, const Vec3&, const Vec3& pull) {
          out[j] -= weight * a * pull;
          out[i] += weight * a * pull;
        },
        [&](double a, const Vec3& e) {
          for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
            const Vec3 share = weight * a * model.full.laplacian_coefficient(i, k) * e;
            out[adj.target[k]] -= share;
            out[i] += share;
          }
        });
  }
}

}  // namespace pliant::geometric
