// SPDX-License-Identifier: Apache-2.0
// One step with the normals of the cage frozen [Martin09, Fig. 4], backward Euler in the velocities. K and f
// are those of the vertices with the normals held; R the body's frame, everything but 1 and 4 is seen from
// it.
//   1. whole     (rigid-split) the part of the velocities that moves the cage rigidly is taken out: v = v_c +
//   w x r
//                + v_d. The body goes there exactly, R <- exp(h w) R; v_d turns with it. Rigid motion is an
//                exact symmetry of the energy, so that nothing else changes. frozen: v_c = w = 0.
//   2. solve     [(1 + h alpha) M + (h^2 + h beta) K + h^2 K_holds] v_d = M v_d + h (f + f_holds + M a), with
//   a the
//                centrifugal acceleration -w x (w x r); M the mass of the phi alone and eps m/N on the
//                diagonal
//   3. contact   impulses that keep what touches outside (contact_step.cpp). With frozen normals a stiff body
//   cannot
//                turn about what it touches; with rigid-split such a step is done again with normals that
//                follow (consistent_step.cpp).
//   4. move      x += h v_d, normals follow. A step that would gain energy is shortened, down to the rigid
//   motion.
//   5. momentum  (rigid-split, free bodies) frozen normals leave a small error in the momenta of the points;
//   the
//                body gets the rigid velocity and shift that make linear and angular momentum exact.
//   6. flow      permanent strain where the strain is above yield
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::cage {
namespace {

constexpr Index few_held = 2;  // points that leave a body free to turn about them
// What a step may add, of the energies that take part: rounding where the step is exact as a whole. Frozen
// normals alone carry another kinetic energy than the points do; there only what is on its way to blow up is
// stopped.
constexpr double rounding_slack = 1e-5, frozen_slack = 0.5;
constexpr int shortenings = 4;

template <class T>
double mean_diagonal(int n, const T* a) {
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += double(a[in_panels(j, j, padded(n))]) / n;
  return sum;
}

/// (tr S 1 - S)^-1 v; along an axis without extent nothing turns.
Vec3 over_inertia(const Mat3& second, const Vec3& v) {
  const Mat3 inertia = second.trace() * Mat3::Identity() - second;
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia);
  Vec3 along = eigen.eigenvectors().transpose() * v;
  for (int k = 0; k < 3; ++k)
    along[k] = eigen.eigenvalues()[k] > 1e-12 * second.trace() ? along[k] / eigen.eigenvalues()[k] : 0;
  return eigen.eigenvectors() * along;
}

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool);
  const FlushTinyNumbers in_here;
  StepReport report;
  report.trouble = trouble_of(input, Index(model_.nodes.size()) + model_.n());
  if (!report.ok()) return report;
  StageWatch watch;
  holds_.set(model_, input, hold_stiffness_);
  const bool single = options_.precision == Precision::single;
  // A body that is held does not move as a whole: without the split its frozen normals would feed it energy
  // with every step, the more the shorter the steps (a pinned bar reached 395 m/s at h = 1/6000 s).
  const bool held = options_.normals == Normals::rigid_split && holds_.hard() > few_held;
  if (held || options_.normals == Normals::consistent) {
    if (single)
      advance_consistent<float>(input, report, watch);
    else
      advance_consistent<double>(input, report, watch);
  } else if (single) {
    advance_frozen<float>(input, report, watch);
  } else {
    advance_frozen<double>(input, report, watch);
  }
  if (report.ok()) flow(input, report);
  shown_ = shown_ && !report.ok();
  report.ms = watch.total();
  return report;
}

/// exp(angle) rotation.
Mat3 Body::turned(const Vec3& angle, const Mat3& rotation) {
  const double length = angle.norm();
  return length > 0 ? Mat3(Eigen::AngleAxisd(length, angle / length).toRotationMatrix() * rotation)
                    : rotation;
}

