// SPDX-License-Identifier: Apache-2.0
// A step with normals that follow the vertices: the variational backward Euler problem
//   min over x of  1/(2 h^2) |Z(x) - Z^|_M^2 + eps m/(2 N h^2) |x - x^|_D^2 + E(Z(x)) + holds - weight,  Z^ =
//   Z + h V [P^T (M/h^2 + K_holds) P + (1 + beta/h) K + eps m/(N h^2) D] dx = P^T f + ...,   P = dZ/dx = [1;
//   J],  V = (Z - Z before)/h
// K is Gauss' and Newton's [Martin09, Eq. 15 to first order] in the first solve; where that is not enough
// more solves follow with the whole Hessian (newton_system.cpp). Each is shortened until it lowers the sum.
// The basis is nearly redundant: some motions of the cage hardly move the body; eps keeps them in check. D
// leaves out motions of the cage as a whole, so that the mass without weight does not slow a body down.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {
namespace {

constexpr int halvings = 8;
// What another solve would still gain, as a share of what the one just done promised: below it the step ends.
constexpr double tolerance = 1e-3;
constexpr double large_strain =
    0.03;  // energy over mu and volume from which Gauss' and Newton's K is not tried
// As `tolerance`, of a step that touches something, but as a share of what the first solve promised: solves
// go back and forth between contacts there. One that leaves more than half of what the one before left, when
// that is little already, is the last.
constexpr double touching_tolerance = 1e-2, stalled = 0.5, little = 0.05;
constexpr double no_step = 0.02;     // share of a solve that is none
constexpr double short_step = 0.25;  // share of a solve; below it the step is violent where much is left
// Of the energies that take part: the elastic energy that moving out of colliders may cost.
constexpr double lift_energy = 0.02;
template <class T>
constexpr double rounding = std::is_same_v<T, float> ? 1e-6 : 1e-12;  // of the energies that are compared

}  // namespace

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

/// Orthonormal motions of the cage as a whole at x, in the world.
void Body::set_rigid_motions(const Columns& x) {
  const Index n = model_.n();
  const Vec3 c = x.rowwise().mean();
  Mat3 second = Mat3::Zero();
  for (Index i = 0; i < n; ++i) second += (x.col(i) - c) * (x.col(i) - c).transpose();
  Eigen::SelfAdjointEigenSolver<Mat3> eigen;
  eigen.computeDirect(Mat3(second.trace() * Mat3::Identity() - second));
  for (int k = 0; k < 3; ++k) {
    rigid_[std::size_t(k)].setZero(3, n);
    rigid_[std::size_t(k)].row(k).setConstant(1 / std::sqrt(double(n)));
    const Vec3 axis = eigen.eigenvectors().col(k);
    const double unit = 1 / std::sqrt(std::max(eigen.eigenvalues()[k], 1e-12 * second.trace()));
    rigid_[std::size_t(k) + 3].resize(3, n);
    for (Index i = 0; i < n; ++i) rigid_[std::size_t(k) + 3].col(i) = unit * axis.cross(Vec3(x.col(i)) - c);
  }
}

/// What is left of a motion of the cage (in the world) without its motion as a whole.
void Body::leave_out_rigid(Columns& motion) const {
  for (const Columns& mode : rigid_) motion -= mode.cwiseProduct(motion).sum() * mode;
}

/// 1/(2 h^2) |apart|_M^2 and the same of the fictitious mass of the vertices.
double Body::inertia_of(const Columns& apart, double h) {
  const Index rows = model_.rows();
  const CageKernels<double>& kernel = kernels<double>();
  double sum = 0;
  for (Index b = 0; b * lanes < rows; ++b) {
    double* product = product_.data() + std::size_t(b) * 3 * lanes;
    kernel.gather(mass_blocks_.data() + std::size_t(b) * std::size_t(rows) * lanes, int(rows), apart.data(),
                  product);
    for (Index lane = 0; lane < lanes && b * lanes + lane < rows; ++lane)
      for (int k = 0; k < 3; ++k) sum += product[k * lanes + lane] * apart(k, b * lanes + lane);
  }
  local_ = apart.leftCols(model_.n());
  leave_out_rigid(local_);
  return (sum + fictitious_ * local_.squaredNorm()) / (2 * h * h);
}

