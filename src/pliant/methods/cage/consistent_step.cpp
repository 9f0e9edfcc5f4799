// SPDX-License-Identifier: Apache-2.0
// A step with normals that follow the vertices: Gauss-Newton steps, each shortened until it lowers it, of the
// variational backward Euler problem
//   min over x of  1/(2 h^2) |Z(x) - Z^|_M^2 + eps m/(2 N h^2) |x - x^|^2 + E(Z(x)) + holds - weight,  Z^ = Z
//   + h V [P^T (M/h^2 + K_holds) P + (1 + beta/h) K + eps m/(N h^2)] dx = P^T f + ...,   P = dZ/dx = [1; J]
// with K = sum_q w B^T C B of the strain rows with J in them [Martin09, Eq. 15 to first order]. V = (Z - Z
// before)/h. The basis is nearly redundant: some motions of the cage hardly move the body; eps keeps them in
// check.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {
namespace {

constexpr int halvings = 8;
template <class T>
constexpr double rounding = std::is_same_v<T, float> ? 1e-6 : 1e-12;  // of the energies that are compared

}  // namespace

/// K of the look's rotations in the work's gram; jacobians_ are those of z_.
template <class T>
void Body::consistent_gram(const Look<T>& look, Pool& pool) {
  Work<T>& w = work<T>();
  const int n = int(model_.n()), n3 = 3 * n, k = model_.batches() * lanes * 6;
  normal_jacobians(model_.faces, z_.leftCols(n), jacobians_);
  for (std::size_t e = 0; e < model_.around_face.size(); ++e) {
    const Mat3& dy = jacobians_[std::size_t(model_.around_face[e])][std::size_t(model_.around_corner[e])];
    for (int c = 0; c < 9; ++c) w.jacobian[9 * e + std::size_t(c)] = T(dy(c / 3, c % 3));
  }
  const double alpha = std::sqrt(2 * model_.mu),
               beta = (std::sqrt(2 * model_.mu + 3 * model_.lambda) - alpha) / 3;
  const PointFields<T>& fields = model_.fields<T>();
  const CageKernels<T>& kernel = kernels<T>();
  w.rows.resize(std::size_t(n3) * std::size_t(k));
  pool.run(model_.batches(), [&](int b) {
    kernel.consistent_rows(fields.batch(b, model_.rows()), n, 0, n, model_.around_begin.data(),
                           model_.around_face.data(), w.jacobian.data(),
                           &look.batches[std::size_t(b)].r[0][0],
                           fields.root_weight.data() + std::size_t(b) * lanes, T(alpha), T(beta),
                           w.rows.data() + std::size_t(b) * 6 * lanes, k);
  });
  gram(n3, k, w.rows.data(), w.gram.data(), pool);
}