/// Step 1.
Body::Flight Body::fly(const StepInput& input) const {
  const Index n = model_.n();
  Flight out;
  out.split = options_.normals == Normals::rigid_split && holds_.hard() <= few_held;
  out.c = state_.x.rowwise().mean();
  out.r0 = (options_.precision == Precision::single ? state_.single.frame : state_.twice.frame)
               .normalized()
               .toRotationMatrix();
  if (out.split) {
    Mat3 second = Mat3::Zero();
    Vec3 turning = Vec3::Zero();
    out.velocity = state_.velocity.leftCols(n).rowwise().mean();
    for (Index i = 0; i < n; ++i) {
      const Vec3 r = state_.x.col(i) - out.c;
      second += r * r.transpose();
      turning += r.cross(Vec3(state_.velocity.col(i)) - out.velocity);
    }
    out.omega = over_inertia(second, turning);
    const double slower = 1 / (1 + input.h * damping_.mass);
    out.velocity = slower * (out.velocity + input.h * input.gravity);
    out.omega *= slower;
  }
  out.c1 = out.c + input.h * out.velocity;
  out.r1 = turned(input.h * out.omega, out.r0);
  return out;
}

/// The matrix of step 2 from the rotations of a look, factored. Where rounding makes it indefinite (stiff
/// bodies in single precision) the vertices of the cage get more mass. False: that did not help.
template <class T>
bool Body::assemble_frozen(const Look<T>& look, double h, Pool& pool, StageWatch& watch) {
  Work<T>& w = work<T>();
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
          std::min(lanes, points - b * lanes), w.rows.data() + std::size_t(b) * lanes * lanes, points);
  });
  watch.add_to(&StageTimes::rhs);
  gram_panels(n3, points, w.rows.data(), w.gram.data(), pool);
  const double stiff = h * h + h * damping_.stiffness, heavy = 1 + h * damping_.mass;
  T* s = w.system.data();
  const auto fill = [&](double more) {
    w.scalar.resize(std::size_t(n) * std::size_t(n));
    const double bend = stiff * model_.mu;
    for (Index j = 0; j < n; ++j) {
      const double *mass = &model_.mass(0, j), *laplacian = &model_.laplacian(0, j);
      T* out = w.scalar.data() + std::size_t(j) * std::size_t(n);
      for (Index i = 0; i < n; ++i) out[i] = T(heavy * mass[i] + bend * laplacian[i]);
      if (!holds_.empty()) {
        const double* hold = &holds_.stiffness()(0, j);
        for (Index i = 0; i < n; ++i) out[i] += T(h * h * hold[i]);
      }
      out[j] += T(heavy * fictitious_ + more);
    }
    kernel.frozen_system(w.gram.data(), int(n), T(stiff * model_.lambda), T(stiff * model_.mu),
                         w.scalar.data(), s);
  };
  more_mass_ = 0;
  fill(0);
  const double mean = mean_diagonal(n3, s);
  while (!factor(n3, s)) {
    more_mass_ = more_mass_ == 0 ? least_shift * mean : 10 * more_mass_;
    if (more_mass_ > most_shift * mean) return false;
    fill(more_mass_);
  }
  watch.add_to(&StageTimes::solve);
  return true;
}

/// Forces told for nodes, as forces on the vertices of the cage, seen from the frame.
void Body::add_node_forces(const StepInput& input, const Mat3& rotation, Columns& force) const {
  if (input.forces.empty()) return;
  const Index rows = Index(force.cols()), all = model_.rows();
  for (Index i = 0; i < Index(model_.nodes.size()); ++i) {
    const Vec3& told = input.forces[std::size_t(i)];
    if (told.isZero(0)) continue;
    const Vec3 f = rotation.transpose() * told;
    const Index at = model_.place[std::size_t(i)], s = ~at;
    for (Index r = 0; r < rows; ++r)
      force.col(r) +=
          (at >= 0 ? model_.value(r, at)
                   : double(model_.skin_value[std::size_t((s / lanes * all + r) * lanes + s % lanes)])) *
          f;
  }
}

