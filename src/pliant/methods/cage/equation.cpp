// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/equation.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/dense_system.hpp"
#include "pliant/math/polar.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/cage/normal_curvature.hpp"

namespace pliant::cage {
namespace {

constexpr int block = 4;  // batches that a part of the pool's work has

template <class T>
double mean_diagonal(int n, const T* a) {
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += double(a[in_panels(j, j, padded(n))]) / n;
  return sum;
}

}  // namespace

void add_node_forces(const Model& model, const StepInput& input, const Mat3& rotation, Columns& force) {
  if (input.forces.empty()) return;
  const Index rows = Index(force.cols());
  for (Index i = 0; i < Index(model.nodes.size()); ++i) {
    const Vec3& told = input.forces[std::size_t(i)];
    if (told.isZero(0)) continue;
    const Vec3 f = rotation.transpose() * told;
    for (Index r = 0; r < rows; ++r) force.col(r) += model.basis(r, i) * f;
  }
}

// ---- energy and forces

template <class T>
void Equation<T>::look_at(const Columns& x, Look<T>& look, Pool& pool, const Columns* y) {
  const Index n = model_.n(), rows = model_.rows();
  const Vec3 c = mean_of(x);
  Mat3 spread = Mat3::Zero();
  for (Index i = 0; i < n; ++i) spread += (x.col(i) - c) * model_.rest.col(i).transpose();
  look.axes = polar_rotation(spread / spread.norm(), look.axes);
  const Mat3 axes = look.axes.toRotationMatrix();
  if (y) {
    for (Index i = 0; i < n; ++i) s_.z.col(i) = axes.transpose() * (x.col(i) - c);
    for (Index j = 0; j < model_.t(); ++j) s_.z.col(n + j) = axes.transpose() * y->col(j);
  } else {
    set_z(model_, x, c, axes, s_.z);
  }
  for (Index r = 0; r < rows; ++r)
    for (int k = 0; k < 3; ++k) w_.dz[std::size_t(3 * r + k)] = T(s_.z(k, r) - model_.rest(k, r));
  const CageKernels<T>& kernel = kernels<T>();
  const PointFields<T>& fields = model_.fields<T>();
  for_blocks(pool, model_.batches(), block, [&](int begin, int end) {
    kernel.strain(fields.batch(begin, rows), int(rows), int(rows), w_.dz.data(), T(1), end - begin,
                  &look.batches[std::size_t(begin)]);
    find_rotations(&look.batches[std::size_t(begin)], end - begin);
  });
  look.energy = stress(look, pool);
}

template <class T>
double Equation<T>::stress(const Look<T>& look, Pool& pool) {
  const CageKernels<T>& kernel = kernels<T>();
  const PointFields<T>& fields = model_.fields<T>();
  const AlignedVector<T>& plastic = cache_.precise<T>().plastic;
  const Material<T> material{T(2 * model_.mu), T(model_.lambda)};
  for_blocks(pool, model_.batches(), 4 * block, [&](int begin, int end) {
    for (int b = begin; b < end; ++b)
      w_.energy[std::size_t(b)] =
          kernel.stress(&look.batches[std::size_t(b)].a[0][0], fields.weight.data() + std::size_t(b) * lanes,
                        plastic.empty() ? nullptr : plastic.data() + std::size_t(b) * 6 * lanes, material,
                        w_.stress.data() + std::size_t(b) * 9 * lanes);
  });
  double sum = 0;
  for (const double e : w_.energy) sum += e;
  return sum;
}

template <class T>
void Equation<T>::elastic_forces(Index rows, Pool& pool) {
  for_blocks(pool, int(rows), 32, [&](int begin, int end) {
    kernels<T>().forces(model_.fields<T>().gradient.data(), model_.batches(), long(model_.rows()) * 3 * lanes,
                        begin, end - begin, w_.stress.data(), w_.force.data());
  });
}

template <class T>
void Equation<T>::force_on_z(const StepInput& input, const Look<T>& look, const Vec3& c, Columns& out) {
  const Index rows = model_.rows();
  const Mat3 axes = look.axes.toRotationMatrix();
  elastic_forces(rows, *input.pool);
  const Vec3 weight = axes.transpose() * input.gravity;
  for (Index r = 0; r < rows; ++r) {
    const T* f = w_.force.data() + 3 * r;
    out.col(r) = Vec3(double(f[0]), double(f[1]), double(f[2])) + model_.mass_sum[r] * weight;
  }
  Holds& holds = cache_.holds;
  if (!holds.empty()) {
    holds.aim(axes, c);
    out += holds.pull();
    out.noalias() -= s_.z * holds.stiffness();
  }
  add_node_forces(model_, input, axes, out);
}

template <class T>
void Equation<T>::find_jacobians() {
  normal_jacobians(model_.faces, s_.z.leftCols(model_.n()), s_.jacobians);
}

template <class T>
void Equation<T>::pull_back(const Columns& on_z, Columns& out) const {
  const Index n = model_.n();
  out = on_z.leftCols(n);
  for (Index j = 0; j < model_.t(); ++j)
    for (int k = 0; k < 3; ++k)
      out.col(model_.faces[std::size_t(j)].corner[k]) +=
          s_.jacobians[std::size_t(j)][std::size_t(k)].transpose() * on_z.col(n + j);
}

// ---- frozen normals

template <class T>
std::optional<double> Equation<T>::factor_frozen(const Look<T>& look, const FrozenWeights& weights,
                                                 Pool& pool, StageWatch& watch) {
  const PointFields<T>& fields = model_.fields<T>();
  const CageKernels<T>& kernel = kernels<T>();
  const Index n = model_.n();
  const int n3 = 3 * int(n), points = int(model_.count());
  const std::size_t apart = 3 * std::size_t(by_point_stride(int(n)));
  for_blocks(pool, model_.batches(), 4, [&](int begin, int end) {
    for (int b = begin; b < end; ++b)
      kernel.frozen_rows(
          fields.by_point.data() + std::size_t(b) * lanes * apart, int(n),
          &look.batches[std::size_t(b)].r[0][0], fields.root_weight.data() + std::size_t(b) * lanes, 0,
          std::min(lanes, points - b * lanes), w_.rows.data() + std::size_t(b) * lanes * lanes, points);
  });
  watch.add_to(&StageTimes::rhs);
  gram_panels(n3, points, w_.rows.data(), w_.gram.data(), pool);
  const Holds& holds = cache_.holds;
  T* system = w_.system.data();
  const auto fill = [&](double more) {
    w_.scalar.resize(std::size_t(n) * std::size_t(n));
    const double bend = weights.stiff * model_.mu;
    for (Index j = 0; j < n; ++j) {
      const double *mass = &model_.mass(0, j), *laplacian = &model_.laplacian(0, j);
      T* out = w_.scalar.data() + std::size_t(j) * std::size_t(n);
      for (Index i = 0; i < n; ++i) out[i] = T(weights.heavy * mass[i] + bend * laplacian[i]);
      if (!holds.empty()) {
        const double* hold = &holds.stiffness()(0, j);
        for (Index i = 0; i < n; ++i) out[i] += T(weights.held * hold[i]);
      }
      out[j] += T(weights.heavy * model_.fictitious_mass + more);
    }
    kernel.frozen_system(w_.gram.data(), int(n), T(weights.stiff * model_.lambda),
                         T(weights.stiff * model_.mu), w_.scalar.data(), system);
  };
  double more = 0;
  fill(0);
  const double mean = mean_diagonal(n3, system);
  while (!factor(n3, system)) {
    more = more == 0 ? least_shift * mean : 10 * more;
    if (more > most_shift * mean) return std::nullopt;
    fill(more);
  }
  watch.add_to(&StageTimes::solve);
  return more;
}

template <class T>
AlignedVector<T> Equation<T>::frozen_scalar(const FrozenWeights& weights) {
  const Index n = model_.n();
  const Holds& holds = cache_.holds;
  s_.scalar = weights.heavy * model_.mass.topLeftCorner(n, n);
  if (!holds.empty()) s_.scalar += weights.held * holds.stiffness().topLeftCorner(n, n);
  s_.scalar.diagonal().array() += weights.heavy * model_.fictitious_mass;
  const AlignedVector<double> blocks = blocked(s_.scalar);
  return {blocks.begin(), blocks.end()};
}

template <class T>
void Equation<T>::times_frozen(const Look<T>& look, double stiff, const AlignedVector<T>& scalar,
                               const AlignedVector<T>& v, AlignedVector<T>& out, Pool& pool) {
  const Index n = model_.n(), rows = model_.rows();
  const CageKernels<T>& kernel = kernels<T>();
  const PointFields<T>& fields = model_.fields<T>();
  const Material<T> material{T(2 * model_.mu), T(model_.lambda)};
  AlignedVector<PointBatch<T>>& change = w_.trial.batches;
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < 3; ++c) w_.dz[std::size_t(3 * i + c)] = v[std::size_t(c * n + i)];
  for_blocks(pool, model_.batches(), 4, [&](int begin, int end) {
    kernel.strain(fields.batch(begin, rows), int(rows), int(n), w_.dz.data(), T(0), end - begin,
                  &change[std::size_t(begin)]);
    for (int b = begin; b < end; ++b)
      kernel.stress_change(&change[std::size_t(b)].a[0][0], &look.batches[std::size_t(b)].r[0][0],
                           fields.weight.data() + std::size_t(b) * lanes, material,
                           w_.stress.data() + std::size_t(b) * 9 * lanes);
  });
  elastic_forces(n, pool);
  for (Index b = 0; b * lanes < n; ++b) {
    alignas(64) T product[3 * lanes];
    kernel.gather(scalar.data() + std::size_t(b) * std::size_t(n) * lanes, int(n), w_.dz.data(), product);
    for (Index i = b * lanes; i < std::min(n, (b + 1) * lanes); ++i)
      for (Index c = 0; c < 3; ++c)
        out[std::size_t(c * n + i)] =
            product[c * lanes + i % lanes] - T(stiff) * w_.force[std::size_t(3 * i + c)];
  }
}

