// SPDX-License-Identifier: Apache-2.0
// One step with the normals of the cage frozen [Martin09, Fig. 4], backward Euler in the velocities. K and f
// are those of the vertices with the normals held. R holds the body's axes; all but 1 and 4 is seen along them.
//
//   1. whole     (rigid-split) the part of the velocities that moves the cage rigidly is taken out:
//                v = v_c + w x r + v_d. The body goes there exactly, by Euler's equations of a rigid body
//                (physics/free_turn.hpp); v_d turns with it.
//                Rigid motion is an exact symmetry of the energy, so that nothing else changes.
//                frozen: v_c = w = 0.
//   2. solve     [(1 + h alpha) M + (h^2 + h beta) K + h^2 K_holds] v_d = M v_d + h (f + f_holds + M a),
//                a = -w x (w x r) - dw/dt x r of the turning axes, M the mass of the phi alone and eps m/N
//                on the diagonal
//   3. contact   impulses that keep what touches outside (contact.cpp). With frozen normals a stiff body
//                cannot turn about what it touches; with rigid-split such a step is done again with normals
//                that follow (consistent_step.cpp).
//   4. move      x += h v_d, normals follow. A step that would gain energy is shortened, down to the rigid
//                motion.
//   5. momentum  (rigid-split, free bodies) frozen normals leave a small error in the momenta of the points;
//                the body gets the rigid velocity and shift that make linear and angular momentum exact.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/contact/collider.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/contact.hpp"
#include "pliant/methods/cage/energy.hpp"
#include "pliant/methods/cage/momentum.hpp"
#include "pliant/methods/cage/step.hpp"

namespace pliant::cage {
namespace {

// What a step may add, of the energies that take part: rounding where the step is exact as a whole. Frozen
// normals alone carry another kinetic energy than the points do; there only what is on its way to blow up is
// stopped.
constexpr double rounding_slack = 1e-5, frozen_slack = 0.5;
constexpr int shortenings = 4;
constexpr int many_freedoms = 100;  // from where on the factor at rest is faster (docs/methods/cage.md)

template <class T>
class FrozenStep {
 public:
  FrozenStep(const Step& step, bool split)
      : step_(step), equation_(step.equation<T>()), flight_(fly(step, split)) {}

  void advance();

 private:
  /// Elastic forces on the vertices.
  void push();
  /// Whether the factor at rest may solve the step.
  bool iterates() const;
  /// Step 2 from the factor at rest, in Work::right. False: not solved, and the elastic forces are lost.
  bool solve_from_rest();
  /// Step 2 with a matrix of its own. False: it has no factor.
  bool solve_directly();
  /// The right side of step 2; Scratch::apart is v_d seen along the axes. more: mass that the matrix needed,
  /// kg.
  void load_right(double more);
  /// Steps 4 and 5: from z (at the beginning), solved (v_d at the end) and shift to the next state. False: it
  /// is not finite. `before`: energy at the beginning, `scale`: of the energies that take part, J.
  bool accept(double before, double scale);
  /// Z, its velocity and the body as a whole where a share of the deformation is done. False: not finite.
  bool move(double share, Whole& whole);

