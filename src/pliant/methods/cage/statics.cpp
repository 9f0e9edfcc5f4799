// SPDX-License-Identifier: Apache-2.0
// Where the body rests: damped Newton steps (physics/damped_newton.hpp) in double precision with normals that
// follow, of
//   min over x of  E(Z(x)) + holds - weight - outer forces
// The caution is Levenberg's: times the mean diagonal of the matrix, added to the diagonal. Frozen normals do
// not converge here from bends of a quarter turn on.
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/cage/momentum.hpp"
#include "pliant/methods/cage/open_faces.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/damped_newton.hpp"

namespace pliant::cage {
namespace {

constexpr DampedNewton levenberg{
    .first = 1e-6, .least = 1e-9, .most = 1e3, .after_failure = 10, .halvings = 12};
constexpr double energy_noise = 1e-11;  // round-off of the energy, relative
// A body that nothing strains (one handle carries it along) has no forces to compare with: what is left is
// then measured by this share of E size^2. From 1e-5 to 1e-8 places and energies of drags by 1 m and by 10 um
// are the same; below 1e-6 the small ones go on for dozens of steps over forces of rounding.
constexpr double least_acting = 1e-6;

/// The energy over the vertices of the cage, as damped_newton.hpp sees it. Forces are along the axes of the
/// look.
class StaticProblem {
 public:
  StaticProblem(const StepInput& input, const Model& model, const Options& options, State& state,
                Cache& cache, Scratch& scratch)
      : input_(input), model_(model), options_(options), state_(state), cache_(cache), s_(scratch) {
    if (options_.precision == Precision::twice)
      look_ = state_.twice;
    else
      copy_rotations(state_.single, look_);
    if (!input_.forces.empty()) {
      told_ = Columns::Zero(3, model_.rows());
      add_node_forces(model_, input_, Mat3::Identity(), told_);
    }
    equation_.look_at(state_.x, look_, *input_.pool);
    potential_ = total(state_.x);
    here_ = find_forces(state_.x);
    force_ = s_.solved;
  }

  double potential() const { return potential_; }
  double unbalanced() const { return here_.unbalanced; }
  double residual() const { return here_.unbalanced / here_.acting; }

  StaticDirection direction(double caution) {
    if (!linear_) linearise();
    const Index n = model_.n();
    while (!factor_with(caution)) {
      if (definite_) return {.trouble = {}, .definite = false};
      s_.z = s_.start_z;
      set_constant_part(true);
    }
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) w_.right[std::size_t(k * n + i)] = force_(k, i);
    std::fill(w_.right.begin() + 3 * n, w_.right.end(), 0.0);  // the padding takes part
    solve(3 * int(n), w_.system.data(), w_.right.data());
    StaticDirection out;
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        s_.shift(k, i) = w_.right[std::size_t(k * n + i)];
        out.slope += s_.shift(k, i) * force_(k, i);
      }
    return out;
  }

  std::optional<double> try_step(double t) {
    s_.new_x = state_.x + t * (axes_ * s_.shift);
    if (folds(model_, state_.x, s_.new_x)) return std::nullopt;
    equation_.look_at(s_.new_x, look_, *input_.pool);
    return total(s_.new_x);
  }
  double noise() const { return energy_noise * std::abs(potential_) + holds_.noise(); }
  double trial_unbalanced() { return find_forces(s_.new_x).unbalanced; }

  /// The trial is the state from now on. Returns the root mean square displacement over the body's size.
  double accept() {
    const double change = std::sqrt((s_.new_x - state_.x).squaredNorm() / double(model_.n())) / model_.size;
    state_.x = s_.new_x;
    state_.forget_contacts();
    equation_.look_at(state_.x, look_, *input_.pool);
    here_ = find_forces(state_.x);
    if (options_.precision == Precision::twice) {
      state_.twice = look_;
    } else {
      copy_rotations(look_, state_.single);
      Equation<float>(model_, cache_, s_).look_at(state_.x, state_.single, *input_.pool);
    }
    state_.velocity.setZero();
    state_.past = Past::unknown;
    state_.whole = whole_of(model_, state_.x, state_.velocity, s_.new_z);
    cache_.shown = false;
    return change;
  }
  /// Trials change nothing of the state.
  void go_back() {}

 private:
  struct Forces {
    double unbalanced = 0, acting = 0;  ///< norms over the vertices, N
  };