// ---- normals that follow

template <class T>
void Equation<T>::find_twist(const Look<T>& look) {
  w_.twist.resize(std::size_t(model_.batches()) * 9 * lanes);
  for (Index q = 0; q < model_.count(); ++q) {
    const PointBatch<T>& batch = look.batches[std::size_t(q / lanes)];
    const Index lane = q % lanes;
    const Mat3 product = matrix_of_lane(batch.r, lane).transpose() * matrix_of_lane(batch.a, lane);
    const Spectrum3 stretch = spectrum_in_closed_form((product + product.transpose()) / 2);
    const Vec3& s = stretch.values;
    const double pressed = model_.lambda * (s.sum() - 3) - 2 * model_.mu;
    Vec3 root;
    for (int k = 0; k < 3; ++k) {
      const double stiff = model_.mu + pressed / std::max(s.sum() - s[k], 1e-3);
      root[k] = std::sqrt(std::max(stiff, 0.0));
    }
    const Mat3 twist = stretch.with(root);
    T* out = w_.twist.data() + std::size_t(q / lanes) * 9 * lanes + std::size_t(lane);
    for (int k = 0; k < 9; ++k) out[k * lanes] = T(twist(k / 3, k % 3));
  }
}

template <class T>
void Equation<T>::find_gram(const Look<T>& look, bool twisted, Pool& pool) {
  const int each = twisted ? 9 : 6;
  const int n = int(model_.n()), n3 = 3 * n, k = model_.batches() * lanes * each;
  find_jacobians();
  for (std::size_t e = 0; e < model_.around_face.size(); ++e) {
    const Mat3& dy = s_.jacobians[std::size_t(model_.around_face[e])][std::size_t(model_.around_corner[e])];
    for (int c = 0; c < 9; ++c) w_.jacobian[9 * e + std::size_t(c)] = T(dy(c / 3, c % 3));
  }
  const double alpha = std::sqrt(2 * model_.mu),
               beta = (std::sqrt(2 * model_.mu + 3 * model_.lambda) - alpha) / 3;
  const PointFields<T>& fields = model_.fields<T>();
  const CageKernels<T>& kernel = kernels<T>();
  if (twisted) find_twist(look);
  if (const std::size_t size = std::size_t(n3) * std::size_t(k); w_.rows.size() < size) w_.rows.resize(size);
  pool.run(model_.batches(), [&](int b) {
    kernel.consistent_rows(fields.batch(b, model_.rows()), n, 0, n, model_.around_begin.data(),
                           model_.around_face.data(), w_.jacobian.data(),
                           &look.batches[std::size_t(b)].r[0][0],
                           fields.root_weight.data() + std::size_t(b) * lanes, T(alpha), T(beta),
                           twisted ? w_.twist.data() + std::size_t(b) * 9 * lanes : nullptr,
                           w_.rows.data() + std::size_t(b) * std::size_t(each) * lanes, k);
  });
  gram(n3, k, w_.rows.data(), w_.gram.data(), pool);
}

