// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/energy.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/rotation.hpp"
#include "pliant/methods/geometric/sheet/energy.hpp"
#include "pliant/methods/geometric/volume_target.hpp"

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

double volume_row(const Model& model, Index i) { return model.has_volume() ? model.volume_rows[i] : 0; }

Star star_now(const Model& model, Index i, RestVectors d) {
  return d.empty() ? model.stars[i] : star_of(model, i, d);
}

/// sum_j a_ij (x_j - x_i) d_ij^T.
Mat3 edge_covariance(const Model& model, std::span<const Vec3> x, Index i, RestVectors d) {
  const Adjacency& adj = model.adjacency;
  Mat3 a = Mat3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k)
    a += model.edge_weight[adj.edge[k]] * (x[adj.target[k]] - x[i]) * model.rest_vector(i, k, d).transpose();
  return a;
}

/// out = S^T Lambda (S x - T d) for any 3x3 T_i in place of R_i, less the relief; with volume rows T_i is
/// R_i + w_i (T_i - F_i), or the change of it.
template <class Tensor>
void rows_transposed(const Model& model, std::span<const Vec3> x, const Tensor& tensor, RestVectors d,
                     std::span<Vec3> out) {
  const Adjacency& adj = model.adjacency;
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (Index i = 0; i < model.nodes(); ++i) {
    Mat3 t = tensor(i);
    if (model.is_relieved(i)) t -= edge_covariance(model, x, i, d) * star_now(model, i, d).relief;
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
      const Index j = adj.target[k];
      const double kept = 1 - model.relief_of(i, adj.edge[k]);
      const Vec3 row =
          model.edge_weight[adj.edge[k]] * (kept * (x[j] - x[i]) - t * model.rest_vector(i, k, d));
      out[j] += row;
      out[i] -= row;
    }
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

}  // namespace

Vec3 star_turn(const Mat3& slew, const Mat3& r, const Mat3& a) {
  const Mat3 b = r.transpose() * a;
  return slew * Vec3(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
}

Mat3 turned(const Mat3& r, const Vec3& w) {
  Mat3 cross;
  cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return r * cross;
}

Mat3 covariance(const Model& model, std::span<const Vec3> x, Index i, RestVectors d) {
  if (model.sheet) return covariance((*model.sheet)[i], x);
  const Adjacency& adj = model.adjacency;
  Mat3 a = Mat3::Zero();
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Index j = adj.target[k];
    a += covariance_weight(model, adj.edge[k], j) * (x[j] - x[i]) * model.rest_vector(i, k, d).transpose();
  }
  if (model.covariance == Covariance::consistent && model.has_laplacian())
    a += model.laplacian_weight * laplacian(model, x, i) * model.laplacian_rest[i].transpose();
  return a;
}

void update_rotations(const Model& model, std::span<const Vec3> x, Rotations& rotations, RestVectors d) {
  PLIANT_CHECK(Index(rotations.size()) == model.owners());
  if (model.sheet) return update_rotations(*model.sheet, x, rotations);
  for (Index i = 0; i < model.nodes(); ++i)
    rotations[i] = nearest_rotation(covariance(model, x, i, d), rotations[i]).q;
}

/// By ripples rho = x_j - x_i - F d, which loses no digits where they are small: the sum of theta a (|rho|^2 + 2 rho .
/// F d). Any one number may be taken off theta in the second term, for the sum of a rho d^T is zero.
double relieved_energy(const Model& model, std::span<const Vec3> x, Index i, RestVectors d) {
  if (!model.is_relieved(i)) return 0;
  const Adjacency& adj = model.adjacency;
  Mat3 a = Mat3::Zero(), b = a;
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Vec3 rest = model.rest_vector(i, k, d), weighted = model.edge_weight[adj.edge[k]] * rest;
    a += (x[adj.target[k]] - x[i]) * weighted.transpose();
    b += rest * weighted.transpose();
  }
  const Mat3 fit = a * inverse_moment(b);
  const double first = model.relief[adj.edge[adj.begin[i]]];
  double sum = 0;
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Vec3 fitted = fit * model.rest_vector(i, k, d), ripple = x[adj.target[k]] - x[i] - fitted;
    const double theta = model.relief[adj.edge[k]];
    sum += model.edge_weight[adj.edge[k]] *
           (theta * ripple.squaredNorm() + 2 * (theta - first) * ripple.dot(fitted));
  }
  return 0.5 * sum;
}

