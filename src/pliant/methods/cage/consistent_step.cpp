// SPDX-License-Identifier: Apache-2.0
// A step with normals that follow the vertices: with h', Z^, V^ of the integrator
// (physics/implicit_scheme.hpp) and Y = Z^ + h' V^ the variational problem
//   min over x of  1/(2 h'^2) |Z(x) - Y|_M^2 + eps m/(2 N h'^2) |x - y|_D^2 + E(Z(x)) + holds - weight
//   V = (Z - Z^)/h'
//   [P^T (M/h'^2 + K_holds) P + (1 + beta/h') K + eps m/(N h'^2) D] dx = P^T f + ...,   P = dZ/dx = [1; J]
// A step that touches something is Euler's: contact has velocities jump, which BDF2 would read as a force and
// go on with.
// K is the Gauss-Newton matrix [Martin09, Eq. 15 to first order] in the first solve; where that is not enough
// more solves follow with the whole Hessian (equation.hpp). Each is shortened until it lowers the sum. The
// basis is nearly redundant: some motions of the cage hardly move the body; eps keeps them in check. D leaves
// out motions of the cage as a whole, so that the mass without weight does not slow a body down.
#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>

#include "pliant/contact/collider.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/cage/contact.hpp"
#include "pliant/methods/cage/energy.hpp"
#include "pliant/methods/cage/momentum.hpp"
#include "pliant/methods/cage/objective.hpp"
#include "pliant/methods/cage/open_faces.hpp"
#include "pliant/methods/cage/step.hpp"
#include "pliant/methods/cage/surface.hpp"
#include "pliant/physics/first_step.hpp"

namespace pliant::cage {
namespace {

constexpr int halvings = 8;
// What another solve would still gain, as a share of what the one just done promised: below it the step ends.
constexpr double tolerance = 1e-3;
// Of the kinetic energy of a held body: what BDF2 lost of it a little before, it may have again. The energy of one
// instant rises and falls a little in every swing, and cutting every rise would lose it.
constexpr double swing_energy = 0.01;
// Energy over mu and volume from which the Gauss-Newton matrix K is not tried.
constexpr double large_strain = 0.03;
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

/// The descent, and the end of the step.
template <class T>
class ConsistentStep {
 public:
  ConsistentStep(const Step& step, Integrator by)
      : step_(step),
        equation_(step.equation<T>()),
        by_(by),
        pace_(ImplicitScheme(by, step.input.h, step.scheme).h),
        coasts_(by == Integrator::euler && step.cache.holds.hard() == 0),
        objective_(step, pace_, coasts_) {}

  /// False: one of BDF2 that would touch something.
  bool advance(Past past);
  /// Scratch::acceleration by a trial step, without contact.
  void find_acceleration();

 private:
  /// The iterate that minimises the objective. False: it is none, which the report tells, or something
  /// touches that `meets` does not allow.
  bool descend(Past past);
  /// Motion of the vertices in Scratch::solved, m/s along the axes, from the force that promised() has read;
  /// contact included. True: something touches.
  bool solve(bool first);
  /// Scratch::new_x is the longest share of the motion that lowers the objective, in halves. True: there is
  /// one. On trouble the report tells it.
  bool search(double& share);
  /// Elastic energy at Scratch::new_x is that of the trial; where it is moved out of colliders by
  /// Scratch::shift, or as much of it as costs little elastic energy. The move itself gives no velocity;
  /// end() slows the body down by what the move stores. A body that lies still has no motion to pay with and
  /// ends with that little more: without it, it would stay as deep as it got.
  void lift_out(double kinetic);
  /// Velocities from the iterate, slowed down to the energy there was, at most to standstill: what moving out
  /// of colliders stores beyond all motion is gained. Momenta of what nothing holds or touches. Then the next
  /// state.
  void end();
  /// Velocities are slowed down where the energy would be above that at the beginning.
  void keep_energy(Whole& whole);
  /// By how much the energy of a step of a body that rolls may be off, J. Its centre has the velocity of a
  /// chord, half a step late against the turn: a contact that carries the body moves at the end by h/2 w x (w x
  /// lever), though it stood still, and its force seems to do work. The next contact takes it back.
  double arc_energy(const Whole& whole) const {
    const Eigen::AngleAxisd turn(objective_.turn());
    return step_.contact.arc_energy(step_, turn.angle() / h_ * turn.axis(), whole);
  }
  /// The kinetic energy that the energy at the beginning leaves, J, where there is more.
  std::optional<double> too_fast(const Whole& whole);
  double stored(const Columns& x, const Whole& whole) {
    return potential(model_, holds_, step_.input.gravity, x, whole, s_.world_z);
  }

