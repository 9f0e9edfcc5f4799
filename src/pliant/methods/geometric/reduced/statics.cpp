// SPDX-License-Identifier: Apache-2.0
// Where a reduced body rests: a minimum, over the coordinates that no held piece tells, of
//   Pi(Z) = V(Z) - sum_i m_i g . (x_i - X_i) + sum over grabs of k/2 |x - target|^2,   x = X + Phi Z
// by damped Newton steps (physics/damped_newton.hpp) in the coordinates of the space:
//   (M/h^2 + H) D = F,   F = -dPi/dZ = Phi^T f
// with M, H and A of step.cpp, H by its sweeps in single precision; Pi and the forces f are in double
// and about exact rotations. Phi^T does not see what of f the space cannot follow, so that it need not
// vanish. What is left is told as the forces on the nodes that do the same work in every motion of the space,
//   M Phi (Phi^T M Phi)^-1 F,   Phi of the columns that nothing tells,
// which are f itself where the space has every motion of the nodes.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/physics/damped_newton.hpp"

namespace pliant::geometric {
namespace {

constexpr double energy_noise = 1e-11;  // round-off of Pi, relative
// Forces that act count at least as those of this strain: a body that nothing strains has forces of rounding,
// about 1e-14, which need no balance.
constexpr double least_strain = 1e-6;

// As in static_direction.cpp.
constexpr double reduction = 0.03;
constexpr int most_iterations = 60;

double dot(const Coordinates& a, const Coordinates& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

/// Pi over the coordinates, as damped_newton.hpp sees it.
class ReducedBody::StaticProblem {
 public:
  StaticProblem(ReducedBody& body, const StepInput& input)
      : body_(body), input_(input), from_(body.state_.z), here_(body.balance(input)) {}

  const Balance& here() const { return here_; }
  double potential() const { return here_.potential; }
  double unbalanced() const { return here_.unbalanced; }

  StaticDirection direction(double caution) {
    if (tried_) go_back();
    StaticDirection out{.trouble = body_.static_direction(input_, 1 / caution, here_.force)};
    out.slope = dot(here_.force, body_.d_);
    return out;
  }
  std::optional<double> try_step(double t) {
    body_.state_.z = from_ + t * body_.d_;
    there_ = body_.balance(input_);
    tried_ = true;
    return there_.potential;
  }
  double noise() const { return energy_noise * (std::abs(here_.potential) + there_.elastic); }
  double trial_unbalanced() const { return there_.unbalanced; }

  /// The trial is the place from now on. Returns the displacement of the coordinates.
  Coordinates accept() {
    here_ = there_;
    return body_.state_.z - from_;
  }
  /// The rotations are those of the last trial: the sweeps want those of the start again.
  void go_back() {
    body_.state_.z = from_;
    here_ = body_.balance(input_);
    tried_ = false;
  }

 private:
  ReducedBody& body_;
  const StepInput& input_;
  Coordinates from_;
  Balance here_, there_;
  bool tried_ = false;
};

Relaxation ReducedBody::relax(const StepInput& input, double tolerance, RelaxMemory& memory) {
  PLIANT_CHECK(input.pool != nullptr);
  Relaxation out;
  out.trouble = take_held(input);
  if (!out.trouble.empty()) return out;
  stand_still();
  StaticProblem problem(*this, input);
  const auto tell = [&] {
    out.force = problem.here().unbalanced;
    out.residual = out.force / std::max(problem.here().acting, least_strain * unit_strain_force_);
  };
  tell();
  if (out.residual <= tolerance) return out;
  out.steps = 1;
  switch (DampedNewton{}.step(problem, memory.caution, out.trouble)) {
    case DampedNewton::Outcome::moved: {
      const Coordinates way = problem.accept();
      weigh(way);
      out.change = std::sqrt(dot(way, heavy_) / reduced_.total_mass) / size_;
      break;
    }
    case DampedNewton::Outcome::stuck:
      out.stuck = true;
      problem.go_back();
      break;
    case DampedNewton::Outcome::trouble:
      return out;
  }
  tell();
  return out;
}

/// The pieces that are held are where they are told to be, and nothing moves.
void ReducedBody::stand_still() {
  for (std::size_t p = 0; p < new_active_.size(); ++p) {
    const Basis::Piece& piece = basis_.pieces[p];
    for (Index c = piece.first; new_active_[p] && c < piece.first + piece.count; ++c)
      state_.z.row(c) = told_.row(c);
  }
  state_.v.setZero();
  state_.active = new_active_;
  state_.has_before = false;
}

/// Pi and F at the state, whose rotations are exact afterwards.
ReducedBody::Balance ReducedBody::balance(const StepInput& input) {
  shown_ = false;
  const Points& x = nodes().x;
  set_rotations(rotations_now(x));
  Balance out;
  out.elastic = elastic_energy();
  out.potential = out.elastic - input.gravity.dot(total(state_.z));
  Points f(x.size());
  row_forces(f);
  double reaction = 0;
  for (const Index i : input.held) reaction += f[std::size_t(i)].squaredNorm();
  for (const Grab& grab : input.grabs) {
    const Vec3 pull = grab.target - x[std::size_t(grab.node)];
    out.potential += 0.5 * grab.stiffness * pull.squaredNorm();
    f[std::size_t(grab.node)] += grab.stiffness * pull;
  }
  const Coordinates weight = reduced_.sum * input.gravity.transpose();
  out.force = pulled(f) + weight;
  out.unbalanced = force_in_space(out.force);
  out.acting = force_in_space(weight) + std::sqrt(reaction);
  return out;
}

/// |M Phi (Phi^T M Phi)^-1 F|, N, of the columns that nothing tells.
double ReducedBody::force_in_space(const Coordinates& force) const {
  const std::vector<Eigen::Index> unknown = unknown_columns();
  const Eigen::LLT<Eigen::MatrixXd> mass(Eigen::MatrixXd(reduced_.mass(unknown, unknown)));
  const Coordinates solved = mass.solve(Coordinates(force(unknown, Eigen::all)));
  Coordinates a = Coordinates::Zero(force.rows(), 3);
  a(unknown, Eigen::all) = solved;
  double sum = 0;
  for (Index i = 0; i < model_.nodes(); ++i)
    sum += model_.mass[i] * model_.mass[i] * (basis_.columns.row(i) * a).squaredNorm();
  return std::sqrt(sum);
}

/// d_ of (M + h^2 H) d_ = h^2 F, roughly: the next step has the true forces again.
std::string ReducedBody::static_direction(const StepInput& input, double h, const Coordinates& force) {
  const FlushTinyNumbers in_here;
  Pool& pool = *input.pool;
  Scheme s{{Integrator::euler, h, {.mass = 0, .stiffness = 0}}};
  s.turning = s.stiffness;
  set_springs(input, s);
  StepReport report;
  if (!prepare_matrix(s, report)) return report.trouble;
  StageWatch watch;
  d_.setZero();
  g_ = -s.elastic * force;
  solve(watch);
  double rho = dot(g_, solved_);
  const double enough = reduction * reduction * rho;
  p_ = -solved_;
  for (int k = 0; k < most_iterations && rho > enough; ++k) {
    hessian(s, pool, watch);
    const double curvature = dot(p_, q_);
    if (!(curvature > 0)) break;
    d_ += rho / curvature * p_;
    g_ += rho / curvature * q_;
    solve(watch);
    const double before = rho;
    rho = dot(g_, solved_);
    p_ = rho / before * p_ - solved_;
  }
  d_ -= solved_;
  return {};
}

}  // namespace pliant::geometric
