// SPDX-License-Identifier: Apache-2.0
// Where a reduced body rests: a minimum, over the coordinates that no held piece prescribes, of
//   Pi(Z) = V(Z) - sum_i (m_i g + f_i) . (x_i - X_i) + sum over grabs of k/2 |x - target|^2,   x = X + Phi Z
// by damped Newton steps (physics/damped_newton.hpp) in the coordinates of the space:
//   (M/h^2 + H) D = F,   F = -dPi/dZ = Phi^T f
// with M, H and A of equation.hpp, H by its sweeps in single precision; Pi and the forces f are in double
// and about exact rotations. Phi^T does not see what of f the space cannot follow, so that it need not
// vanish. What is left is reported as the forces on the nodes that do the same work in every motion of the space,
//   M Phi (Phi^T M Phi)^-1 F,   Phi of the columns that nothing prescribes,
// which are f itself where the space has every motion of the nodes.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/energy.hpp"
#include "pliant/methods/geometric/reduced/momentum.hpp"
#include "pliant/methods/geometric/reduced/newton.hpp"
#include "pliant/physics/damped_newton.hpp"

namespace pliant::geometric {
namespace {

constexpr double energy_noise = 1e-11;  // round-off of Pi, relative
// Forces that act count at least as those of this strain: a body that nothing strains has forces of rounding,
// about 1e-14, which need no balance.
constexpr double least_strain = 1e-6;

// As in full space (../statics.cpp).
constexpr double reduction = 0.03;
constexpr int most_gradients = 60;

/// |M Phi (Phi^T M Phi)^-1 F|, N, of the columns that nothing prescribes.
double force_in_space(const ReducedModel& model, const ReducedHolds& holds, const Coordinates& force) {
  const std::vector<Eigen::Index> unknown = holds.unknown_columns(model);
  const Eigen::LLT<Eigen::MatrixXd> mass(Eigen::MatrixXd(model.mass(unknown, unknown)));
  const Coordinates solved = mass.solve(Coordinates(force(unknown, Eigen::all)));
  Coordinates a = Coordinates::Zero(force.rows(), 3);
  a(unknown, Eigen::all) = solved;
  double sum = 0;
  for (Index i = 0; i < model.nodes(); ++i)
    sum += model.full.mass[i] * model.full.mass[i] * (model.basis.columns.row(i) * a).squaredNorm();
  return std::sqrt(sum);
}

}  // namespace

/// Pi over the coordinates, as damped_newton.hpp sees it.
class ReducedBody::StaticProblem {
 public:
  StaticProblem(ReducedBody& body, const StepInput& input, RelaxMemory& memory)
      : body_(body), input_(input), memory_(memory) {
    const Balance* last = std::any_cast<Balance>(&memory.last);
    here_ = last && last->z == body.state_.z ? *last : balance();
  }

  double potential() const { return here_.potential; }
  double unbalanced() const { return here_.unbalanced; }
  double residual() const {
    return here_.unbalanced / std::max(here_.acting, least_strain * body_.model_.unit_strain_force);
  }

  StaticDirection direction(double caution) {
    if (tried_) go_back();
    StaticDirection out{.trouble = solve(1 / caution)};
    out.slope = dot(here_.force, body_.scratch_.vectors.d);
    return out;
  }
  std::optional<double> try_step(double t) {
    body_.state_.z = here_.z + t * body_.scratch_.vectors.d;
    there_ = balance();
    tried_ = true;
    return there_.potential;
  }
  double noise() const { return energy_noise * (std::abs(here_.potential) + there_.elastic); }
  double trial_unbalanced() const { return there_.unbalanced; }

  /// The trial is the place from now on. Returns the root mean square displacement over the body's size.
  double accept() {
    const ReducedModel& model = body_.model_;
    const Coordinates way = there_.z - here_.z;
    std::swap(here_, there_);
    multiply(model.mass, way, body_.scratch_.product);
    return std::sqrt(dot(way, body_.scratch_.product) / model.total_mass) / model.size;
  }
  /// The rotations are those of the last trial: the sweeps want those of the start again.
  void go_back() {
    body_.state_.z = here_.z;
    here_ = balance();
    tried_ = false;
  }
  /// The next step begins where this one ended.
  void remember() { memory_.last = std::move(here_); }