/// beta/(2 h) |x - x before|_K^2 with K of the step's first solve, J; its force on the vertices (in the
/// world) is added to what is told.
template <class T>
double Body::damped(const Columns& x, double h, Columns* force) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), n3 = 3 * n;
  if (w.damper.empty()) return 0;
  const Mat3 frame = damper_frame_.toRotationMatrix();
  local_.noalias() = frame.transpose() * (x - start_z_.leftCols(n));
  way_.resize(n3);
  pull_.setZero(n3);
  for (Index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) way_[k * n + i] = local_(k, i);
  for (Index j = 0; j < n3; ++j) {
    const T* column = w.damper.data() + std::size_t(j) * std::size_t(n3);
    double sum = double(column[j]) * way_[j];
    for (Index i = j + 1; i < n3; ++i) {
      sum += double(column[i]) * way_[i];
      pull_[i] += double(column[i]) * way_[j];
    }
    pull_[j] += sum;
  }
  const double unit = damping_.stiffness / h;
  if (force)
    for (Index i = 0; i < n; ++i)
      force->col(i) -= unit * (frame * Vec3(pull_[i], pull_[n + i], pull_[2 * n + i]));
  return unit / 2 * way_.dot(pull_);
}

/// What the step minimises, at x with this elastic energy.
template <class T>
double Body::objective(const StepInput& input, const Columns& x, double elastic) {
  const Index n = model_.n();
  Columns& z = new_velocity_;
  z.leftCols(n) = x;
  scaled_normals(model_.faces, x, z.rightCols(model_.t()));
  Vec3 centre = -model_.total_mass * state_.whole.centre;  // total mass times the way of the centre of mass
  for (Index r = 0; r < model_.rows(); ++r) centre += model_.mass_sum[r] * z.col(r);
  double sum = elastic + faces_open(x, nullptr) - input.gravity.dot(centre);
  if (!holds_.empty()) sum += holds_.energy(z, Vec3::Zero());
  for (std::size_t k = 0; k < found_.size(); ++k) {
    Vec3 at = -begin_[std::size_t(found_[k].key.vertex)];
    for (Index r = 0; r < model_.rows(); ++r) at += contact_value_(r, found_[k].key.vertex) * z.col(r);
    sum -= memory_[k].force.dot(at);
  }
  if (!input.forces.empty()) sum -= told_.cwiseProduct(z).sum();
  z -= hat_;
  sum += damped<T>(x, input.h, nullptr);
  return sum + inertia_of(z, input.h);
}

/// Minus the derivative of the objective by Z in force_ and by the vertices in solved_, in the frame of the
/// look; contact apart.
template <class T>
void Body::descend(const StepInput& input, const Look<T>& look, const Columns& x, const Vec3& c) {
  const Index n = model_.n(), rows = model_.rows();
  const double h = input.h;
  const Mat3 frame = look.frame.toRotationMatrix();
  normal_jacobians(model_.faces, z_.leftCols(n), jacobians_);
  big_force(input, look, c, force_);
  for (Index r = 0; r < rows; ++r)
    hat_seen_.col(r) = frame.transpose() * (r < n ? Vec3(hat_.col(r) - c) : Vec3(hat_.col(r)));
  hat_seen_ -= z_;
  const CageKernels<double>& kernel = kernels<double>();
  for (Index b = 0; b * lanes < rows; ++b) {
    double* product = product_.data() + std::size_t(b) * 3 * lanes;
    kernel.gather(mass_blocks_.data() + std::size_t(b) * std::size_t(rows) * lanes, int(rows),
                  hat_seen_.data(), product);
    for (Index lane = 0; lane < lanes && b * lanes + lane < rows; ++lane)
      for (int k = 0; k < 3; ++k) force_(k, b * lanes + lane) += product[k * lanes + lane] / (h * h);
  }
  pull_back_force(force_, solved_);
  local_.noalias() = frame * hat_seen_.leftCols(n);
  leave_out_rigid(local_);
  solved_.noalias() += fictitious_ / (h * h) * (frame.transpose() * local_);
  faces_open(z_.leftCols(n), &solved_);
  resisted_.setZero(3, n);
  damped<T>(x, h, &resisted_);
  solved_.noalias() += frame.transpose() * resisted_;
}

