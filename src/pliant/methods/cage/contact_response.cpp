// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/contact_response.hpp"

#include <algorithm>

#include "pliant/math/dense_system.hpp"

namespace pliant::cage {
namespace {

constexpr double softness = 1e-6;  // of W's diagonal, for points that the cage cannot move apart

}  // namespace

template <class T>
void ContactResponse<T>::add_row(const Eigen::VectorXd& b, T* const rows[3]) const {
  const Model& model = step_.model;
  const Index n = model.n();
  for (int axis = 0; axis < 3; ++axis)
    for (Index i = 0; i < n; ++i) rows[axis][std::size_t(axis * n + i) * panel_rows] += T(b[i]);
  if (!follow_) return;
  for (Index j = 0; j < model.t(); ++j)
    for (int k = 0; k < 3; ++k) {
      const Index i = model.faces[std::size_t(j)].corner[k];
      const Mat3 moved = b[n + j] * step_.scratch.jacobians[std::size_t(j)][std::size_t(k)];
      for (int axis = 0; axis < 3; ++axis)
        for (int d = 0; d < 3; ++d) rows[axis][std::size_t(d * n + i) * panel_rows] += T(moved(axis, d));
    }
}

template <class T>
void ContactResponse<T>::fill_rows(std::span<const Contact> contacts) const {
  AlignedVector<T>& response = step_.scratch.work<T>().response;
  const int wide = padded(3 * int(step_.model.n()));
  response.assign(panel_size(3 * int(contacts.size()), wide), T(0));
  Eigen::VectorXd b(step_.model.rows());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    T* rows[3];  // their entries are panel_rows apart
    for (int axis = 0; axis < 3; ++axis) rows[axis] = response.data() + in_panels(3 * int(c) + axis, 0, wide);
    for (const ContactTerm& term : contacts[c].terms()) {
      basis_.weigh(term, b);
      add_row(b, rows);
    }
  }
}

template <class T>
void ContactResponse<T>::fill_matrix(Index contacts, Eigen::MatrixXd& w) const {
  const AlignedVector<T>& gram = step_.scratch.work<T>().touch;
  const int wide = padded(3 * int(contacts));
  double trace = 0;
  for (Index c = 0; c < contacts; ++c)
    for (Index d = 0; d <= c; ++d) {
      Mat3 seen;  // along the axes
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          const int i = 3 * int(c) + a, j = 3 * int(d) + b;
          seen(a, b) = unit_ * double(gram[in_panels(std::max(i, j), std::min(i, j), wide)]);
        }
      const Mat3 turned = seen * axes_.transpose(), block = axes_ * turned;
      w.block<3, 3>(3 * c, 3 * d) = block;
      w.block<3, 3>(3 * d, 3 * c) = block.transpose();
      if (c == d) trace += seen(0, 0) + seen(1, 1) + seen(2, 2);
    }
  w.diagonal().array() += softness * trace / double(3 * contacts);
}

template <class T>
void ContactResponse<T>::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) {
  Work<T>& work = step_.scratch.work<T>();
  const int n3 = 3 * int(step_.model.n()), c3 = 3 * int(contacts.size());
  fill_rows(contacts);
  solve_lower_rows(n3, work.system.data(), c3, work.response.data(), pool);
  work.touch.resize(panel_size(c3, padded(c3)));
  gram_panels(c3, padded(n3), work.response.data(), work.touch.data(), pool);
  problem.reset_dense(Index(contacts.size()));
  fill_matrix(Index(contacts.size()), problem.dense());
  for (Index c = 0; c < problem.size(); ++c) {
    problem.row(c).normal = contacts[std::size_t(c)].normal;
    problem.row(c).friction = contacts[std::size_t(c)].friction;
  }
  problem.prepare();
}

template <class T>
void ContactResponse<T>::respond(std::span<const Vec3> r, double scale, Columns& change) const {
  Work<T>& work = step_.scratch.work<T>();
  const Index n = step_.model.n();
  const int n3 = 3 * int(n);
  std::fill(work.right.begin(), work.right.end(), T(0));
  for (std::size_t c = 0; c < r.size(); ++c) {
    const Vec3 seen = unit_ * scale * (axes_.transpose() * r[c]);
    for (int axis = 0; axis < 3; ++axis) {
      const T along = T(seen[axis]);
      if (along == T(0)) continue;
      const T* row = work.response.data() + in_panels(3 * int(c) + axis, 0, padded(n3));
      for (int i = 0; i < n3; ++i) work.right[std::size_t(i)] += along * row[std::size_t(i) * panel_rows];
    }
  }
  solve_upper(n3, work.system.data(), work.right.data());
  for (Index i = 0; i < n; ++i)
    for (int axis = 0; axis < 3; ++axis) change(axis, i) += double(work.right[std::size_t(axis * n + i)]);
}

template class ContactResponse<float>;
template class ContactResponse<double>;

}  // namespace pliant::cage
