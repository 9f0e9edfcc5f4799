// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/objective.hpp"

#include <cmath>

#include "pliant/math/dense_system.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/cage/energy.hpp"
#include "pliant/methods/cage/momentum.hpp"
#include "pliant/methods/cage/open_faces.hpp"

namespace pliant::cage {

template <class T>
void Objective<T>::extrapolate(Past past) {
  const Index n = model_.n();
  const State& state = step_.state;
  const Extrapolation by(past, step_.input.h);
  Columns &z = s_.start_z, &v = s_.hat;
  z.leftCols(n) = state.x;
  scaled_normals(model_.faces, state.x, z.rightCols(model_.t()));
  if (coasts_) {
    turn_ = coast(step_, z, v);
    return;
  }
  if (past == Past::known) {
    s_.world_z.leftCols(n) = state.x_before;
    scaled_normals(model_.faces, state.x_before, s_.world_z.rightCols(model_.t()));
    z += by.history * (z - s_.world_z);
  }
  z += by.line * state.velocity;
  v = state.velocity + by.history * (state.velocity - state.v_before);
  if (past == Past::curved) {
    z += by.bend * s_.acceleration;
    v += by.line * s_.acceleration;
  }
  v = z + h_ / (1 + h_ * step_.scheme.mass) * v;
  s_.undeformed = z.leftCols(n);
}

template <class T>
void Objective<T>::begin(Past past) {
  const Index n = model_.n();
  const State& state = step_.state;
  extrapolate(past);
  w_.damper.clear();
  s_.told.setZero();
  add_node_forces(model_, step_.input, Mat3::Identity(), s_.told);
  const Vec3 c = mean_of(state.x);
  Mat3 second = Mat3::Zero();
  for (Index i = 0; i < n; ++i) second += (state.x.col(i) - c) * (state.x.col(i) - c).transpose();
  const Spectrum3 inertia = spectrum_in_closed_form(second.trace() * Mat3::Identity() - second);
  for (int k = 0; k < 3; ++k) {
    Columns &along = s_.rigid[std::size_t(k)], &about = s_.rigid[std::size_t(k) + 3];
    along.setZero(3, n);
    along.row(k).setConstant(1 / std::sqrt(double(n)));
    const Vec3 axis = inertia.vectors.col(k);
    const double unit = 1 / std::sqrt(std::max(inertia.values[k], 1e-12 * second.trace()));
    about.resize(3, n);
    for (Index i = 0; i < n; ++i) about.col(i) = unit * axis.cross(Vec3(state.x.col(i)) - c);
  }
}

template <class T>
void Objective<T>::leave_out_rigid(Columns& motion) const {
  for (const Columns& mode : s_.rigid) motion -= mode.cwiseProduct(motion).sum() * mode;
}

template <class T>
double Objective<T>::inertia(const Columns& apart) {
  double sum = 0;
  each_mass_row(model_, model_.rows(), apart.data(), [&](Index r, const Vec3& moved) {
    for (int k = 0; k < 3; ++k) sum += moved[k] * apart(k, r);
  });
  s_.local = apart.leftCols(model_.n());
  leave_out_rigid(s_.local);
  return (sum + model_.fictitious_mass * s_.local.squaredNorm()) / (2 * h_ * h_);
}

template <class T>
void Objective<T>::keep_damper(const Look<T>& look) {
  if (!(step_.scheme.stiffness > 0)) return;
  w_.damper = w_.gram;
  s_.damper_axes = look.axes;
}

template <class T>
double Objective<T>::damped(const Columns& x, Columns* force) {
  const Index n = model_.n(), n3 = 3 * n;
  if (w_.damper.empty()) return 0;
  const Mat3 axes = s_.damper_axes.toRotationMatrix();
  s_.local.noalias() = axes.transpose() * (x - s_.undeformed);
  s_.way.resize(n3);
  s_.pull.setZero(n3);
  for (Index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) s_.way[k * n + i] = s_.local(k, i);
  for (Index j = 0; j < n3; ++j) {
    const T* column = w_.damper.data() + std::size_t(j) * std::size_t(n3);
    double sum = double(column[j]) * s_.way[j];
    for (Index i = j + 1; i < n3; ++i) {
      sum += double(column[i]) * s_.way[i];
      s_.pull[i] += double(column[i]) * s_.way[j];
    }
    s_.pull[j] += sum;
  }
  const double unit = step_.scheme.stiffness / h_;
  if (force)
    for (Index i = 0; i < n; ++i)
      force->col(i) -= unit * (axes * Vec3(s_.pull[i], s_.pull[n + i], s_.pull[2 * n + i]));
  return unit / 2 * s_.way.dot(s_.pull);
}

template <class T>
double Objective<T>::value(const Columns& x, double elastic) {
  const Index n = model_.n();
  Columns& z = s_.world_z;
  z.leftCols(n) = x;
  scaled_normals(model_.faces, x, z.rightCols(model_.t()));
  // Total mass times the way of the centre of mass.
  Vec3 centre = -model_.total_mass * step_.state.whole.centre;
  for (Index r = 0; r < model_.rows(); ++r) centre += model_.mass_sum[r] * z.col(r);
  double sum = elastic + opening_energy(model_, x, nullptr) - step_.input.gravity.dot(centre);
  if (!holds_.empty()) sum += holds_.energy(z, Vec3::Zero());
  sum -= step_.contact.work(z, h_);
  if (!step_.input.forces.empty()) sum -= s_.told.cwiseProduct(z).sum();
  z -= s_.hat;
  sum += damped(x, nullptr);
  return sum + inertia(z);
}

template <class T>
void Objective<T>::descend(const Look<T>& look, const Columns& x, const Vec3& c) {
  const Index n = model_.n(), rows = model_.rows();
  const Mat3 axes = look.axes.toRotationMatrix();
  equation_.find_jacobians();
  equation_.force_on_z(step_.input, look, c, s_.force);
  for (Index r = 0; r < rows; ++r)
    s_.to_hat.col(r) = axes.transpose() * (r < n ? Vec3(s_.hat.col(r) - c) : Vec3(s_.hat.col(r)));
  s_.to_hat -= s_.z;
  each_mass_row(model_, rows, s_.to_hat.data(), [&](Index r, const Vec3& moved) {
    for (int k = 0; k < 3; ++k) s_.force(k, r) += moved[k] / (h_ * h_);
  });
  equation_.pull_back(s_.force, s_.solved);
  s_.local.noalias() = axes * s_.to_hat.leftCols(n);
  leave_out_rigid(s_.local);
  s_.solved.noalias() += model_.fictitious_mass / (h_ * h_) * (axes.transpose() * s_.local);
  opening_energy(model_, s_.z.leftCols(n), &s_.solved);
  s_.resisted.setZero(3, n);
  damped(x, &s_.resisted);
  s_.solved.noalias() += axes.transpose() * s_.resisted;
}

template <class T>
bool Objective<T>::factor(const Look<T>& look, bool whole) {
  const int n = int(model_.n()), n3 = 3 * n;
  const double stiff = 1 + step_.scheme.stiffness / h_, extra = model_.fictitious_mass / (h_ * h_);
  equation_.find_gram(look, whole, step_.pool);
  s_.scalar = model_.mass / (h_ * h_);
  if (!holds_.empty()) s_.scalar += holds_.stiffness();
  equation_.pull_back_scalar(s_.scalar);
  if (whole) equation_.add_curvature(s_.force, true);
  const Mat3 axes = look.axes.toRotationMatrix();
  for (int k = 0; k < 6; ++k) {
    s_.local.noalias() = axes.transpose() * s_.rigid[std::size_t(k)];
    for (int c = 0; c < 3; ++c) s_.modes.col(k).segment(c * n, n) = s_.local.row(c).transpose();
  }
  Eigen::MatrixXd& pulled = s_.pulled;
  pulled.noalias() -= extra * s_.modes * s_.modes.transpose();
  pulled.diagonal().array() += extra;
  double mean = 0;
  for (int j = 0; j < n3; ++j)
    mean += (stiff * double(w_.gram[std::size_t(j) * std::size_t(n3 + 1)]) + pulled(j, j)) / n3;
  double more = 0;
  do {
    for (int j = 0; j < n3; ++j)
      for (int i = j; i < n3; ++i) {
        const std::size_t at = std::size_t(j) * std::size_t(n3) + std::size_t(i);
        w_.system[in_panels(i, j, padded(n3))] =
            T(stiff) * w_.gram[at] + T(pulled(i, j) + (i == j ? more : 0.0));
      }
    if (pliant::factor(n3, w_.system.data())) return true;
    more = more == 0 ? least_shift * mean : 10 * more;
  } while (more <= most_shift * mean);
  return false;
}

template <class T>
double Objective<T>::promised() {
  const Index n = model_.n();
  for (Index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) w_.right[std::size_t(k * n + i)] = T(s_.solved(k, i));
  // The padding takes part in the solve: a step that overflowed must not leave anything there.
  std::fill(w_.right.begin() + 3 * n, w_.right.end(), T(0));
  solve_lower(3 * int(n), w_.system.data(), w_.right.data());
  double sum = 0;
  for (const T& r : w_.right) sum += double(r) * double(r);
  return sum;
}

template <class T>
void Objective<T>::add_contact_forces(const Mat3& axes) {
  if (!step_.contact.touches()) return;
  Columns& on_z = s_.rate;
  on_z.setZero();
  step_.contact.add_forces(axes, h_, on_z);
  equation_.pull_back(on_z, s_.local);
  s_.solved += s_.local;
}

template class Objective<float>;
template class Objective<double>;

}  // namespace pliant::cage