/// The right side of step 2; local_ = v_d seen from the frame, z_ = Z.
template <class T>
void Body::load_right(const StepInput& input, const Flight& flight) {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  const double h = input.h;
  for (Index i = 0; i < n; ++i) {
    const Vec3 r = state_.x.col(i) - flight.c;
    local_.col(i) = flight.r0.transpose() * (state_.velocity.col(i) - flight.omega.cross(r));
  }
  if (flight.split) {
    const Vec3 whole = local_.rowwise().mean();
    for (Index i = 0; i < n; ++i) local_.col(i) -= whole;
  }
  // Momentum of the phi, and what pushes: weight where the body does not fly as a whole, the centrifugal
  // force.
  const Vec3 spin = flight.r1.transpose() * flight.omega, weight = flight.r1.transpose() * input.gravity;
  for (Index i = 0; i < n; ++i) {
    const Vec3 r = z_.col(i);
    shift_.col(i) = local_.col(i) - h * spin.cross(spin.cross(r));
  }
  const CageKernels<double>& kernel = kernels<double>();
  for (Index b = 0; b * lanes < n; ++b) {
    kernel.gather(mass_blocks_.data() + std::size_t(b) * std::size_t(model_.rows()) * lanes, int(n),
                  shift_.data(), product_.data());
    for (Index lane = 0; lane < lanes && b * lanes + lane < n; ++lane)
      for (int c = 0; c < 3; ++c)
        force_(c, b * lanes + lane) = product_[std::size_t(c * lanes + lane)] +
                                      (fictitious_ + more_mass_) * shift_(c, b * lanes + lane);
  }
  if (!flight.split)
    for (Index i = 0; i < n; ++i) force_.col(i) += h * model_.mass_sum[i] * weight;
  if (!holds_.empty()) {
    holds_.aim(flight.r1, flight.c1);
    force_.leftCols(n) += h * holds_.pull().leftCols(n);
    force_.leftCols(n).noalias() -= h * z_ * holds_.stiffness().leftCols(n);
  }
  if (!input.forces.empty()) {
    solved_.setZero();
    add_node_forces(input, flight.r1, solved_);
    force_.leftCols(n) += h * solved_;
  }
  const T* f = w.force.data();
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) w.right[std::size_t(c * n + i)] = T(force_(c, i) + h * double(f[3 * i + c]));
}

template <class T>
void Body::advance_frozen(const StepInput& input, StepReport& report, StageWatch& watch) {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  const int n3 = 3 * int(n);
  const Flight flight = fly(input);
  set_local(state_.x, flight.c, flight.r0, z_);
  const double start = potential(input, state_.x, state_.whole);
  const double before = start + state_.whole.kinetic + state_.look<T>().energy;
  double scale = state_.whole.kinetic + state_.look<T>().energy;
  const auto push = [&] {
    stress_of(state_.look<T>(), *input.pool);
    for_blocks(*input.pool, int(n), 32, [&](int begin, int end) {
      kernels<T>().forces(model_.fields<T>().gradient.data(), model_.batches(),
                          long(model_.rows()) * 3 * lanes, begin, end - begin, w.stress.data(),
                          w.force.data());
    });
  };
  push();
  const bool tried = iterates<T>(input, flight);
  report.iterations = 1;
  report.breakdowns = 0;
  if (!tried || !solve_kept<T>(input, flight, report, watch)) {
    if (tried) {
      ++report.breakdowns;
      push();
    }
    if (!assemble_frozen(state_.look<T>(), input.h, *input.pool, watch)) {
      report.trouble = fmt::format(
          "the matrix of the step is not positive definite: it is too stiff for {} precision at this time "
          "step; raise cage.regularisation or take \"precision\": \"double\"",
          options_.precision == Precision::single ? "single" : "double");
      return;
    }
    load_right<T>(input, flight);
    solve(n3, w.system.data(), w.right.data());
    report.refactored = true;
  }
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) solved_(c, i) = double(w.right[std::size_t(c * n + i)]);
  watch.add_to(&StageTimes::solve);
  shift_.setZero();
  if (meet(input, flight, solved_, n, true)) {
    if (flight.split) {
      advance_consistent<T>(input, report, watch);
      return;
    }
    respond<T>(input, flight, 1, false, report);
  }
  watch.add_to(&StageTimes::contact);
  scale += std::abs(start);
  if (!accept<T>(input, flight, before, scale, report))
    report.trouble = "the step has no finite answer: take a shorter time step";
  watch.add_to(&StageTimes::rotation);
  if (report.ok()) measure_contacts(input, report);
}

