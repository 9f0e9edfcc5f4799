// SPDX-License-Identifier: Apache-2.0
// Where a reduced body rests: a minimum, over the coordinates that no held piece tells, of
//   Pi(Z) = V(Z) - sum_i m_i g . (x_i - X_i) + sum over grabs of k/2 |x - target|^2,   x = X + Phi Z
// by Newton steps with a line search, those of sim/pose.cpp in the coordinates of the space:
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

namespace pliant::geometric {
namespace {

// As in sim/pose.cpp.
constexpr double shortest_h = 1e-4, longest_h = 100;  // s
constexpr int halvings = 6;                           // of the line search
constexpr double sufficient = 1e-4;                   // share of the expected decrease (Armijo)
constexpr double energy_noise = 1e-11;                // round-off of Pi, relative
// Forces that act count at least as those of this strain: a body that nothing strains has forces of rounding,
// about 1e-14, which need no balance.
constexpr double least_strain = 1e-6;

// As in static_direction.cpp.
constexpr double reduction = 0.03;
constexpr int most_iterations = 60;

double dot(const Coordinates& a, const Coordinates& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

Method::Relaxation ReducedBody::relax(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  Relaxation out;
  out.trouble = take_held(input);
  if (!out.trouble.empty()) return out;
  stand_still();
  const Coordinates from = state_.z;
  Balance before = balance(input), after = before;
  bool found = before.unbalanced == 0;
  while (!found && static_h_ >= shortest_h) {
    out.trouble = static_direction(input, before.force);
    if (!out.trouble.empty()) return out;
    found = descend(input, from, before, after);
    if (!found) static_h_ /= 8;
  }
  if (!found) {
    out.stuck = true;
    static_h_ = first_static_h;
    state_.z = from;
    after = balance(input);
  }
  const Coordinates way = state_.z - from;
  weigh(way);
  out.change = std::sqrt(dot(way, heavy_) / reduced_.total_mass) / size_;
  out.force = after.unbalanced;
  out.residual = out.force / std::max(after.acting, least_strain * unit_strain_force_);
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
std::string ReducedBody::static_direction(const StepInput& input, const Coordinates& force) {
  const FlushTinyNumbers in_here;
  Pool& pool = *input.pool;
  Scheme s{{Integrator::euler, static_h_, {.mass = 0, .stiffness = 0}}};
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

/// Halves d_ until Pi falls as it should, or does not rise while the forces do. False: nowhere.
bool ReducedBody::descend(const StepInput& input, const Coordinates& from, const Balance& before,
                          Balance& after) {
  const double slope = dot(before.force, d_);
  double t = 1;
  for (int k = 0; slope > 0 && k <= halvings; ++k, t /= 2) {
    state_.z = from + t * d_;
    after = balance(input);
    const double noise = energy_noise * (std::abs(before.potential) + after.elastic);
    const bool lower = after.potential <= before.potential - sufficient * t * slope;
    const bool calmer = after.unbalanced < before.unbalanced && after.potential <= before.potential + noise;
    if (!lower && !calmer) continue;
    if (k == 0) static_h_ = std::min(4 * static_h_, longest_h);
    if (k >= 3) static_h_ /= 4;
    return true;
  }
  // The rotations are those of the last try: the sweeps want those of the start again.
  state_.z = from;
  balance(input);
  return false;
}

}  // namespace pliant::geometric