/// pulled_ = P^T (S x 1) P for a scalar S of the rows of Z, freedom (c, i) at c N + i.
void Body::pull_back_scalar(const Eigen::MatrixXd& scalar) {
  const Eigen::Index n = model_.n(), rows = model_.rows();
  pulled_.resize(3 * n, 3 * n);
  for (int a = 0; a < 3; ++a) {  // across_[a] = ((S P)_a)^T, 3 N x rows
    Eigen::MatrixXd& at = across_[a];
    at.setZero(3 * n, rows);
    at.middleRows(a * n, n) = scalar.topRows(n);
    for (Eigen::Index j = 0; j < model_.t(); ++j)
      for (int k = 0; k < 3; ++k) {
        const Eigen::Index i = model_.faces[std::size_t(j)].corner[k];
        const Mat3& dy = jacobians_[std::size_t(j)][std::size_t(k)];
        for (int c = 0; c < 3; ++c) at.row(c * n + i) += dy(a, c) * scalar.row(n + j);
      }
  }
  for (int c = 0; c < 3; ++c) pulled_.middleCols(c * n, n) = across_[c].leftCols(n);
  for (Eigen::Index j = 0; j < model_.t(); ++j)
    for (int k = 0; k < 3; ++k) {
      const Eigen::Index i = model_.faces[std::size_t(j)].corner[k];
      const Mat3& dy = jacobians_[std::size_t(j)][std::size_t(k)];
      for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a) pulled_.col(c * n + i) += dy(a, c) * across_[a].col(n + j);
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

/// Elastic, holds, weight and told forces.
template <class T>
void Body::big_force(const StepInput& input, const Look<T>& look, const Vec3& c, Columns& out) {
  Work<T>& w = work<T>();
  const Index rows = model_.rows();
  const Mat3 frame = look.frame.toRotationMatrix();
  for_blocks(*input.pool, int(rows), 32, [&](int begin, int end) {
    kernels<T>().forces(model_.fields<T>().gradient.data(), model_.batches(), long(rows) * 3 * lanes, begin,
                        end - begin, w.stress.data(), w.force.data());
  });
  const Vec3 weight = frame.transpose() * input.gravity;
  for (Index r = 0; r < rows; ++r) {
    const T* f = w.force.data() + 3 * r;
    out.col(r) = Vec3(double(f[0]), double(f[1]), double(f[2])) + model_.mass_sum[r] * weight;
  }
  if (!holds_.empty()) {
    holds_.aim(frame, c);
    out += holds_.pull();
    out.noalias() -= z_ * holds_.stiffness();
  }
  add_node_forces(input, frame, out);
}

/// 1/(2 h^2) |apart|_M^2 and the same of the fictitious mass of the vertices.
double Body::inertia_of(const Columns& apart, double h) const {
  const double real = (apart * model_.mass).cwiseProduct(apart).sum();
  return (real + fictitious_ * apart.leftCols(model_.n()).squaredNorm()) / (2 * h * h);
}

template <class T>
void Body::advance_consistent(const StepInput& input, StepReport& report, StageWatch& watch) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), rows = model_.rows();
  const int n3 = 3 * int(n);
  const double h = input.h, slower = 1 / (1 + h * damping_.mass), stiff = 1 + damping_.stiffness / h;
  // Z and Z^ in the world.
  start_z_.leftCols(n) = state_.x;
  scaled_normals(model_.faces, state_.x, start_z_.rightCols(model_.t()));
  hat_ = start_z_ + h * slower * state_.velocity;
  const double told = -model_.total_mass * input.gravity.dot(state_.whole.centre);
  w.trial = state_.look<T>();
  moved_ = state_.x;  // the iterate
  const auto objective = [&](const Columns& x, double elastic) {
    new_velocity_.leftCols(n) = x;
    scaled_normals(model_.faces, x, new_velocity_.rightCols(model_.t()));
    double sum = elastic;
    const Vec3 centre = new_velocity_ * model_.mass_sum;  // total mass times the centre of mass
    sum -= input.gravity.dot(centre) + told;
    if (!holds_.empty()) sum += holds_.energy(new_velocity_, Vec3::Zero());
    for (std::size_t k = 0; k < found_.size(); ++k) {
      const Vec3 at = new_velocity_ * contact_value_.col(found_[k].key.vertex) -
                      begin_[std::size_t(found_[k].key.vertex)];
      sum -= memory_[k].force.dot(at);
    }
    if (!input.forces.empty()) {
      force_.setZero();
      add_node_forces(input, Mat3::Identity(), force_);
      sum -= force_.cwiseProduct(new_velocity_).sum();
    }
    new_velocity_ -= hat_;
    return sum + inertia_of(new_velocity_, h);
  };
  found_.clear();
  memory_.clear();
  sides_.clear();
  look_at(moved_, w.trial, *input.pool);
  for (int iteration = 0; iteration < options_.iterations; ++iteration) {
    const Vec3 c = moved_.rowwise().mean();
    const Mat3 frame = w.trial.frame.toRotationMatrix();
    watch.add_to(&StageTimes::rotation);
    consistent_gram(w.trial, *input.pool);
    big_force(input, w.trial, c, force_);
    for (Index r = 0; r < rows; ++r)
      hat_seen_.col(r) = frame.transpose() * (hat_.col(r) - (r < n ? c : Vec3::Zero().eval()));
    hat_seen_ -= z_;
    force_.noalias() += hat_seen_ * model_.mass / (h * h);
    pull_back_force(force_, solved_);
    solved_ += fictitious_ / (h * h) * hat_seen_.leftCols(n);
    scalar_ = model_.mass / (h * h);
    if (!holds_.empty()) scalar_ += holds_.stiffness();
    watch.add_to(&StageTimes::rhs);
    pull_back_scalar(scalar_);
    for (int j = 0; j < n3; ++j)
      for (int i = j; i < n3; ++i) {
        const std::size_t at = std::size_t(j) * std::size_t(n3) + std::size_t(i);
        w.system[at] = T(stiff) * w.gram[at] + T(pulled_(i, j) + (i == j ? fictitious_ / (h * h) : 0.0));
      }
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) w.right[std::size_t(k * n + i)] = T(solved_(k, i));
    if (!factor(n3, w.system.data())) {
      report.trouble =
          "the matrix of the step is not positive definite: raise cage.regularisation or take "
          "\"precision\": \"double\"";
      return;
    }
    solve(n3, w.system.data(), w.right.data());
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) solved_(k, i) = double(w.right[std::size_t(k * n + i)]) / h;
    report.refactored = true;
    ++report.iterations;
    watch.add_to(&StageTimes::solve);
    Flight flight;
    flight.c = flight.c1 = c;
    flight.r0 = flight.r1 = frame;
    shift_.setZero();
    follow(z_.leftCols(n), solved_, big_);
    const bool touched = meet(input, flight, big_, rows, iteration == 0);
    if (touched) respond<T>(input, flight, 1 / (h * h), true, report);
    watch.add_to(&StageTimes::contact);
    const double before = objective(moved_, w.trial.energy);
    local_ = moved_;
    const double noise = rounding<T> * (std::abs(before) + w.trial.energy + state_.whole.kinetic);
    double share = 1;
    for (int k = 0;; ++k, share /= 2) {
      for (Index i = 0; i < n; ++i)
        new_x_.col(i) = local_.col(i) + frame * (h * share * solved_.col(i) + shift_.col(i));
      if (!new_x_.allFinite()) {
        report.trouble = "the step has no finite answer: take a shorter time step";
        return;
      }
      look_at(new_x_, w.trial, *input.pool);
      if (objective(new_x_, w.trial.energy) <= before + noise || k == halvings) break;
      report.violent = report.violent || k > 2;
    }
    moved_ = new_x_;
  }
  new_velocity_.leftCols(n) = moved_;
  scaled_normals(model_.faces, moved_, new_velocity_.rightCols(model_.t()));
  new_velocity_ = (new_velocity_ - start_z_) / h;
  // What was moved out of colliders is no velocity.
  if (!found_.empty()) {
    const Mat3 frame = w.trial.frame.toRotationMatrix();
    new_velocity_.leftCols(n) -= frame * shift_ / h;
  }
  state_.x = moved_;
  state_.velocity = new_velocity_;
  std::swap(state_.look<T>(), w.trial);
  state_.whole = whole_of(state_.x, state_.velocity, nullptr);
  state_.contacts.swap(memory_);
  state_.sides.swap(sides_);
  measure_contacts(input, report);
  watch.add_to(&StageTimes::rotation);
}

template void Body::consistent_gram(const Look<double>&, Pool&);
template void Body::big_force(const StepInput&, const Look<double>&, const Vec3&, Columns&);
template void Body::advance_consistent<float>(const StepInput&, StepReport&, StageWatch&);
template void Body::advance_consistent<double>(const StepInput&, StepReport&, StageWatch&);

}  // namespace pliant::cage