/// Holds and weight: what else than the body stores energy, J.
double Body::potential(const StepInput& input, const Columns& x, const Whole& whole) const {
  double sum = -model_.total_mass * input.gravity.dot(whole.centre);
  if (!holds_.empty()) {
    Columns& z = const_cast<Columns&>(z1_);
    const Vec3 c = x.rowwise().mean();
    z.leftCols(model_.n()) = x.colwise() - c;
    scaled_normals(model_.faces, x, z.rightCols(model_.t()));
    sum += holds_.energy(z, c);
  }
  return sum;
}

/// Steps 4 and 5: from z_ (Z at the beginning), solved_ (v_d at the end) and shift_ (moved out of colliders)
/// to the next state.
template <class T>
bool Body::accept(const StepInput& input, const Flight& flight, double before, double scale,
                  StepReport& report) {
  Work<T>& w = work<T>();
  const Index n = model_.n();
  const bool guarded = std::none_of(input.colliders.begin(), input.colliders.end(),
                                    [](const Collider& c) { return c.moves(); }) &&
                       input.forces.empty();
  const double slack = flight.split ? rounding_slack : frozen_slack;
  local_ = z_.leftCols(n);
  w.trial.frame = Eigen::Quaterniond(flight.r1);
  Whole whole;
  double share = 1;
  for (int k = 0;; ++k) {
    for (Index i = 0; i < n; ++i) {
      const Vec3 moved = local_.col(i) + input.h * share * solved_.col(i) + shift_.col(i);
      const Vec3 arm = flight.r1 * moved;
      new_x_.col(i) = flight.c1 + arm;
      moved_.col(i) = flight.velocity + flight.omega.cross(arm) + flight.r1 * (share * solved_.col(i));
    }
    if (!new_x_.allFinite() || !moved_.allFinite()) return false;
    w.trial.batches = state_.look<T>().batches;
    follow(new_x_, moved_, new_velocity_);
    const Vec3 c = new_x_.rowwise().mean();
    big_.leftCols(n) = new_x_.colwise() - c;
    big_.rightCols(model_.t()) = y_;
    whole = flight.split && holds_.empty() ? keep_momentum(input) : whole_about(c, new_velocity_, nullptr);
    look_at(new_x_, w.trial, *input.pool, &y_);
    const double after = w.trial.energy + whole.kinetic + potential(input, new_x_, whole);
    if (!std::isfinite(after)) return false;
    if (!guarded || after <= before + slack * scale || k == shortenings) break;
    report.violent = true;
    share = k + 1 == shortenings ? 0 : share / 2;
  }
  state_.x.swap(new_x_);
  state_.velocity.swap(new_velocity_);
  std::swap(state_.look<T>(), w.trial);
  state_.whole = whole;
  state_.contacts.swap(memory_);
  state_.sides.swap(sides_);
  return true;
}