  /// What of the matrix does not depend on the caution. Once, before the first direction.
  void linearise() {
    equation_.find_gram(look_, true, *input_.pool);
    set_constant_part(false);
    s_.start_z = s_.z;
    const int n3 = 3 * int(model_.n());
    for (int j = 0; j < n3; ++j) diagonal_ += w_.gram[std::size_t(j) * std::size_t(n3 + 1)] / n3;
    axes_ = look_.axes.toRotationMatrix();
    linear_ = true;
  }

  /// The energy at x, where the look is.
  double total(const Columns& x) {
    Columns& z = s_.world_z;
    z.leftCols(model_.n()) = x.colwise() - start_centre_;
    scaled_normals(model_.faces, x, z.rightCols(model_.t()));
    double sum =
        look_.energy + opening_energy(model_, x, nullptr) - input_.gravity.dot(Vec3(z * model_.mass_sum));
    if (!input_.forces.empty()) sum -= told_.cwiseProduct(z).sum();
    if (!holds_.empty()) sum += holds_.energy(z, start_centre_);
    return sum;
  }

  /// The unbalanced force on the vertices in Scratch::solved, where the look is; its norm, and how large the
  /// forces are that act.
  Forces find_forces(const Columns& x) {
    equation_.find_jacobians();
    equation_.force_on_z(input_, look_, mean_of(x), s_.force);
    equation_.pull_back(s_.force, s_.solved);
    opening_energy(model_, s_.z.leftCols(model_.n()), &s_.solved);
    // Elastic forces alone: what holds and weight are balanced by.
    Columns& elastic = s_.rate;
    for (Index r = 0; r < model_.rows(); ++r) {
      const double* f = w_.force.data() + 3 * r;
      elastic.col(r) = Vec3(f[0], f[1], f[2]);
    }
    equation_.pull_back(elastic, s_.local);
    const double acting = std::max(s_.local.norm() + (s_.solved - s_.local).norm(),
                                   least_acting * options_.stiffness * model_.size * model_.size);
    return {s_.solved.norm(), acting};
  }

  /// Holds and the curvature of the faces; `definite` leaves out what may be indefinite.
  void set_constant_part(bool definite) {
    definite_ = definite;
    const int n3 = 3 * int(model_.n());
    if (!holds_.empty())
      equation_.pull_back_scalar(holds_.stiffness());
    else
      s_.pulled.setZero(n3, n3);
    equation_.add_curvature(s_.force, definite);
  }

  bool factor_with(double caution) {
    const int n3 = 3 * int(model_.n());
    for (int j = 0; j < n3; ++j)
      for (int i = j; i < n3; ++i) {
        const std::size_t at = std::size_t(j) * std::size_t(n3) + std::size_t(i);
        w_.system[in_panels(i, j, padded(n3))] =
            w_.gram[at] + s_.pulled(i, j) + (i == j ? caution * diagonal_ : 0);
      }
    return factor(n3, w_.system.data());
  }

  const StepInput& input_;
  const Model& model_;
  const Options& options_;
  State& state_;
  Cache& cache_;
  Scratch& s_;
  Equation<double> equation_{model_, cache_, s_};
  Work<double>& w_ = s_.twice;
  Look<double>& look_ = w_.trial;
  const Holds& holds_ = cache_.holds;
  const Vec3 start_centre_ = state_.whole.centre;
  Columns told_;   // forces of the input on Z, world
  Columns force_;  // unbalanced, at the start
  Mat3 axes_ = Mat3::Identity();
  Forces here_;  // at the start, or where a step ended
  double potential_ = 0, diagonal_ = 0;
  bool linear_ = false, definite_ = false;
};

}  // namespace

Relaxation Body::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  PLIANT_CHECK(input.pool);
  const FlushTinyNumbers in_here;
  Relaxation out;
  out.trouble = trouble_of(input, Index(model_.nodes.size()), Index(model_.nodes.size()) + model_.n());
  if (!out.trouble.empty()) return out;
  cache_.holds.set(model_, input, model_.hold_stiffness);
  if (scratch_.twice.dz.empty()) {
    scratch_.make<double>(model_, options_.normals == Normals::consistent);
    cache_.twice.set_plastic(model_, state_.plastic);
  }
  StaticProblem problem(input, model_, options_, state_, cache_, scratch_);
  out = static_step(problem, levenberg, tolerance, memory.caution);
  if (out.steps == 0) state_.velocity.setZero();
  state_.past = Past::unknown;
  return out;
}

}  // namespace pliant::cage
