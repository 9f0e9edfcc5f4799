// SPDX-License-Identifier: Apache-2.0
// The Hessian of the elastic energy by the vertices of the cage, normals following: with F = Z G, R its
// rotation, S = R^T F, and P = dZ/dx,
//   H = P^T (d^2E/dZ^2) P + sum_j dE/dy_j . d^2y_j/dx^2
//   dF : d^2E : dF = 2 mu |sym D|^2 + lambda (tr D)^2                                     D = R^T dF, d = 2
//   axial(D)
//                    + d^T [mu + (lambda (tr S - 3) - 2 mu)(tr S - S)^-1] d
// The first line alone is Gauss' and Newton's K of [Martin09, Eq. 15]: six rows a point. It takes strain to
// be small. In a tight bend it is not: steps of K alone turn back and forth there. The second line, where
// positive, is three rows more; the normals' part is six by six a face.
#include <Eigen/Eigenvalues>
#include <cmath>

#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/cage/normal_curvature.hpp"

namespace pliant::cage {

/// The root of the second line's matrix of every point, 0 for negative eigenvalues, in the work's twist.
template <class T>
void Body::make_twist(const Look<T>& look) {
  Work<T>& w = work<T>();
  w.twist.resize(std::size_t(model_.batches()) * 9 * lanes);
  for (Index q = 0; q < model_.count(); ++q) {
    const PointBatch<T>& batch = look.batches[std::size_t(q / lanes)];
    const Index lane = q % lanes;
    Mat3 f, r;
    for (int k = 0; k < 9; ++k) {
      f(k / 3, k % 3) = double(batch.a[k][lane]);
      r(k / 3, k % 3) = double(batch.r[k][lane]);
    }
    const Mat3 product = r.transpose() * f;
    Eigen::SelfAdjointEigenSolver<Mat3> eigen;
    eigen.computeDirect(Mat3((product + product.transpose()) / 2));
    const Vec3 s = eigen.eigenvalues();
    const double pressed = model_.lambda * (s.sum() - 3) - 2 * model_.mu;
    Vec3 root;
    for (int k = 0; k < 3; ++k) {
      const double stiff = model_.mu + pressed / std::max(s.sum() - s[k], 1e-3);
      root[k] = std::sqrt(std::max(stiff, 0.0));
    }
    const Mat3 twist = eigen.eigenvectors() * root.asDiagonal() * eigen.eigenvectors().transpose();
    T* out = w.twist.data() + std::size_t(q / lanes) * 9 * lanes + std::size_t(lane);
    for (int k = 0; k < 9; ++k) out[k * lanes] = T(twist(k / 3, k % 3));
  }
}

/// The rows of P^T (d^2E/dZ^2) P squared, in the work's gram; jacobians_ are those of z_.
template <class T>
void Body::consistent_gram(const Look<T>& look, bool twisted, Pool& pool) {
  Work<T>& w = work<T>();
  const int each = twisted ? 9 : 6;
  const int n = int(model_.n()), n3 = 3 * n, k = model_.batches() * lanes * each;
  normal_jacobians(model_.faces, z_.leftCols(n), jacobians_);
  for (std::size_t e = 0; e < model_.around_face.size(); ++e) {
    const Mat3& dy = jacobians_[std::size_t(model_.around_face[e])][std::size_t(model_.around_corner[e])];
    for (int c = 0; c < 9; ++c) w.jacobian[9 * e + std::size_t(c)] = T(dy(c / 3, c % 3));
  }
  const double alpha = std::sqrt(2 * model_.mu),
               beta = (std::sqrt(2 * model_.mu + 3 * model_.lambda) - alpha) / 3;
  const PointFields<T>& fields = model_.fields<T>();
  const CageKernels<T>& kernel = kernels<T>();
  if (twisted) make_twist(look);
  if (const std::size_t size = std::size_t(n3) * std::size_t(k); w.rows.size() < size) w.rows.resize(size);
  pool.run(model_.batches(), [&](int b) {
    kernel.consistent_rows(fields.batch(b, model_.rows()), n, 0, n, model_.around_begin.data(),
                           model_.around_face.data(), w.jacobian.data(),
                           &look.batches[std::size_t(b)].r[0][0],
                           fields.root_weight.data() + std::size_t(b) * lanes, T(alpha), T(beta),
                           twisted ? w.twist.data() + std::size_t(b) * 9 * lanes : nullptr,
                           w.rows.data() + std::size_t(b) * std::size_t(each) * lanes, k);
  });
  gram(n3, k, w.rows.data(), w.gram.data(), pool);
}

/// pulled_ += sum_j dE/dy_j . d^2y_j/dx^2 with the force -dE/dZ; definite: without what is negative in a
/// face.
void Body::add_curvature(const Columns& force, bool definite) {
  const Index n = model_.n();
  for (Index j = 0; j < model_.t(); ++j) {
    const FaceRest& face = model_.faces[std::size_t(j)];
    const Vec3 p = z_.col(face.corner[0]);
    FaceCurvature bend =
        normal_curvature(face, z_.col(face.corner[1]) - p, z_.col(face.corner[2]) - p, -force.col(n + j));
    Barrier barrier;
    if (face_barrier(face, z_.col(face.corner[1]) - p, z_.col(face.corner[2]) - p, true, barrier))
      bend += opening_ * barrier.curvature;
    if (definite) bend = without_negative(bend);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) {
        Mat3 block = Mat3::Zero();  // by corner a and corner b; corner 0 moves v and w against
        for (int e = 0; e < 2; ++e)
          for (int g = 0; g < 2; ++g) {
            const double sign = (a == 0 ? -1.0 : double(a == e + 1)) * (b == 0 ? -1.0 : double(b == g + 1));
            if (sign != 0) block += sign * bend.block<3, 3>(3 * e, 3 * g);
          }
        const Index i = face.corner[a], k = face.corner[b];
        for (int c = 0; c < 3; ++c)
          for (int d = 0; d < 3; ++d) pulled_(c * n + i, d * n + k) += block(c, d);
      }
  }
}