/// Step 5: moved_ and new_x_ get the rigid motion that is missing; new_velocity_ follows. big_ is Z of new_x_
/// from its mean. Returns the body as a whole afterwards.
Whole Body::keep_momentum(const StepInput& input) {
  const double h = input.h, slower = 1 / (1 + h * damping_.mass);
  Vec3 push = h * model_.total_mass * input.gravity, turn = Vec3::Zero();
  if (!input.forces.empty()) {
    const Points& at = nodes().x;
    for (std::size_t i = 0; i < at.size(); ++i) {
      push += h * input.forces[i];
      turn += h * (at[i] - state_.whole.centre).cross(input.forces[i]);
    }
  }
  const Vec3 momentum = slower * (state_.whole.momentum + push), spin = slower * (state_.whole.spin + turn);
  Mat3 second;
  Whole now = whole_about(new_x_.rowwise().mean(), new_velocity_, &second);
  const Vec3 centre = state_.whole.centre + h / model_.total_mass * momentum;
  const Vec3 missing = (momentum - now.momentum) / model_.total_mass,
             omega = over_inertia(second, spin - now.spin);
  for (Index i = 0; i < model_.n(); ++i)
    moved_.col(i) += missing + omega.cross(Vec3(new_x_.col(i)) - now.centre);
  const Vec3 shift = centre - now.centre;
  new_x_.colwise() += shift;
  for (Index j = 0; j < model_.t(); ++j) {
    const Index at = model_.n() + j;
    new_velocity_.col(at) += omega.cross(Vec3(big_.col(at)));
  }
  new_velocity_.leftCols(model_.n()) = moved_;
  const Vec3 spun = second.trace() * omega - second * omega;
  now.kinetic += missing.dot(now.momentum + model_.total_mass / 2 * missing) + omega.dot(now.spin + spun / 2);
  now.momentum += model_.total_mass * missing;
  now.spin += spun;
  now.centre = centre;
  return now;
}

void Body::flow(const StepInput& input, StepReport& report) {
  if (!options_.plasticity) return;
  if (options_.precision == Precision::single)
    flow_as<float>(input.h, report, *input.pool);
  else
    flow_as<double>(input.h, report, *input.pool);
}

/// Permanent strain e of every point: with the elastic strain d = sym(R^T F) - 1 - e, its deviator's norm
/// above yield, e += kappa dev d (physics/plasticity.hpp), |e| at most the cap. Volume does not flow.
template <class T>
void Body::flow_as(double h, StepReport& report, Pool& pool) {
  Look<T>& look = state_.look<T>();
  report.yields = 0;
  constexpr int row[6] = {0, 1, 2, 1, 0, 0}, column[6] = {0, 1, 2, 2, 2, 1};
  for (Index q = 0; q < model_.count(); ++q) {
    const PointBatch<T>& batch = look.batches[std::size_t(q / lanes)];
    Mat3 f, r;
    for (int k = 0; k < 9; ++k) {
      f(k / 3, k % 3) = double(batch.a[k][q % lanes]);
      r(k / 3, k % 3) = double(batch.r[k][q % lanes]);
    }
    Mat3 strain = r.transpose() * f;
    strain = ((strain + strain.transpose()) / 2).eval() - Mat3::Identity();
    double* e = state_.plastic.data() + 6 * std::size_t(q);
    for (int k = 0; k < 6; ++k) {
      strain(row[k], column[k]) -= e[k];
      if (row[k] != column[k]) strain(column[k], row[k]) = strain(row[k], column[k]);
    }
    strain.diagonal().array() -= strain.trace() / 3;
    const double kappa = flow_share(*options_.plasticity, strain.norm(), h);
    if (!(kappa > 0)) continue;
    ++report.yields;
    double square = 0;
    for (int k = 0; k < 6; ++k) {
      e[k] += kappa * strain(row[k], column[k]);
      square += (k < 3 ? 1 : 2) * e[k] * e[k];
    }
    const double most = options_.plasticity->cap;
    if (square > most * most)
      for (int k = 0; k < 6; ++k) e[k] *= most / std::sqrt(square);
  }
  if (report.yields == 0) return;
  load_plastic<T>();
  look.energy = stress_of(look, pool);
}

template bool Body::assemble_frozen(const Look<float>&, double, Pool&, StageWatch&);
template bool Body::assemble_frozen(const Look<double>&, double, Pool&, StageWatch&);
template void Body::load_right<float>(const StepInput&, const Flight&);
template void Body::load_right<double>(const StepInput&, const Flight&);

}  // namespace pliant::cage