double energy(const Model& model, std::span<const Vec3> x, const Rotations& rotations, RestVectors d) {
  if (model.sheet) return energy(*model.sheet, x, rotations);
  const Adjacency& adj = model.adjacency;
  double sum = 0;
  for (Index i = 0; i < model.nodes(); ++i) {
    const double w = volume_row(model, i);
    const Mat3 r = rotations[i].toRotationMatrix();
    const Mat3 excess =
        w > 0 ? volume_excess(star_now(model, i, d), covariance(model, x, i, d)) : Mat3(Mat3::Zero());
    for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
      const Vec3 now = x[adj.target[k]] - x[i], rest = model.rest_vector(i, k, d);
      sum += 0.5 * model.edge_weight[adj.edge[k]] *
             ((now - r * rest).squaredNorm() + w * (excess * rest).squaredNorm());
    }
    sum -= relieved_energy(model, x, i, d);
  }
  if (!model.has_laplacian()) return sum;
  for (Index i = 0; i < model.nodes(); ++i)
    sum += 0.5 * model.laplacian_weight *
           (laplacian(model, x, i) - rotations[i] * model.laplacian_rest[i]).squaredNorm();
  return sum;
}

void gradient(const Model& model, std::span<const Vec3> x, const Rotations& rotations, std::span<Vec3> out,
              RestVectors d) {
  if (model.sheet) return gradient(*model.sheet, x, rotations, out);
  const auto target = [&](Index i) -> Mat3 {
    const Mat3 r = rotations[i].toRotationMatrix();
    const double w = volume_row(model, i);
    return w > 0 ? Mat3(r - w * volume_excess(star_now(model, i, d), covariance(model, x, i, d))) : r;
  };
  rows_transposed(model, x, target, d, out);
}

void row_forces(const Model& model, std::span<const Vec3> x, std::span<const Mat3> tensors,
                std::span<Vec3> out, RestVectors d) {
  PLIANT_CHECK(!model.has_volume() && !model.sheet);
  rows_transposed(
      model, x, [&](Index i) -> const Mat3& { return tensors[i]; }, d, out);
}

SymmetricMatrix stiffness_matrix(const Model& model) {
  if (model.sheet) return stiffness_matrix(*model.sheet, model.nodes());
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
      const double twice = 2 * model.pull[adj.edge[n]];
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

std::vector<Mat3> volume_targets(const Model& model, std::span<const Vec3> x, RestVectors d) {
  std::vector<Mat3> out(model.has_volume() ? x.size() : 0, Mat3::Identity());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (model.volume_rows[i] > 0)
      out[i] = volume_target(star_now(model, Index(i), d), covariance(model, x, Index(i), d));
  return out;
}

void hessian_product(const Model& model, const Rotations& rotations, std::span<const Vec3> p,
                     std::span<Vec3> out, RestVectors d, std::span<const Mat3> targets) {
  PLIANT_CHECK(!model.sheet);
  const auto change = [&](Index i) -> Mat3 {
    Mat3 da = edge_covariance(model, p, i, d);
    const Star star = star_now(model, i, d);
    const double w = volume_row(model, i);
    const Mat3 r = rotations[i].toRotationMatrix();
    const Mat3 volume = w > 0 ? Mat3(-w * volume_excess_change(star, targets.empty() ? r : targets[i], da))
                              : Mat3(Mat3::Zero());
    if (model.has_laplacian())
      da += model.laplacian_weight * laplacian(model, p, i) * model.laplacian_rest[i].transpose();
    return turned(r, star_turn(star.slew, r, da)) + volume;
  };
  rows_transposed(model, p, change, d, out);
}

}  // namespace pliant::geometric