 private:
  struct Balance {
    Coordinates z;
    double elastic = 0, potential = 0;  ///< V and Pi, J
    Coordinates force;                  ///< F, of all columns
    double unbalanced = 0, acting = 0;  ///< N
  };

  /// Pi and F at the state, whose rotations are exact afterwards.
  Balance balance() {
    const ReducedModel& model = body_.model_;
    ReducedState& state = body_.state_;
    body_.nodes_.drop();
    const Points& x = body_.nodes().x;
    state.set_rotations(rotations_at(model, state, x));
    const Rotations rotations = rotations_at(model, state, x);
    Balance out;
    out.z = state.z;
    out.elastic = energy(model, state, x, rotations);
    out.potential = out.elastic - input_.gravity.dot(total(model, state.z));
    Points f(x.size());
    geometric::elastic_forces(model, state, x, rotations, f);
    double reaction = 0;
    for (const Index i : input_.held) reaction += f[std::size_t(i)].squaredNorm();
    for (std::size_t i = 0; i < input_.forces.size(); ++i)
      out.potential -= input_.forces[i].dot(x[i] - model.full.rest[i]);
    for (const Grab& grab : input_.grabs) {
      const Vec3 pull = grab.target - x[std::size_t(grab.node)];
      out.potential += 0.5 * grab.stiffness * pull.squaredNorm();
      f[std::size_t(grab.node)] += grab.stiffness * pull;
    }
    Coordinates weight = model.sum * input_.gravity.transpose();
    if (!input_.forces.empty()) weight += pulled(model, input_.forces);
    out.force = pulled(model, f) + weight;
    out.unbalanced = force_in_space(model, body_.cache_.holds, out.force);
    out.acting = force_in_space(model, body_.cache_.holds, weight) + std::sqrt(reaction);
    return out;
  }

  /// D of (M + h^2 H) D = h^2 F, roughly: the next step has the true forces again. Returns the trouble.
  std::string solve(double h) {
    const FlushTinyNumbers in_here;
    const Scheme scheme(Integrator::euler, h, {.mass = 0, .stiffness = 0}, DampingFrame::corotated);
    StageWatch watch;
    StepReport report;
    const Context context{input_, scheme, *input_.pool, watch, report};
    ReducedEquation equation{body_.model_, body_.options_, body_.state_,
                             body_.cache_, body_.scratch_, context};
    std::string trouble = equation.set_matrix();
    if (!trouble.empty()) return trouble;
    ReducedVectors& v = body_.scratch_.vectors;
    v.g = -scheme.elastic * here_.force;
    const double rho = begin_gradients(equation, v), enough = reduction * reduction * rho;
    conjugate_gradients(equation, v, rho,
                        [&](double now) { return !(now > enough) || report.iterations == most_gradients; });
    v.d -= v.z;
    return {};
  }

  ReducedBody& body_;
  const StepInput& input_;
  RelaxMemory& memory_;
  Balance here_, there_;
  bool tried_ = false;
};

Relaxation ReducedBody::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  PLIANT_CHECK(input.pool != nullptr);
  Relaxation out;
  out.trouble = cache_.holds.take(model_, input);
  if (!out.trouble.empty()) return out;
  stand_still();
  StaticProblem problem(*this, input, memory);
  out = static_step(problem, DampedNewton{}, tolerance, memory.caution);
  problem.remember();
  return out;
}

void ReducedBody::stand_still() {
  cache_.holds.each_prescribed(model_,
                               [&](Index c, const auto& prescribed) { state_.z.row(c) = prescribed; });
  state_.v.setZero();
  state_.active = cache_.holds.active();
  state_.past = Past::unknown;
}

}  // namespace pliant::geometric