/// The factored matrix of a solve. Where it is not definite (single precision, stiff bodies) its diagonal
/// grows: such a solve goes less far along what hardly moves the body.
template <class T>
bool Body::factor_consistent(const StepInput& input, const Look<T>& look, bool exact) {
  Work<T>& w = work<T>();
  const int n = int(model_.n()), n3 = 3 * n;
  const double h = input.h, stiff = 1 + damping_.stiffness / h, extra = fictitious_ / (h * h);
  consistent_gram(look, exact, *input.pool);
  scalar_ = model_.mass / (h * h);
  if (!holds_.empty()) scalar_ += holds_.stiffness();
  pull_back_scalar(scalar_);
  if (exact) add_curvature(force_, true);
  const Mat3 frame = look.frame.toRotationMatrix();
  for (int k = 0; k < 6; ++k) {
    local_.noalias() = frame.transpose() * rigid_[std::size_t(k)];
    for (int c = 0; c < 3; ++c) modes_.col(k).segment(c * n, n) = local_.row(c).transpose();
  }
  pulled_.noalias() -= extra * modes_ * modes_.transpose();
  pulled_.diagonal().array() += extra;
  double mean = 0;
  for (int j = 0; j < n3; ++j)
    mean += (stiff * double(w.gram[std::size_t(j) * std::size_t(n3 + 1)]) + pulled_(j, j)) / n3;
  double more = 0;
  do {
    for (int j = 0; j < n3; ++j)
      for (int i = j; i < n3; ++i) {
        const std::size_t at = std::size_t(j) * std::size_t(n3) + std::size_t(i);
        w.system[in_panels(i, j, padded(n3))] =
            T(stiff) * w.gram[at] + T(pulled_(i, j) + (i == j ? more : 0.0));
      }
    if (factor(n3, w.system.data())) return true;
    more = more == 0 ? least_shift * mean : 10 * more;
  } while (more <= most_shift * mean);
  return false;
}

/// Half of what a solve with the factored matrix promises for the force in solved_; the answer's root is in
/// right.
template <class T>
double Body::promised() {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  for (Index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) w.right[std::size_t(k * n + i)] = T(solved_(k, i));
  solve_lower(3 * int(n), w.system.data(), w.right.data());
  double sum = 0;
  for (const T& r : w.right) sum += double(r) * double(r);
  return sum;
}

/// solved_ += P^T of the contacts' forces.
void Body::add_contact_forces(const Mat3& frame) {
  if (found_.empty()) return;
  big_.setZero();
  for (std::size_t k = 0; k < found_.size(); ++k) {
    const Vec3 f = frame.transpose() * memory_[k].force;
    for (Index r = 0; r < model_.rows(); ++r) big_.col(r) += contact_value_(r, found_[k].key.vertex) * f;
  }
  pull_back_force(big_, local_);
  solved_ += local_;
}

template <class T>
void Body::advance_consistent(const StepInput& input, StepReport& report, StageWatch& watch) {
  Work<T>& w = work<T>();
  const Index n = model_.n(), rows = model_.rows();
  const int n3 = 3 * int(n);
  const double h = input.h, slower = 1 / (1 + h * damping_.mass);
  // Z and Z^ in the world.
  start_z_.leftCols(n) = state_.x;
  scaled_normals(model_.faces, state_.x, start_z_.rightCols(model_.t()));
  hat_ = start_z_ + h * slower * state_.velocity;
  w.damper.clear();
  told_.setZero();
  add_node_forces(input, Mat3::Identity(), told_);
  set_rigid_motions(state_.x);
  found_.clear();
  memory_.clear();
  sides_.clear();
  w.trial = state_.look<T>();
  moved_ = state_.x;  // the iterate
  look_at(moved_, w.trial, *input.pool);
  const double start = w.trial.energy + state_.whole.kinetic + potential(input, state_.x, state_.whole);
  Vec3 c = moved_.rowwise().mean();
  Mat3 frame = w.trial.frame.toRotationMatrix(), lift_frame = frame;
  descend(input, w.trial, moved_, c);
  bool exact = w.trial.energy > large_strain * model_.mu * model_.volume, done = false;
  double first = 0, last = 0;  // what a solve promised: the first, the one before
  double longest = 0;          // share of a solve that was taken
  double noise = 0;            // of the objective, by rounding
  bool ever_touched = false;
  report.breakdowns = std::max(report.breakdowns, 0);
  for (int iteration = 0; iteration < options_.iterations && !done; ++iteration) {
    watch.add_to(&StageTimes::rotation);
    if (!factor_consistent(input, w.trial, exact)) {
      report.trouble =
          "the matrix of the step is not positive definite: raise cage.regularisation or take "
          "\"precision\": \"double\"";
      return;
    }
    if (iteration == 0 && damping_.stiffness > 0) {
      w.damper = w.gram;
      damper_frame_ = w.trial.frame;
    }
    const double promise = promised<T>();
    if (iteration == 0) first = last = promise;
    solve_upper(n3, w.system.data(), w.right.data());
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
    ever_touched = ever_touched || touched;
    watch.add_to(&StageTimes::contact);
    const double before = objective<T>(input, moved_, w.trial.energy);
    noise = rounding<T> * (std::abs(before) + w.trial.energy + state_.whole.kinetic) + holds_.noise();
    double share = 1;
    bool lower = false;
    for (int k = 0; k <= halvings && !lower; ++k) {
      share = k == 0 ? 1 : share / 2;
      new_x_ = moved_;
      new_x_.noalias() += h * share * (frame * solved_);
      if (!new_x_.allFinite()) {
        report.trouble = "the step has no finite answer: take a shorter time step";
        return;
      }
      if (folds(moved_, new_x_)) continue;
      look_at(new_x_, w.trial, *input.pool);
      lower = objective<T>(input, new_x_, w.trial.energy) <= before + noise;
    }
    if (lower) longest = std::max(longest, share);
    if (!lower) {  // stay
      new_x_ = moved_;
      look_at(new_x_, w.trial, *input.pool);
      done = exact;
    }
    lift_frame = frame;
    moved_ = new_x_;
    c = moved_.rowwise().mean();
    frame = w.trial.frame.toRotationMatrix();
    if (done || iteration + 1 == options_.iterations) {
      report.violent = report.violent || (share < short_step && last > little * first);
      break;
    }
    descend(input, w.trial, moved_, c);
    Columns& free = hat_seen_;
    free.leftCols(n) = solved_;
    add_contact_forces(frame);
    const double next = promised<T>();
    report.violent = report.violent || (share < short_step && next > little * first);
    done = lower && next <= std::max(touched ? touching_tolerance * first : tolerance * promise, 10 * noise);
    done = done || (touched && next > stalled * last && next < little * first);
    last = next;
    solved_ = free.leftCols(n);
    exact = true;
  }
  // It stands still, but not at rest. What lies on something stands still like this when it rests.
  if (longest < no_step && !ever_touched && first > 10 * noise) {
    ++report.breakdowns;
    report.violent = true;
  }
  end_consistent<T>(input, start, lift_frame, report);
  watch.add_to(&StageTimes::rotation);
}