  const Step& step_;
  Equation<T> equation_;
  const Integrator by_;
  const double pace_;  // h', s
  const bool coasts_;
  Objective<T> objective_;
  const Model& model_ = step_.model;
  const double h_ = step_.input.h;
  bool trial_step_ = false;  // contact does not count
  State& state_ = step_.state;
  StepReport& report_ = step_.report;
  Scratch& s_ = step_.scratch;
  Work<T>& w_ = equation_.work();
  Look<T>& trial_ = w_.trial;
  const Holds& holds_ = step_.cache.holds;

  double start_ = 0;                    // energy at the beginning, J
  double lent_ = 0;                     // what the end may have besides, J
  double noise_ = 0;                    // of the objective, by rounding, J
  Vec3 start_c_{0, 0, 0}, c_{0, 0, 0};  // mean of the vertices: at the beginning, of the iterate
  Mat3 start_axes_ = Mat3::Identity();  // at the beginning
  Mat3 axes_ = Mat3::Identity(), lift_axes_ = axes_;  // of the iterate; of the last solve
};

template <class T>
bool ConsistentStep<T>::solve(bool first) {
  const Index n = model_.n();
  solve_upper(3 * int(n), w_.system.data(), w_.right.data());
  for (Index i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k) s_.solved(k, i) = double(w_.right[std::size_t(k * n + i)]) / h_;
  report_.refactored = true;
  ++report_.iterations;
  step_.watch.add_to(&StageTimes::solve);
  Flight flight = Flight::at(c_, axes_);
  if (first) flight.c = start_c_, flight.r0 = start_axes_;
  s_.shift.setZero();
  follow(model_, s_.jacobians, s_.solved, s_.rate);
  const bool touched = !trial_step_ && step_.contact.meet(step_, flight, s_.rate, model_.rows(), first);
  if (touched && by_ == Integrator::euler) step_.contact.respond<T>(step_, flight, 1 / (h_ * h_), true);
  step_.watch.add_to(&StageTimes::contact);
  return touched;
}

template <class T>
bool ConsistentStep<T>::search(double& share) {
  const double before = objective_.value(s_.x, trial_.energy);
  noise_ = rounding<T> * (std::abs(before) + trial_.energy + state_.whole.kinetic) + holds_.noise();
  share = 1;
  for (int k = 0; k <= halvings; ++k) {
    share = k == 0 ? 1 : share / 2;
    s_.new_x = s_.x;
    s_.new_x.noalias() += h_ * share * (axes_ * s_.solved);
    if (!s_.new_x.allFinite()) {
      report_.trouble = "the step has no finite answer: take a shorter time step";
      return false;
    }
    if (folds(model_, s_.x, s_.new_x)) continue;
    equation_.look_at(s_.new_x, trial_, step_.pool);
    if (objective_.value(s_.new_x, trial_.energy) <= before + noise_) return true;
  }
  return false;
}

template <class T>
bool ConsistentStep<T>::advance(Past past) {
  if (!descend(past)) return !report_.ok();
  end();
  step_.watch.add_to(&StageTimes::rotation);
  return true;
}

template <class T>
void ConsistentStep<T>::find_acceleration() {
  trial_step_ = true;
  const bool trusted = descend(Past::unknown) && !report_.violent;
  const Index n = model_.n();
  Columns& a = s_.acceleration;
  a = Columns::Zero(3, model_.rows());
  a.leftCols(n) = s_.x;
  scaled_normals(model_.faces, s_.x, a.rightCols(model_.t()));
  a = ((a - s_.start_z) / pace_ - state_.velocity) / pace_;
  // Whether the step resolves the motion (physics/first_step.hpp).
  Columns& outer = s_.rate;
  outer = -step_.scheme.mass * state_.velocity;
  outer.leftCols(n).colwise() += step_.input.gravity;
  double told = 2 * whole_of(model_, state_.x, outer, s_.new_z).kinetic;
  Vec3 on_skin = Vec3::Zero(), all = Vec3::Zero();
  for (std::size_t i = 0; i < step_.input.forces.size(); ++i) {
    const Vec3& force = step_.input.forces[i];
    all += force;
    if (model_.node_mass[i] > 0)
      told += force.squaredNorm() / model_.node_mass[i];
    else
      on_skin += force;  // nodes without mass: the body's carries it
  }
  told += on_skin.squaredNorm() / model_.total_mass;
  if (!step_.input.forces.empty())
    outer.leftCols(n).colwise() += Vec3(all / model_.total_mass);  // their resultant
  a -= outer;
  const double inner = 2 * whole_of(model_, state_.x, a, s_.new_z).kinetic,
               energy = state_.whole.kinetic + state_.look<T>().energy;
  if (trusted && resolves(pace_ * pace_ * inner, energy, pace_ * pace_ * told))
    a += outer;
  else
    a = outer;
}

template <class T>
bool ConsistentStep<T>::descend(Past past) {
  const int most = step_.options.iterations;
  objective_.begin(past);
  step_.contact.clear();
  trial_ = state_.look<T>();
  s_.x = state_.x;
  equation_.look_at(s_.x, trial_, step_.pool);
  start_ = trial_.energy + state_.whole.kinetic + stored(state_.x, state_.whole);
  start_c_ = mean_of(s_.x);
  start_axes_ = trial_.axes.toRotationMatrix();
  if (!objective_.turn().isIdentity(0)) {
    s_.x = s_.undeformed;
    trial_.axes = Eigen::Quaterniond(objective_.turn() * start_axes_);
    equation_.look_at(s_.x, trial_, step_.pool);
  }
  // Solves end at a share of what they promise. From where the body stands they promise its whole motion, and that
  // share of a pendulum's energy is noise of first order; from where it swings to, what is left.
  if (const auto way = by_ == Integrator::bdf2 ? swing(step_, trial_step_ ? pace_ : h_) : std::nullopt) {
    const Vec3 to = way->pivot + way->shift;
    for (Eigen::Index c = 0; c < s_.x.cols(); ++c)
      s_.x.col(c) = way->turn * Vec3(state_.x.col(c) - way->pivot) + to;
    trial_.axes = Eigen::Quaterniond(way->turn * start_axes_);
    equation_.look_at(s_.x, trial_, step_.pool);
  }
  c_ = mean_of(s_.x);
  axes_ = lift_axes_ = trial_.axes.toRotationMatrix();
  objective_.descend(trial_, s_.x, c_);
  bool whole = trial_.energy > large_strain * model_.mu * model_.volume, done = false;
  double first = 0, last = 0;  // what a solve promised: the first, the one before
  double longest = 0;          // share of a solve that was taken
  bool ever_touched = false;
  report_.breakdowns = std::max(report_.breakdowns, 0);
  for (int iteration = 0; iteration < most && !done; ++iteration) {
    step_.watch.add_to(&StageTimes::rotation);
    if (!objective_.factor(trial_, whole)) {
      report_.trouble =
          "the matrix of the step is not positive definite: raise cage.regularisation or take "
          "\"precision\": \"double\"";
      return false;
    }
    if (iteration == 0) objective_.keep_damper(trial_);
    const double promise = objective_.promised();
    if (iteration == 0) first = last = promise;
    const bool touched = solve(iteration == 0);
    if (touched && by_ == Integrator::bdf2) return false;
    ever_touched = ever_touched || touched;
    double share = 1;
    const bool lower = search(share);
    if (!report_.ok()) return false;
    if (lower) longest = std::max(longest, share);
    if (!lower) {  // stay
      s_.new_x = s_.x;
      equation_.look_at(s_.new_x, trial_, step_.pool);
      done = whole;
    }
    lift_axes_ = axes_;
    s_.x = s_.new_x;
    c_ = mean_of(s_.x);
    axes_ = trial_.axes.toRotationMatrix();
    if (done || iteration + 1 == most) {
      report_.violent = report_.violent || (share < short_step && last > little * first);
      break;
    }
    objective_.descend(trial_, s_.x, c_);
    s_.free = s_.solved;
    objective_.add_contact_forces(axes_);
    const double next = objective_.promised();
    report_.violent = report_.violent || (share < short_step && next > little * first);
    done = lower && next <= std::max(touched ? touching_tolerance * first : tolerance * promise, 10 * noise_);
    done = done || (touched && next > stalled * last && next < little * first);
    last = next;
    s_.solved = s_.free;
    whole = true;
  }
  // It stands still, but not at rest. What lies on something stands still like this when it rests.
  if (longest < no_step && !ever_touched && first > 10 * noise_) {
    ++report_.breakdowns;
    report_.violent = true;
  }
  return true;
}

template <class T>
void ConsistentStep<T>::lift_out(double kinetic) {
  const double most =
      trial_.energy +
      lift_energy * (trial_.energy + kinetic + model_.total_mass * step_.input.gravity.norm() * model_.size);
  s_.local = s_.new_x;
  for (double share = 1; share > 0.1; share /= 2) {
    s_.new_x = s_.local;
    s_.new_x.noalias() += share * (lift_axes_ * s_.shift);
    if (folds(model_, s_.local, s_.new_x)) continue;
    equation_.look_at(s_.new_x, trial_, step_.pool);
    if (trial_.energy <= most) return;
  }
  s_.new_x = s_.local;
  equation_.look_at(s_.new_x, trial_, step_.pool);
}

template <class T>
std::optional<double> ConsistentStep<T>::too_fast(const Whole& whole) {
  const StepInput& input = step_.input;
  const bool fixed = std::none_of(input.colliders.begin(), input.colliders.end(),
                                  [](const Collider& collider) { return collider.moves(); });
  const double left = start_ + lent_ - trial_.energy - stored(s_.new_x, whole);
  if (!fixed || !input.forces.empty() || !(whole.kinetic > left && whole.kinetic > 0)) return std::nullopt;
  return std::max(left, 0.0);
}

template <class T>
void ConsistentStep<T>::keep_energy(Whole& whole) {
  const std::optional<double> left = too_fast(whole);
  if (!left) return;
  s_.new_velocity *= std::sqrt(*left / whole.kinetic);
  whole = whole_of(model_, s_.new_x, s_.new_velocity, s_.new_z);
}

template <class T>
void ConsistentStep<T>::end() {
  const Index n = model_.n();
  s_.new_velocity.leftCols(n) = s_.x;
  scaled_normals(model_.faces, s_.x, s_.new_velocity.rightCols(model_.t()));
  s_.new_velocity -= s_.start_z;
  s_.new_velocity /= pace_;
  s_.new_x = s_.x;
  Whole whole = whole_of(model_, s_.new_x, s_.new_velocity, s_.new_z);
  const bool touches = step_.contact.touches();
  const bool swings = by_ == Integrator::bdf2 && !holds_.empty() && !touches;
  const double arc = swings ? swing_energy * whole.kinetic : touches && coasts_ ? arc_energy(whole) : 0;
  lent_ = std::min(state_.lent, arc);
  keep_energy(whole);
  if (holds_.empty() && !touches) {
    s_.new_v = s_.new_velocity.leftCols(n);
    whole = keep_momentum(step_);
    if (const std::optional<double> left = too_fast(whole)) slow_deformation(step_, *left, whole);
  }
  if (touches && !s_.shift.isZero(0)) {
    lift_out(whole.kinetic);
    whole = whole_of(model_, s_.new_x, s_.new_velocity, s_.new_z);
    keep_energy(whole);
  }
  state_.lent =
      std::clamp(state_.lent + start_ - trial_.energy - whole.kinetic - stored(s_.new_x, whole), 0.0, arc);
  state_.x_before.swap(state_.x);
  state_.v_before.swap(state_.velocity);
  state_.x.swap(s_.new_x);
  state_.velocity.swap(s_.new_velocity);
  std::swap(state_.look<T>(), trial_);
  state_.whole = whole;
  state_.remember(step_.input, by_ == Integrator::bdf2 ? Past::known : Past::unknown);
  state_.touches = touches;
  step_.contact.finish(step_);
}

/// What a step of BDF2 starts from.
template <class T>
Past past_of(const Step& step) {
  const State& state = step.state;
  const StepInput& input = step.input;
  if (state.continues(input)) return Past::known;
  Points& targets = step.scratch.trial_targets;
  targets.clear();
  const Points& at = nodes_of(step.model, state, step.cache).x;
  for (std::size_t k = 0; k < input.held.size(); ++k) {
    const std::size_t node = std::size_t(input.held[k]);
    const Vec3 from = node < at.size() ? at[node] : Vec3(state.x.col(Index(node - at.size())));
    targets.push_back(from + trial_share * (input.targets[k] - from));
  }
  StepInput trial = input;
  trial.targets = targets;
  StepReport report;
  const Step quiet{{trial, step.scheme, step.pool, step.watch, report},
                   step.model,
                   step.options,
                   step.state,
                   step.cache,
                   step.scratch,
                   step.contact};
  step.cache.holds.set(step.model, trial, step.model.hold_stiffness);
  ConsistentStep<T>(quiet, Integrator::bdf2).find_acceleration();
  step.cache.holds.set(step.model, input, step.model.hold_stiffness);
  step.report.iterations += report.iterations;
  return Past::curved;
}

}  // namespace

template <class T>
bool advance_consistent(const Step& step, Integrator by) {
  const Past past = by == Integrator::bdf2 ? past_of<T>(step) : Past::unknown;
  return ConsistentStep<T>(step, by).advance(past);
}

template bool advance_consistent<float>(const Step&, Integrator);
template bool advance_consistent<double>(const Step&, Integrator);

}  // namespace pliant::cage
