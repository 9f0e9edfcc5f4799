// SPDX-License-Identifier: Apache-2.0
// Where the body rests: damped Newton steps (physics/damped_newton.hpp) in double precision with normals that
// follow, of
//   min over x of  E(Z(x)) + holds - weight
// The caution is Levenberg's: times the mean diagonal of the matrix, added to the diagonal. Frozen normals do
// not converge here from bends of a quarter turn on.
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/damped_newton.hpp"

namespace pliant::cage {
namespace {

constexpr DampedNewton levenberg{
    .first = 1e-6, .least = 1e-9, .most = 1e3, .after_failure = 10, .halvings = 12};
constexpr double least_face = 0.2;      // of a face, share of its area before a step or at rest
constexpr double energy_noise = 1e-11;  // round-off of the energy, relative
// A body that nothing strains (one handle carries it along) has no forces to compare with: what is left is
// then measured by this share of E size^2. From 1e-5 to 1e-8 places and energies of drags by 1 m and by 10 um
// are the same; below 1e-6 the small ones go on for dozens of steps over forces of rounding.
constexpr double least_acting = 1e-6;

}  // namespace

/// The energy over the vertices of the cage, as damped_newton.hpp sees it. Forces are in the frame of the
/// look.
class Body::StaticProblem {
 public:
  StaticProblem(Body& body, const StepInput& input)
      : b_(body), input_(input), w_(body.work<double>()), start_centre_(body.state_.whole.centre) {
    take_rotations();
    b_.look_at(b_.state_.x, w_.trial, *input.pool);
    potential_ = total(b_.state_.x);
    unbalanced_ = find_forces(b_.state_.x);
    force_ = b_.solved_;
  }

  double potential() const { return potential_; }
  double unbalanced() const { return unbalanced_; }
  double acting() const { return acting_; }

  /// What of the matrix does not depend on the caution. Once, before the first direction.
  void linearise() {
    b_.consistent_gram(w_.trial, true, *input_.pool);
    set_constant_part(false);
    b_.start_z_ = b_.z_;
    const int n3 = 3 * int(b_.model_.n());
    for (int j = 0; j < n3; ++j) diagonal_ += w_.gram[std::size_t(j) * std::size_t(n3 + 1)] / n3;
    frame_ = w_.trial.frame.toRotationMatrix();
  }