/// new_x_ is moved out of colliders by shift_, or as much of it as costs little elastic energy. The move
/// itself gives no velocity; end_consistent slows the body down by what the move stores. A body that lies
/// still has no motion to pay with and ends with that little more: without it, it would stay as deep as it
/// got.
template <class T>
void Body::lift_out(const StepInput& input, const Mat3& frame, double kinetic) {
  Work<T>& w = work<T>();
  const double most = w.trial.energy + lift_energy * (w.trial.energy + kinetic +
                                                      model_.total_mass * input.gravity.norm() * model_.size);
  local_ = new_x_;
  for (double share = 1; share > 0.1; share /= 2) {
    new_x_ = local_;
    new_x_.noalias() += share * (frame * shift_);
    if (folds(local_, new_x_)) continue;
    look_at(new_x_, w.trial, *input.pool);
    if (w.trial.energy <= most) return;
  }
  new_x_ = local_;
  look_at(new_x_, w.trial, *input.pool);
}

/// Velocities from moved_, slowed down to the energy there was, at most to standstill: what moving out of
/// colliders stores beyond all motion is gained. Momenta of what nothing holds or touches.
template <class T>
void Body::end_consistent(const StepInput& input, double start, const Mat3& lift_frame, StepReport& report) {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  const double h = input.h;
  new_velocity_.leftCols(n) = moved_;
  scaled_normals(model_.faces, moved_, new_velocity_.rightCols(model_.t()));
  new_velocity_ -= start_z_;
  new_velocity_ /= h;
  new_x_ = moved_;
  Whole whole = whole_of(new_x_, new_velocity_, nullptr);
  const bool fixed = std::none_of(input.colliders.begin(), input.colliders.end(),
                                  [](const Collider& collider) { return collider.moves(); });
  // What the body stores at new_x_ is motion no more.
  const auto keep_energy = [&] {
    const double left = start - w.trial.energy - potential(input, new_x_, whole);
    if (!fixed || !input.forces.empty() || !(whole.kinetic > left && whole.kinetic > 0)) return;
    new_velocity_ *= std::sqrt(std::max(left, 0.0) / whole.kinetic);
    whole = whole_of(new_x_, new_velocity_, nullptr);
  };
  keep_energy();
  if (holds_.empty() && found_.empty()) {
    moved_ = new_velocity_.leftCols(n);
    whole = keep_momentum(input);
  }
  if (!found_.empty() && !shift_.isZero(0)) {
    lift_out<T>(input, lift_frame, whole.kinetic);
    whole = whole_of(new_x_, new_velocity_, nullptr);
    keep_energy();
  }
  state_.x.swap(new_x_);
  state_.velocity.swap(new_velocity_);
  std::swap(state_.look<T>(), w.trial);
  state_.whole = whole;
  state_.contacts.swap(memory_);
  state_.sides.swap(sides_);
  measure_contacts(input, report);
}

template void Body::big_force(const StepInput&, const Look<double>&, const Vec3&, Columns&);
template void Body::advance_consistent<float>(const StepInput&, StepReport&, StageWatch&);
template void Body::advance_consistent<double>(const StepInput&, StepReport&, StageWatch&);

}  // namespace pliant::cage