/// The energy that keeps the faces open, J, at x; its force on the vertices is added to what is told.
double Body::faces_open(const Eigen::Ref<const Columns>& x, Columns* force) const {
  double sum = 0;
  for (const FaceRest& face : model_.faces) {
    const Vec3 p = x.col(face.corner[0]);
    Barrier barrier;
    if (!face_barrier(face, x.col(face.corner[1]) - p, x.col(face.corner[2]) - p, force, barrier)) continue;
    sum += opening_ * barrier.energy;
    if (!force) continue;
    const Vec3 by_v = opening_ * barrier.gradient.head<3>(), by_w = opening_ * barrier.gradient.tail<3>();
    force->col(face.corner[0]) += by_v + by_w;
    force->col(face.corner[1]) -= by_v;
    force->col(face.corner[2]) -= by_w;
  }
  return sum;
}

/// pulled_ = P^T (S x 1) P for a symmetric scalar S of the rows of Z, freedom (c, i) at c N + i.
void Body::pull_back_scalar(const Eigen::MatrixXd& scalar) {
  const Eigen::Index n = model_.n(), rows = model_.rows();
  pulled_.resize(3 * n, 3 * n);
  for (int a = 0; a < 3; ++a) {  // across_[a] = (S P)_a, rows x 3 N
    Eigen::MatrixXd& at = across_[a];
    at.setZero(rows, 3 * n);
    at.middleCols(a * n, n) = scalar.leftCols(n);
    for (Eigen::Index j = 0; j < model_.t(); ++j)
      for (int k = 0; k < 3; ++k) {
        const Eigen::Index i = model_.faces[std::size_t(j)].corner[k];
        const Mat3& dy = jacobians_[std::size_t(j)][std::size_t(k)];
        for (int c = 0; c < 3; ++c) at.col(c * n + i) += dy(a, c) * scalar.col(n + j);
      }
  }
  for (Eigen::Index column = 0; column < 3 * n; ++column) {
    for (int c = 0; c < 3; ++c) pulled_.col(column).segment(c * n, n) = across_[c].col(column).head(n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (int e = model_.around_begin[std::size_t(i)]; e < model_.around_begin[std::size_t(i) + 1]; ++e) {
        const Eigen::Index j = model_.around_face[std::size_t(e)];
        const Mat3& dy = jacobians_[std::size_t(j)][std::size_t(model_.around_corner[std::size_t(e)])];
        const Vec3 moved(across_[0](n + j, column), across_[1](n + j, column), across_[2](n + j, column));
        for (int c = 0; c < 3; ++c) pulled_(c * n + i, column) += dy.col(c).dot(moved);
      }
  }
}

/// P^T of a force on Z.
void Body::pull_back_force(const Columns& big, Columns& out) const {
  const Index n = model_.n();
  out = big.leftCols(n);
  for (Index j = 0; j < model_.t(); ++j)
    for (int k = 0; k < 3; ++k)
      out.col(model_.faces[std::size_t(j)].corner[k]) +=
          jacobians_[std::size_t(j)][std::size_t(k)].transpose() * big.col(n + j);
}

template void Body::consistent_gram(const Look<float>&, bool, Pool&);
template void Body::consistent_gram(const Look<double>&, bool, Pool&);

}  // namespace pliant::cage