  StaticDirection direction(double caution) {
    const Index n = b_.model_.n();
    const int n3 = 3 * int(n);
    while (!factor_with(caution)) {
      if (definite_) return {.trouble = {}, .definite = false};
      b_.z_ = b_.start_z_;
      set_constant_part(true);
    }
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) w_.right[std::size_t(k * n + i)] = force_(k, i);
    solve(n3, w_.system.data(), w_.right.data());
    StaticDirection out;
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        b_.shift_(k, i) = w_.right[std::size_t(k * n + i)];
        out.slope += b_.shift_(k, i) * force_(k, i);
      }
    return out;
  }

  std::optional<double> try_step(double t) {
    b_.new_x_ = b_.state_.x + t * (frame_ * b_.shift_);
    if (b_.folds(b_.state_.x, b_.new_x_)) return std::nullopt;
    b_.look_at(b_.new_x_, w_.trial, *input_.pool);
    return total(b_.new_x_);
  }
  double noise() const { return energy_noise * std::abs(potential_) + b_.holds_.noise(); }
  double trial_unbalanced() { return find_forces(b_.new_x_); }

  /// The trial is the state from now on.
  void accept() {
    State& state = b_.state_;
    state.x = b_.new_x_;
    state.contacts.clear();
    state.sides.clear();
    std::fill(state.more.begin(), state.more.end(), -1);
    b_.look_at(state.x, w_.trial, *input_.pool);
    unbalanced_ = find_forces(state.x);
    give_rotations();
    state.velocity.setZero();
    state.whole = b_.whole_of(state.x, state.velocity, nullptr);
    b_.shown_ = false;
  }

 private:
  /// The look begins with the rotations of the state, whatever precision they are in.
  void take_rotations() {
    Look<double>& look = w_.trial;
    if (b_.options_.precision == Precision::twice) {
      look = b_.state_.twice;
      return;
    }
    const Look<float>& known = b_.state_.single;
    look.frame = known.frame;
    for (std::size_t b = 0; b < look.batches.size(); ++b)
      for (int k = 0; k < 4; ++k)
        for (int lane = 0; lane < lanes; ++lane)
          look.batches[b].q[k][lane] = double(known.batches[b].q[k][lane]);
  }

  void give_rotations() {
    const Look<double>& look = w_.trial;
    if (b_.options_.precision == Precision::twice) {
      b_.state_.twice = look;
      return;
    }
    Look<float>& shown = b_.state_.single;
    shown.frame = look.frame;
    for (std::size_t b = 0; b < look.batches.size(); ++b)
      for (int k = 0; k < 4; ++k)
        for (int lane = 0; lane < lanes; ++lane)
          shown.batches[b].q[k][lane] = float(look.batches[b].q[k][lane]);
    b_.look_at(b_.state_.x, shown, *input_.pool);
  }

  /// The energy at x, where the look is.
  double total(const Columns& x) {
    const Model& model = b_.model_;
    b_.z1_.leftCols(model.n()) = x.colwise() - start_centre_;
    scaled_normals(model.faces, x, b_.z1_.rightCols(model.t()));
    double sum =
        w_.trial.energy + b_.faces_open(x, nullptr) - input_.gravity.dot(Vec3(b_.z1_ * model.mass_sum));
    if (!b_.holds_.empty()) sum += b_.holds_.energy(b_.z1_, start_centre_);
    return sum;
  }

  /// The unbalanced force on the vertices in solved_, where the look is; its norm. Also how large the forces
  /// are that act.
  double find_forces(const Columns& x) {
    const Model& model = b_.model_;
    const Vec3 c = x.rowwise().mean();
    normal_jacobians(model.faces, b_.z_.leftCols(model.n()), b_.jacobians_);
    b_.big_force(input_, w_.trial, c, b_.force_);
    b_.pull_back_force(b_.force_, b_.solved_);
    b_.faces_open(b_.z_.leftCols(model.n()), &b_.solved_);
    // Elastic forces alone: what holds and weight are balanced by.
    for (Index r = 0; r < model.rows(); ++r) {
      const double* f = w_.force.data() + 3 * r;
      b_.big_.col(r) = Vec3(f[0], f[1], f[2]);
    }
    b_.pull_back_force(b_.big_, b_.local_);
    acting_ = std::max(b_.local_.norm() + (b_.solved_ - b_.local_).norm(),
                       least_acting * b_.options_.stiffness * model.size * model.size);
    return b_.solved_.norm();
  }

  /// Holds and the curvature of the faces; `definite` leaves out what may be indefinite.
  void set_constant_part(bool definite) {
    definite_ = definite;
    const int n3 = 3 * int(b_.model_.n());
    if (!b_.holds_.empty())
      b_.pull_back_scalar(b_.holds_.stiffness());
    else
      b_.pulled_.setZero(n3, n3);
    b_.add_curvature(b_.force_, definite);
  }

  bool factor_with(double caution) {
    const int n3 = 3 * int(b_.model_.n());
    for (int j = 0; j < n3; ++j)
      for (int i = j; i < n3; ++i) {
        const std::size_t at = std::size_t(j) * std::size_t(n3) + std::size_t(i);
        w_.system[in_panels(i, j, padded(n3))] =
            w_.gram[at] + b_.pulled_(i, j) + (i == j ? caution * diagonal_ : 0);
      }
    return factor(n3, w_.system.data());
  }

  Body& b_;
  const StepInput& input_;
  Work<double>& w_;
  Vec3 start_centre_;
  Columns force_;  // unbalanced, at the start
  Mat3 frame_ = Mat3::Identity();
  double potential_ = 0, unbalanced_ = 0, acting_ = 0, diagonal_ = 0;
  bool definite_ = false;
};

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  PLIANT_CHECK(input.pool);
  const FlushTinyNumbers in_here;
  Relaxation out;
  out.trouble = trouble_of(input, Index(model_.nodes.size()) + model_.n());
  if (!out.trouble.empty()) return out;
  holds_.set(model_, input, hold_stiffness_);
  if (work<double>().z.empty()) {
    make_work<double>();
    load_plastic<double>();
  }
  StaticProblem problem(*this, input);
  const auto tell = [&] {
    out.force = problem.unbalanced();
    out.residual = out.force / problem.acting();
  };
  tell();
  if (out.residual <= tolerance) {
    state_.velocity.setZero();
    return out;
  }
  out.steps = 1;
  problem.linearise();
  switch (levenberg.step(problem, memory.caution, out.trouble)) {
    case DampedNewton::Outcome::moved:
      out.change = share_of_size(new_x_ - state_.x);
      problem.accept();
      tell();
      break;
    case DampedNewton::Outcome::stuck:
      out.stuck = true;
      break;
    case DampedNewton::Outcome::trouble:
      break;
  }
  return out;
}

/// A face of the cage shrinks to a small part of its area on the way. At a line its normal has no direction
/// and its derivative no bound: a search that gets there creeps.
bool Body::folds(const Columns& from, const Columns& to) const {
  for (const FaceRest& face : model_.faces) {
    const Vec3 a = from.col(face.corner[0]), b = to.col(face.corner[0]);
    const Vec3 before = (Vec3(from.col(face.corner[1])) - a).cross(Vec3(from.col(face.corner[2])) - a);
    const Vec3 after = (Vec3(to.col(face.corner[1])) - b).cross(Vec3(to.col(face.corner[2])) - b);
    const double least = std::min(before.norm(), 2 * face.area);
    if (!(after.norm() > least_face * least)) return true;
  }
  return false;
}

/// Root mean square over the vertices, over the body's size.
double Body::share_of_size(const Columns& moved) const {
  return std::sqrt(moved.squaredNorm() / double(model_.n())) / model_.size;
}

}  // namespace pliant::cage