template <class T>
void Equation<T>::pull_back_scalar(const Eigen::MatrixXd& scalar) {
  const Eigen::Index n = model_.n(), rows = model_.rows();
  s_.pulled.resize(3 * n, 3 * n);
  for (int a = 0; a < 3; ++a) {  // across[a] = (S P)_a, rows x 3 N
    Eigen::MatrixXd& at = s_.across[a];
    at.setZero(rows, 3 * n);
    at.middleCols(a * n, n) = scalar.leftCols(n);
    for (Eigen::Index j = 0; j < model_.t(); ++j)
      for (int k = 0; k < 3; ++k) {
        const Eigen::Index i = model_.faces[std::size_t(j)].corner[k];
        const Mat3& dy = s_.jacobians[std::size_t(j)][std::size_t(k)];
        for (int c = 0; c < 3; ++c) at.col(c * n + i) += dy(a, c) * scalar.col(n + j);
      }
  }
  for (Eigen::Index column = 0; column < 3 * n; ++column) {
    for (int c = 0; c < 3; ++c) s_.pulled.col(column).segment(c * n, n) = s_.across[c].col(column).head(n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (int e = model_.around_begin[std::size_t(i)]; e < model_.around_begin[std::size_t(i) + 1]; ++e) {
        const Eigen::Index j = model_.around_face[std::size_t(e)];
        const Mat3& dy = s_.jacobians[std::size_t(j)][std::size_t(model_.around_corner[std::size_t(e)])];
        const Vec3 moved(s_.across[0](n + j, column), s_.across[1](n + j, column),
                         s_.across[2](n + j, column));
        for (int c = 0; c < 3; ++c) s_.pulled(c * n + i, column) += dy.col(c).dot(moved);
      }
  }
}

template <class T>
void Equation<T>::add_curvature(const Columns& force, bool definite) {
  const Index n = model_.n();
  for (Index j = 0; j < model_.t(); ++j) {
    const FaceRest& face = model_.faces[std::size_t(j)];
    const Vec3 p = s_.z.col(face.corner[0]);
    FaceCurvature bend =
        normal_curvature(face, s_.z.col(face.corner[1]) - p, s_.z.col(face.corner[2]) - p, -force.col(n + j));
    Barrier barrier;
    if (face_barrier(face, s_.z.col(face.corner[1]) - p, s_.z.col(face.corner[2]) - p, true, barrier))
      bend += model_.opening * barrier.curvature;
    if (definite) bend = without_negative(bend);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        Mat3 part = Mat3::Zero();  // by corner a and corner b; corner 0 moves v and w against
        for (int e = 0; e < 2; ++e)
          for (int g = 0; g < 2; ++g) {
            const double sign = (a == 0 ? -1.0 : double(a == e + 1)) * (b == 0 ? -1.0 : double(b == g + 1));
            if (sign != 0) part += sign * bend.block<3, 3>(3 * e, 3 * g);
          }
        const Index i = face.corner[a], k = face.corner[b];
        for (int c = 0; c < 3; ++c)
          for (int d = 0; d < 3; ++d) s_.pulled(c * n + i, d * n + k) += part(c, d);
      }
  }
}

template class Equation<float>;
template class Equation<double>;

}  // namespace pliant::cage