  const Step& step_;
  Equation<T> equation_;
  const Flight flight_;
  const Model& model_ = step_.model;
  State& state_ = step_.state;
  Scratch& s_ = step_.scratch;
  Work<T>& w_ = equation_.work();
  Holds& holds_ = step_.cache.holds;
};

template <class T>
void FrozenStep<T>::push() {
  equation_.stress(state_.look<T>(), step_.pool);
  equation_.elastic_forces(model_.n(), step_.pool);
}

/// Contact of what is held asks the factor of the step's own matrix for its answer.
template <class T>
bool FrozenStep<T>::iterates() const {
  if (step_.options.solver == Solver::direct || (!flight_.split && !step_.input.colliders.empty()))
    return false;
  if (step_.options.solver == Solver::automatic && 3 * model_.n() < many_freedoms) return false;
  return rests_nearly(model_, state_.look<T>());
}

template <class T>
bool FrozenStep<T>::solve_from_rest() {
  KeptFactor<T>& at_rest = step_.cache.precise<T>().at_rest;
  if (!at_rest.make(equation_, step_)) return false;
  load_right(0);
  const std::optional<int> iterations =
      at_rest.solve(equation_, state_.look<T>(), s_.apart, w_.right, step_.pool);
  if (iterations) step_.report.iterations = *iterations;
  return iterations.has_value();
}

template <class T>
bool FrozenStep<T>::solve_directly() {
  const FrozenWeights weights(step_.input.h, step_.scheme);
  const std::optional<double> more =
      equation_.factor_frozen(state_.look<T>(), weights, step_.pool, step_.watch);
  if (!more) {
    step_.report.trouble = fmt::format(
        "the matrix of the step is not positive definite: it is too stiff for {} precision at this time "
        "step; raise cage.regularisation or take \"precision\": \"double\"",
        step_.options.precision == Precision::single ? "single" : "double");
    return false;
  }
  load_right(*more);
  solve(3 * int(model_.n()), w_.system.data(), w_.right.data());
  step_.report.refactored = true;
  return true;
}

template <class T>
void FrozenStep<T>::load_right(double more) {
  const Index n = model_.n();
  const StepInput& input = step_.input;
  const double h = input.h;
  for (Index i = 0; i < n; ++i) {
    const Vec3 r = state_.x.col(i) - flight_.c;
    s_.apart.col(i) = flight_.r0.transpose() * (state_.velocity.col(i) - flight_.spin.cross(r));
  }
  if (flight_.split) {
    const Vec3 whole = mean_of(s_.apart);
    for (Index i = 0; i < n; ++i) s_.apart.col(i) -= whole;
  }
  // Momentum of the phi, and what pushes: weight where the body does not fly as a whole, the centrifugal
  // force.
  const Vec3 spin = flight_.r1.transpose() * flight_.omega, weight = flight_.r1.transpose() * input.gravity,
             change = flight_.r1.transpose() * flight_.spin_change;
  Columns& moving = s_.local;
  for (Index i = 0; i < n; ++i) {
    const Vec3 r = s_.z.col(i);
    moving.col(i) = s_.apart.col(i) - h * (spin.cross(spin.cross(r)) + change.cross(r));
  }
  each_mass_row(model_, n, moving.data(), [&](Index i, const Vec3& momentum) {
    s_.force.col(i) = momentum + (model_.fictitious_mass + more) * moving.col(i);
  });
  if (!flight_.split)
    for (Index i = 0; i < n; ++i) s_.force.col(i) += h * model_.mass_sum[i] * weight;
  if (!holds_.empty()) {
    holds_.aim(flight_.r1, flight_.c1);
    s_.force.leftCols(n) += h * holds_.pull().leftCols(n);
    s_.force.leftCols(n).noalias() -= h * s_.z * holds_.stiffness().leftCols(n);
  }
  if (!input.forces.empty()) {
    s_.solved.setZero();
    add_node_forces(model_, input, flight_.r1, s_.solved);
    s_.force.leftCols(n) += h * s_.solved;
  }
  const T* f = w_.force.data();
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c)
      w_.right[std::size_t(c * n + i)] = T(s_.force(c, i) + h * double(f[3 * i + c]));
  // The padding takes part in the solve: a step that overflowed must not leave anything there.
  std::fill(w_.right.begin() + 3 * n, w_.right.end(), T(0));
}

template <class T>
void FrozenStep<T>::advance() {
  const StepInput& input = step_.input;
  StepReport& report = step_.report;
  const Index n = model_.n();
  set_z(model_, state_.x, flight_.c, flight_.r0, s_.z);
  const double stored = potential(model_, holds_, input.gravity, state_.x, state_.whole, s_.world_z);
  const double before = stored + state_.whole.kinetic + state_.look<T>().energy;
  const double scale = state_.whole.kinetic + state_.look<T>().energy + std::abs(stored);
  push();
  report.iterations = 1;
  report.breakdowns = 0;
  bool solved = false;
  if (iterates()) {
    solved = solve_from_rest();
    if (!solved) push();  // the matrix of the step itself will do
  }
  if (!solved && !solve_directly()) return;
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) s_.solved(c, i) = double(w_.right[std::size_t(c * n + i)]);
  step_.watch.add_to(&StageTimes::solve);
  s_.shift.setZero();
  if (step_.contact.meet(step_, flight_, s_.solved, n, true)) {
    if (flight_.split) return static_cast<void>(advance_consistent<T>(step_, Integrator::euler));
    step_.contact.respond<T>(step_, flight_, 1, false);
  }
  step_.watch.add_to(&StageTimes::contact);
  if (!accept(before, scale)) report.trouble = "the step has no finite answer: take a shorter time step";
  step_.watch.add_to(&StageTimes::rotation);
  if (report.ok()) step_.contact.finish(step_);
}

template <class T>
bool FrozenStep<T>::move(double share, Whole& whole) {
  const Index n = model_.n();
  for (Index i = 0; i < n; ++i) {
    const Vec3 moved = s_.begin.col(i) + step_.input.h * share * s_.solved.col(i) + s_.shift.col(i);
    const Vec3 arm = flight_.r1 * moved;
    s_.new_x.col(i) = flight_.c1 + arm;
    s_.new_v.col(i) = flight_.velocity + flight_.omega.cross(arm) + flight_.r1 * (share * s_.solved.col(i));
  }
  if (!s_.new_x.allFinite() || !s_.new_v.allFinite()) return false;
  normal_jacobians(model_.faces, s_.new_x, s_.jacobians, &s_.new_y);
  follow(model_, s_.jacobians, s_.new_v, s_.new_velocity);
  const Vec3 c = mean_of(s_.new_x);  // turning back does not move it
  s_.new_z.leftCols(n) = s_.new_x.colwise() - c;
  s_.new_z.rightCols(model_.t()) = s_.new_y;
  if (flight_.split && holds_.empty()) turn_back(step_, flight_.r1, s_.start_z);
  whole = flight_.split && holds_.empty() ? keep_momentum(step_)
                                          : whole_about(model_, s_.new_z, c, s_.new_velocity, nullptr);
  return true;
}

template <class T>
bool FrozenStep<T>::accept(double before, double scale) {
  const StepInput& input = step_.input;
  const bool guarded = std::none_of(input.colliders.begin(), input.colliders.end(),
                                    [](const Collider& c) { return c.moves(); }) &&
                       input.forces.empty();
  const double slack = flight_.split ? rounding_slack : frozen_slack;
  s_.begin = s_.z.leftCols(model_.n());
  s_.start_z = s_.z;
  Look<T>& trial = w_.trial;
  trial.axes = Eigen::Quaterniond(flight_.r1);
  Whole whole;
  double share = 1;
  for (int k = 0;; ++k) {
    if (!move(share, whole)) return false;
    trial.batches = state_.look<T>().batches;
    equation_.look_at(s_.new_x, trial, step_.pool, &s_.new_y);
    const double after =
        trial.energy + whole.kinetic + potential(model_, holds_, input.gravity, s_.new_x, whole, s_.world_z);
    if (!std::isfinite(after)) return false;
    if (!guarded || after <= before + slack * scale || k == shortenings) break;
    step_.report.violent = true;
    share = k + 1 == shortenings ? 0 : share / 2;
  }
  state_.x.swap(s_.new_x);
  state_.velocity.swap(s_.new_velocity);
  std::swap(state_.look<T>(), trial);
  state_.whole = whole;
  state_.past = Past::unknown;
  state_.touches = step_.contact.touches();
  state_.lent = 0;
  return true;
}

}  // namespace

template <class T>
void advance_frozen(const Step& step, bool split) {
  FrozenStep<T>(step, split).advance();
}

template void advance_frozen<float>(const Step&, bool);
template void advance_frozen<double>(const Step&, bool);

}  // namespace pliant::cage
