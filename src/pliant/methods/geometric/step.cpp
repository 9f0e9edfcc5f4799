// SPDX-License-Identifier: Apache-2.0
// One time step. With h', x^, v^ of the integrator (physics/implicit_scheme.hpp), predicted positions X0 = x^
// + h' v^ and outer forces f, the new positions X0 + D solve G = 0,
//   G(D) = (1 + h' alpha) M D + h'^2 (alpha M v^ - f + g(X0 + D) + beta c),   v = v^ + D/h'
// Symbols: M masses, kg; g = dV/dx, N (energy.hpp); alpha 1/s, beta s: Rayleigh damping [Huang06, Sec. 3.1].
//
// newton (default): one Newton step D by conjugate gradients on the model Hessian H (energy.hpp),
//   preconditioned by the constant A = (1 + h' alpha) M + (h'^2 + h' beta) K, 0 < H <= A. It stops by the
//   reduction of the residual (newton_stop.hpp). Slender bodies, of which A knows too little, take a factor
//   of H itself (factored_hessian.hpp). A step that turns a node's surroundings by more than 0.3 rad
//   is beyond the model: it is discarded and done again by Anderson-accelerated local/global iterations.
// local-global: D <- D - A^-1 G(D), `iterations` times; once, with Euler, is the paper's scheme
//   [Huang06, Eq. 1, 2].
//
// Where this is not the paper: (1) inner damping: the paper's c = K v also brakes rigid rotation, because
// only translations are in the null space of K. Here c = K v - S^T Lambda (dR/dt) d with the rotation rates
// dR/dt = R [w]x of the stars, w = J axial(R^T dA(v)): the model Hessian applied to v. It is zero for a
// rotating body at rest shape and takes energy in every state. (2) angular momentum (momentum.hpp). (3) a
// loosely solved step still gives the body the exact linear momentum.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstring>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/momentum.hpp"

namespace pliant::geometric {
namespace {

// Local/global contracts slower the stiffer the body is for the step: with h'^2 K_ii/(12 m) above this more
// iterations are needed to come back from a scramble.
constexpr double stiff_step = 150;

void clear(Floats& array) { std::memset(array.data(), 0, sizeof(float) * array.size()); }

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (!report.ok()) return report;
  if (!kept_.empty() && !input.colliders.empty()) {
    report.trouble = "keep_volume and colliders do not go together: the contacts would change the volume";
    return report;
  }
  const Scheme now = scheme(input.h);
  if (!prepare_system(input, now, report)) return report;
  quaternions_before_ = sweeps_.quaternions();

  predict(input, now);
  report.trouble = set_springs(input, now);
  if (!report.ok()) return report;
  if (options_.step_solver == StepSolver::newton)
    newton(input, now, report, watch);
  else
    local_global(input, now, report, watch);

  if (!std::isfinite(sweeps_.dot(d_.data(), d_.data(), *input.pool))) {
    sweeps_.quaternions() = quaternions_before_;
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
    return report;
  }
  settle(input, now);
  watch.add_to(&StageTimes::rhs);
  if (!contacts_.empty()) last_answer(input, now, report);
  moved_ = false;
  if (!input.colliders.empty() && !contacts_.empty()) position_pass(input, report);
  watch.add_to(&StageTimes::contact);
  if (!contacts_.empty() && !finite_end()) {
    sweeps_.quaternions() = quaternions_before_;
    report.trouble = "contact has no finite answer: the collider moves the body beyond what numbers can hold";
    return report;
  }
  accept(input, now);
  // What turns far in a step and meets something is beyond a line through two instants: with that history
  // small parts that tumble were fed energy for ever.
  if (report.violent && !contacts_.empty()) state_.has_before = false;
  report.active_rotations = sweeps_.active();
  if (options_.plasticity) flow(input, report);
  watch.add_to(&StageTimes::rotation);
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

// ---- what is asked ----

Body::Scheme Body::scheme(double h) const {
  Scheme s{{options_.integrator, h, damping_}};
  s.turning = options_.damping_frame == DampingFrame::corotated ? s.stiffness : s.elastic;
  return s;
}

bool Body::prepare_system(const StepInput& input, const Scheme& s, StepReport& report) {
  std::fill(new_held_.begin(), new_held_.end(), 0);
  for (Index i : input.held) new_held_[i] = 1;
  const bool new_pattern = !factored_ || new_held_ != arranged_held_;
  const LinearSystem::Coefficients wanted{s.mass, s.stiffness};
  if (!new_pattern && wanted == coefficients_) return true;
  const auto start = Clock::now();
  const bool first = !factored_;
  if (new_held_ != arranged_held_) rearrange();
  report.refactored = true;
  report.trouble = system_.factor(model_, stiffness_, arrangement_, wanted, new_pattern);
  factored_ = report.ok();
  response_.flush();
  coefficients_ = wanted;
  if (report.ok()) choose_hessian(new_pattern, s, *input.pool);
  for (Index k = 0; k < model_.nodes(); ++k) diagonal_[k] = float(s.mass * model_.mass[arrangement_.node[k]]);
  if (first) setup_ms_ += milliseconds_since(start);
  return report.ok();
}

/// Whether H is factored in every step from now on.
void Body::choose_hessian(bool new_pattern, const Scheme& s, Pool& pool) {
  if (new_pattern) hessian_arranged_ = false;
  const bool can = options_.step_solver == StepSolver::newton && system_.direct() && !model_.has_volume() &&
                   !soft_rows() && model_.covariance == Covariance::consistent && kept_.empty();
  const FactoredHessian::Coefficients c = hessian_coefficients(s);
  factors_hessian_ = can && FactoredHessian::may_pay(model_, c, system_.factor_work(), arrangement_.free);
  if (factors_hessian_) {
    if (!hessian_arranged_) hessian_factor_.arrange(model_, arrangement_);
    hessian_arranged_ = true;
    factors_hessian_ = hessian_factor_.pays(model_, arrangement_, stiffness_, c, pool);
  }
  const std::size_t exact = factors_hessian_ ? model_.rest.size() : 0;
  for (Points* points : {&exact_x_, &exact_v_, &exact_g_}) points->resize(exact);
  exact_turns_.resize(exact);
  if (factors_hessian_) return;
  hessian_factor_ = {};
  hessian_arranged_ = false;
}

FactoredHessian::Coefficients Body::hessian_coefficients(const Scheme& s) {
  return {s.mass, s.stiffness, s.turning};
}

/// Laplacian rows of a surface are stiff where they resist and soft where they only turn.
bool Body::soft_rows() const {
  return model_.has_laplacian() && operator_of(options_) != Operator::volumetric;
}

bool Body::history_applies(const StepInput& input) const {
  return state_.has_before && state_.h == input.h && state_.held == new_held_;
}

EndArrays Body::end_arrays(const Scheme& s) const {
  return {arrangement_.node.data(), hat_x_[0].data(), hat_v_[0].data(), model_.mass.data(), s.h};
}

/// x^, v^, X0 with held nodes at their targets, and the part of G that does not depend on D.
void Body::predict(const StepInput& input, const Scheme& s) {
  const NodeState& now = state_.nodes;
  const Extrapolation by(options_.integrator, input.h, history_applies(input));
  for_blocks(*input.pool, 3 * model_.nodes(), 3 * 1024, [&](int begin, int end) {
    step_kernels().extrapolate(now.x[0].data(), now.v[0].data(), state_.x_before[0].data(),
                               state_.v_before[0].data(), by.history, by.line, hat_x_[0].data(),
                               hat_v_[0].data(), begin, end);
  });
  load_prediction(input, s);
}

/// X0 and the load at x^, v^.
void Body::load_prediction(const StepInput& input, const Scheme& s) {
  const EndArrays ends = end_arrays(s);
  for_blocks(*input.pool, model_.nodes(), 1024, [&](int begin, int end) {
    step_kernels().predict(ends, s.elastic, s.drag, input.gravity.data(), start_.data(), base_.data(), begin,
                           end);
  });
  for (std::size_t i = 0; i < input.forces.size(); ++i)
    for (int c = 0; c < 3; ++c)
      base_[4 * std::size_t(arrangement_.place[i]) + c] -= float(s.elastic * input.forces[i][c]);
  for (std::size_t n = 0; n < input.held.size(); ++n)
    for (int c = 0; c < 3; ++c)
      start_[4 * std::size_t(arrangement_.place[input.held[n]]) + c] = input.targets[n][c];
}

/// Two grabs of one node are one spring: stiffnesses add, the target is their weighted mean.
std::string Body::set_springs(const StepInput& input, const Scheme& s) {
  pull_count_ = 0;
  for (const Grab& grab : input.grabs) {
    const Index place = arrangement_.place[grab.node];
    const double stiffness = s.elastic * grab.stiffness;
    if (place >= arrangement_.free || !(stiffness > 0)) continue;
    const auto end = pulls_.begin() + pull_count_;
    const auto same =
        std::find_if(pulls_.begin(), end, [&](const Pull& p) { return p.spring.place == place; });
    if (same == end) {
      pulls_[pull_count_++] = {{place, stiffness}, grab.target};
    } else {
      same->spring.stiffness += stiffness;
      same->target += stiffness / same->spring.stiffness * (grab.target - same->target);
    }
  }
  std::array<LinearSystem::Spring, max_grabs> springs;
  for (int k = 0; k < pull_count_; ++k) springs[k] = pulls_[k].spring;
  bool changed = false;
  const std::string trouble =
      system_.set_springs({springs.data(), std::size_t(pull_count_)}, *input.pool, changed);
  if (changed) response_.flush();
  return trouble;
}

// ---- the equation ----

/// X0 + u; u null means 0.
const double* Body::trial_at(const float* u) {
  if (!u) return start_.data();
  for (std::size_t k = 0; k < 4 * std::size_t(arrangement_.free); ++k) trial_[k] = start_[k] + u[k];
  std::copy(start_.begin() + 4 * arrangement_.free, start_.end(), trial_.begin() + 4 * arrangement_.free);
  return trial_.data();
}

/// g_ = G(u); u null means 0.
void Body::residual(const float* u, bool renew_rotations, const Scheme& s, Pool& pool, StageWatch& watch) {
  const double* x = trial_at(u);
  watch.add_to(&StageTimes::rhs);
  sweeps_.gradient(
      x, float(s.elastic), renew_rotations,
      {.base = base_.data(), .diagonal = u ? diagonal_.data() : nullptr, .u = u, .out = g_.data()}, pool);
  watch.add_to(&StageTimes::rotation);
  if (s.inner_drag > 0) add_inner_drag(u, s, pool);
  add_pulls(x);
}

/// The same with rotations and forces in double precision. In single the forces of a stiff body's edges,
/// which cancel, leave 1e-7 of h'^2 K d at every node: A^-1 makes little of it, H^-1 a bending that fed
/// stiff strips (1e11 Pa at 1/60 s) thousands of times their energy. Elastic forces and inner drag are one
/// sum: g(x) + beta c(v) = S^T Lambda (S (x + beta v) - (R + beta dR/dt) d).
void Body::exact_residual(const float* u, const Scheme& s, Pool& pool, StageWatch& watch) {
  const double *x = trial_at(u), beta = s.inner_drag;
  const RestVectors d = state_.rest_vectors;
  watch.add_to(&StageTimes::rhs);
  sweeps_.rotate(x, pool);
  for (Index i = 0; i < model_.nodes(); ++i) {
    exact_x_[i] = Eigen::Map<const Vec3>(x + 4 * std::size_t(arrangement_.place[i]));
    exact_v_[i] = (exact_x_[i] - hat_x_[i]) / s.h;
  }
  const bool corotated = beta > 0 && options_.damping_frame == DampingFrame::corotated;
  for_blocks(pool, model_.nodes(), 128, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Mat3 slew = d.empty() ? model_.stars[i].slew : star_of(model_, i, d).slew;
      const Mat3 r = exact_rotation(i, slew);
      exact_turns_[i] = r;
      if (corotated)
        exact_turns_[i] += beta * turned(r, star_turn(slew, r, covariance(model_, exact_v_, i, d)));
    }
  });
  watch.add_to(&StageTimes::rotation);
  if (beta > 0)
    for (std::size_t i = 0; i < exact_x_.size(); ++i) exact_x_[i] += beta * exact_v_[i];
  row_forces(model_, exact_x_, exact_turns_, exact_g_, d);
  for (Index k = 0; k < arrangement_.free; ++k)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      g_[at] =
          float(base_[at] + double(diagonal_[k]) * u[at] + s.elastic * exact_g_[arrangement_.node[k]][c]);
    }
  add_pulls(x);
}

/// R(exact_x_) from that of the sweeps, which is off by the rounding of its numbers or, where the body turns
/// fast, by a little more; rotations that are not computed afresh stay what they are. A turn by the star at
/// rest leaves its strain's share of what was off, if a stretched star is as stiff as it is stretched; a
/// small turn is added without its square.
Mat3 Body::exact_rotation(Index node, const Mat3& slew) const {
  const Index place = arrangement_.place[node];
  float q[4];
  sweeps_.quaternion(place, q);
  Eigen::Quaterniond turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  if (!sweeps_.is_active(place)) return turn.toRotationMatrix();
  const Mat3 a = covariance(model_, exact_x_, node, state_.rest_vectors);
  const Adjacency& adj = model_.adjacency;
  double rest = 0;  // the trace of the star's A at rest
  for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k)
    rest += model_.edge_weight[adj.edge[k]] * model_.rest_vector(node, k, state_.rest_vectors).squaredNorm();
  constexpr double small = 1e-6;
  for (int again = 0; again < 2; ++again) {
    const Mat3 r = turn.toRotationMatrix();
    const double now = (r.transpose() * a).trace();
    const Vec3 w = (now > rest ? rest / now : 1) * star_turn(slew, r, a);
    if (w.squaredNorm() < small * small) return r + turned(r, w);
    turn = (turn * Eigen::Quaterniond(1, w.x() / 2, w.y() / 2, w.z() / 2)).normalized();
  }
  return turn.toRotationMatrix();
}

void Body::add_pulls(const double* x) {
  for (int k = 0; k < pull_count_; ++k) {
    const auto& [spring, target] = pulls_[k];
    for (int c = 0; c < 3; ++c)
      g_[4 * std::size_t(spring.place) + c] +=
          float(spring.stiffness * (x[4 * std::size_t(spring.place) + c] - target[c]));
  }
}

/// g_ += h'^2 beta c at the velocities v^ + u/h'. What a part moves as a whole brakes nothing and is left
/// out: the rounding of 2 m/s in a crumb of step stiffness 1e6 pushed its nodes by a hundredth of that.
void Body::add_inner_drag(const float* u, const Scheme& s, Pool& pool) {
  const double inverse = 1 / s.h;
  for_blocks(pool, model_.nodes(), 1024, [&](int begin, int end) {
    Index part = -1;
    Vec3 part_v = Vec3::Zero(), part_u = Vec3::Zero();  // of its first node
    for (Index k = begin; k < end; ++k) {
      const Index i = arrangement_.node[k];
      if (model_.part_of[i] != part) {
        part = model_.part_of[i];
        const Index first = model_.parts[part][0], there = arrangement_.place[first];
        part_v = hat_v_[first];
        for (int c = 0; c < 3; ++c)
          part_u[c] = u && there < arrangement_.free ? u[4 * std::size_t(there) + c] : 0;
      }
      for (int c = 0; c < 3; ++c) {
        const std::size_t at = 4 * std::size_t(k) + c;
        const double predicted = hat_x_[i][c] + s.h * hat_v_[i][c];
        const double d = k < arrangement_.free ? (u ? u[at] : 0) : start_[at] - predicted;
        velocity_[at] = float(hat_v_[i][c] - part_v[c] + inverse * (d - part_u[c]));
      }
    }
  });
  const float scale = float(s.elastic * s.inner_drag);
  const bool corotated = options_.damping_frame == DampingFrame::corotated;
  sweeps_.product(velocity_.data(), scale, corotated ? scale : 0, {.base = g_.data(), .out = g_.data()},
                  pool);
}

/// out = H p; returns p . H p.
double Body::hessian(const float* p, float* out, const Scheme& s, Pool& pool, StageWatch& watch) {
  double product = sweeps_.product(p, float(s.stiffness), float(s.turning),
                                   {.diagonal = diagonal_.data(), .u = p, .out = out}, pool);
  for (int k = 0; k < pull_count_; ++k) {
    const LinearSystem::Spring& spring = pulls_[k].spring;
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(spring.place) + c;
      out[at] += float(spring.stiffness * p[at]);
      product += spring.stiffness * double(p[at]) * p[at];
    }
  }
  watch.add_to(&StageTimes::rhs);
  return product;
}

/// Returns b . z where the solve tells it.
std::optional<double> Body::solve(const float* b, float* z, Pool& pool, StageWatch& watch) {
  watch.add_to(&StageTimes::rhs);
  const std::optional<double> dot = system_.solve(b, z, pool);
  watch.add_to(&StageTimes::solve);
  return dot;
}

/// z = A^-1 g without what changes a kept volume, which leaves g, too. Returns g . z.
double Body::kept_solve(float* g, float* z, Pool& pool, StageWatch& watch) {
  std::optional<double> dot = solve(g, z, pool, watch);
  if (!kept_.empty()) {
    kept_.project(g, z, arrangement_);
    dot.reset();
  }
  return dot ? *dot : sweeps_.dot(g, z, pool);
}

// ---- its solution ----

void Body::newton(const StepInput& input, const Scheme& s, StepReport& report, StageWatch& watch) {
  Pool& pool = *input.pool;
  clear(d_);
  if (!kept_.empty()) stiffen_stretched_stars(pool);
  residual(nullptr, kept_.empty(), s, pool, watch);
  sweeps_.clear_turns();
  if (!kept_.empty()) start_at_volume(s, pool, watch);
  double rho = kept_solve(g_.data(), z_.data(), pool, watch);
  if (meet(input, s, report, watch)) return contact_newton(input, s, report, watch);
  if (jumped_) rho = sweeps_.dot(g_.data(), z_.data(), pool);
  if (factors_hessian_)
    report.violent = !factored_newton(s, pool, report, watch);
  else
    gradient_newton(rho, s, pool, report, watch);
  if (!report.violent) return;
  report.factored_hessian = false;
  report.breakdowns = 0;
  anderson(input, s, report, watch);
}

void Body::gradient_newton(double rho, const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch) {
  const auto too_far = [&] { return sweeps_.largest_turn() > violent_turn; };
  bool solved = conjugate_gradients(rho, few_gradients, s, pool, report, watch);
  if (!solved && !too_far() && system_.direct() && !soft_rows() && !options_.adaptive && kept_.empty())
    solved = long_gradients(s, pool, report, watch);
  report.violent = too_far();
  if (!soft_rows()) report.breakdowns = !solved;
}

/// From G in g_, z_ = A^-1 G and rho = g . z. False: after the most iterations much is left.
bool Body::conjugate_gradients(double rho, int most, const Scheme& s, Pool& pool, StepReport& report,
                               StageWatch& watch) {
  float *g = g_.data(), *z = z_.data(), *p = p_.data(), *q = q_.data(), *d = d_.data();
  const double reduction = options_.tolerance * options_.tolerance;
  NewtonStop stop(options_.tolerance, rho);
  double descent = 0;  // of the model's energy, twice
  const bool soft = soft_rows();
  sweeps_.redirect(0, p, z, pool);
  double a = 0;  // how far along p, not yet in D
  bool solved = true;
  for (int k = 1; rho > 0; ++k) {
    const double curvature = hessian(p, q, s, pool, watch);
    if (!(curvature > 0)) break;
    a = rho / curvature;
    sweeps_.add(a, q, g, pool);
    sweeps_.add_turn(a);
    const double before = rho;
    rho = kept_solve(g, z, pool, watch);
    ++report.iterations;
    descent += a * before;
    // The residual is that of the stiff modes and small long before the soft ones, which hold most of the
    // energy, are solved.
    const bool descends = soft && a * before >= reduction * descent;
    if (stop.reached(rho) && !descends) break;
    solved = k < most;
    if (!solved) break;
    sweeps_.advance(a, rho / before, d, p, z, pool);
    a = 0;
  }
  sweeps_.finish(a, d, p, z, pool);  // the last solve is one more descent, not wasted
  return solved;
}

/// Once more from the start for a thin body, whose bending A does not know, between local/global steps as in
/// factored_newton.
bool Body::long_gradients(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch) {
  clear(d_);
  sweeps_.clear_turns();
  local_global_step(s, pool, watch);
  residual(d_.data(), true, s, pool, watch);
  const double rho = kept_solve(g_.data(), z_.data(), pool, watch);
  const bool solved = conjugate_gradients(rho, most_gradients, s, pool, report, watch);
  local_global_step(s, pool, watch);
  return solved;
}

/// D -= A^-1 G(D).
void Body::local_global_step(const Scheme& s, Pool& pool, StageWatch& watch) {
  residual(d_.data(), true, s, pool, watch);
  kept_solve(g_.data(), z_.data(), pool, watch);
  sweeps_.add(-1, z_.data(), d_.data(), pool);
}

/// From z_ = A^-1 G: a local/global step, a Newton step by a factor of H, a local/global step. The prediction
/// swells what turns, and so does the straight Newton step; both are stiff, what A is exact on, and the step
/// then ends where repeated Newton steps do. Without the two, stiff bodies that spin gained energy. A Newton
/// step that turns too far is taken as far as the model holds, and another one follows. False: H has no
/// factor, or they do not end.
bool Body::factored_newton(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch) {
  sweeps_.add(-1, z_.data(), d_.data(), pool);
  report.factored_hessian = true;
  for (int k = 0; k < most_factors; ++k) {
    exact_residual(d_.data(), s, pool, watch);
    const std::optional<double> share = add_newton_step(violent_turn, s, pool, watch);
    if (!share) return false;
    ++report.iterations;
    local_global_step(s, pool, watch);
    if (*share == 1) return true;
  }
  return false;
}

/// D -= H^-1 G with G in g_, or the share of it that turns no star by more than `most`. Returns the share;
/// none: H has no factor.
std::optional<double> Body::add_newton_step(double most, const Scheme& s, Pool& pool, StageWatch& watch) {
  std::array<LinearSystem::Spring, max_grabs> springs;
  for (int k = 0; k < pull_count_; ++k) springs[k] = pulls_[k].spring;
  if (!hessian_factor_.factor(model_, arrangement_, sweeps_, hessian_coefficients(s),
                              {springs.data(), std::size_t(pull_count_)}, state_.rest_vectors, pool))
    return std::nullopt;
  hessian_factor_.solve(g_.data(), z_.data());
  watch.add_to(&StageTimes::solve);
  sweeps_.redirect(0, p_.data(), z_.data(), pool);
  sweeps_.clear_turns();
  hessian(p_.data(), q_.data(), s, pool, watch);  // for the turns
  sweeps_.add_turn(1);
  const double turn = sweeps_.largest_turn(), share = turn > most ? most / turn : 1;
  sweeps_.add(share, p_.data(), d_.data(), pool);
  return share;
}

/// D <- F(D) = D - A^-1 G(D), the last iterates combined so that the increments f = F(D) - D cancel best:
///   theta = argmin |f_k - sum_j theta_j (f_k - f_j)|^2,  D <- F_k - sum_j theta_j (F_k - F_j)
void Body::anderson(const StepInput& input, const Scheme& s, StepReport& report, StageWatch& watch) {
  Pool& pool = *input.pool;
  const bool stiff = s.elastic * model_.stiffness_ratio > stiff_step;
  const int count = system_.direct() ? (stiff ? 20 : 8) : (stiff ? 24 : 12);
  Eigen::Matrix<double, window + 1, window + 1> gram;
  clear(d_);
  if (!kept_.empty()) {
    aim_volume_from_start(pool, watch);
    kept_.add_steps(d_.data(), arrangement_);
  }
  for (int k = 0; k < count; ++k) {
    const int now = k % (window + 1), known = std::min(k, window);
    residual(k == 0 && kept_.empty() ? nullptr : d_.data(), true, s, pool, watch);
    std::copy(d_.begin(), d_.end(), iterate_[now].begin());
    kept_solve(g_.data(), z_.data(), pool, watch);
    clear(increment_[now]);
    sweeps_.add(-1, z_.data(), increment_[now].data(), pool);
    const auto slot = [&](int back) { return (now - back + window + 1) % (window + 1); };
    for (int j = 0; j <= known; ++j)
      gram(now, slot(j)) = gram(slot(j), now) =
          sweeps_.dot(increment_[now].data(), increment_[slot(j)].data(), pool);

    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
    using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1>;
    Few theta = Few::Zero(known);
    if (known > 0) {
      Small normal(known, known);
      Few right(known);
      for (int r = 0; r < known; ++r) {
        const int a = slot(r + 1);
        right[r] = gram(now, now) - gram(a, now);
        for (int c = 0; c < known; ++c) {
          const int b = slot(c + 1);
          normal(r, c) = gram(now, now) - gram(a, now) - gram(now, b) + gram(a, b);
        }
      }
      const double trace = normal.trace();
      if (trace > 0) {
        normal.diagonal().array() += 1e-10 * trace;
        theta = normal.ldlt().solve(right);
      }
    }
    clear(d_);
    for (int j = 0; j <= known; ++j) {
      const double share = j == 0 ? 1 - theta.sum() : theta[j - 1];
      sweeps_.add(share, iterate_[slot(j)].data(), d_.data(), pool);
      sweeps_.add(share, increment_[slot(j)].data(), d_.data(), pool);
    }
    ++report.iterations;
  }
}

void Body::local_global(const StepInput& input, const Scheme& s, StepReport& report, StageWatch& watch) {
  Pool& pool = *input.pool;
  const bool from_now = options_.rotation_state == RotationState::current;
  clear(d_);
  if (!kept_.empty()) {
    aim_volume_from_start(pool, watch);
    kept_.add_steps(d_.data(), arrangement_);
  }
  if (from_now) {
    for (std::size_t i = 0; i < model_.rest.size(); ++i)
      for (int c = 0; c < 3; ++c) trial_[4 * std::size_t(arrangement_.place[i]) + c] = state_.nodes.x[i][c];
    sweeps_.rotate(trial_.data(), pool);
  }
  for (int k = 0; k < options_.iterations; ++k) {
    residual(k == 0 && kept_.empty() ? nullptr : d_.data(), k > 0 || !from_now, s, pool, watch);
    kept_solve(g_.data(), z_.data(), pool, watch);
    if (k == 0 && meet(input, s, report, watch))
      return contact_iterations(options_.iterations, input, s, report, watch);
    sweeps_.add(-1, z_.data(), d_.data(), pool);
    ++report.iterations;
  }
}

// ---- the new state ----

/// The end of the step by D, with exact momentum.
void Body::settle(const StepInput& input, const Scheme& s) {
  const EndArrays ends = end_arrays(s);
  for_blocks(*input.pool, model_.nodes(), 1024, [&](int begin, int end) {
    step_kernels().accept(ends, d_.data(), new_x_[0].data(), new_v_[0].data(), begin, end);
  });
  loads_ = input.forces;
  if (!contacts_.empty()) {
    for (std::size_t i = 0; i < outer_.size(); ++i)
      outer_[i] = on_nodes_[i] / s.h + (input.forces.empty() ? Vec3::Zero() : Vec3(input.forces[i]));
    loads_ = outer_;
  }
  if (kept_.empty())
    keep_momentum(input, s);
  else
    settle_volume(input, s);
}

void Body::keep_momentum(const StepInput& input, const Scheme& s) {
  if (input.held.empty() && pull_count_ == 0) {
    for (const std::vector<Index>& part : model_.parts) {
      keep_linear_momentum(part, input, s);
      if (options_.angular_momentum) keep_angular_momentum(part, input, s);
    }
  } else if (options_.angular_momentum) {
    for (Index part = 0; part < Index(model_.parts.size()); ++part) keep_rigid_motion(part, input, s);
  }
  put_held(input, s);
}

void Body::put_held(const StepInput& input, const Scheme& s) {
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Index i = input.held[n];
    new_x_[i] = input.targets[n];
    new_v_[i] = (input.targets[n] - hat_x_[i]) / s.h;
  }
}

bool Body::finite_end() const {
  double sum = 0;
  for (std::size_t i = 0; i < new_x_.size(); ++i) sum += new_x_[i].squaredNorm() + new_v_[i].squaredNorm();
  return std::isfinite(sum);
}

void Body::accept(const StepInput& input, const Scheme& s) {
  // Written as swaps: nothing is lost and nothing allocated.
  state_.x_before.swap(state_.nodes.x);
  state_.v_before.swap(state_.nodes.v);
  state_.nodes.x.swap(new_x_);
  state_.nodes.v.swap(new_v_);
  state_.held = new_held_;
  state_.h = input.h;
  state_.has_before = true;
  remember_contacts(s);
}

/// The rest vectors of strained rows flow towards the new state, with its own rotations (plastic_flow.hpp).
/// Rows flow by themselves: neither order nor threads matter.
void Body::flow(const StepInput& input, StepReport& report) {
  Pool& pool = *input.pool;
  const Plasticity& plasticity = *options_.plasticity;
  const Points& x = state_.nodes.x;
  for_blocks(pool, model_.nodes(), 1024, [&](int begin, int end) {
    for (int k = begin; k < end; ++k)
      for (int c = 0; c < 3; ++c) trial_[4 * std::size_t(k) + c] = x[arrangement_.node[k]][c];
  });
  if (!model_.has_volume()) {
    report.yields = sweeps_.flow(model_, arrangement_, plasticity, input.h, trial_.data(), true,
                                 state_.rest_vectors, pool);
    return;
  }
  sweeps_.rotate(trial_.data(), pool);
  report.yields = sweeps_.flow_stars(model_, arrangement_, plasticity, input.h, x, state_.rest_vectors, pool);
}

/// Inner forces have no resultant: (1 + h' alpha) (P_new - P^) = h' (F - alpha P^), P the momentum, F the
/// outer force.
void Body::keep_linear_momentum(std::span<const Index> part, const StepInput& input, const Scheme& s) {
  double mass = 0;
  Vec3 before = Vec3::Zero(), after = Vec3::Zero(), force = Vec3::Zero();
  for (Index i : part) {
    mass += model_.mass[i];
    before += model_.mass[i] * hat_v_[i];
    after += model_.mass[i] * new_v_[i];
  }
  if (!loads_.empty())
    for (Index i : part) force += loads_[i];
  force += mass * input.gravity - s.drag * before;
  const Vec3 shift = (before + s.h / s.mass * force - after) / mass;
  for (Index i : part) {
    new_v_[i] += shift;
    new_x_[i] = hat_x_[i] + s.h * new_v_[i];
  }
}

/// With the jump of the velocities, as if the body had always moved with it.
Vec3 Body::spin_of(std::span<const Index> part, const Points& x, const Points& v, double earlier) {
  if (!jumped_) return spin(part, model_.mass, x, v).angular;
  for (Index i : part) {
    shifted_x_[i] = x[i] - earlier * jump_[i];
    shifted_v_[i] = v[i] + jump_[i];
  }
  return spin(part, model_.mass, shifted_x_, shifted_v_).angular;
}

void Body::keep_angular_momentum(std::span<const Index> part, const StepInput& input, const Scheme& s) {
  Vec3 wanted = spin_of(part, state_.nodes.x, state_.nodes.v, 0);
  if (options_.integrator == Integrator::bdf2 && history_applies(input))
    wanted = (4 * wanted - spin_of(part, state_.x_before, state_.v_before, input.h)) / 3;
  const Spin got = spin(part, model_.mass, hat_x_, new_v_);
  if (!loads_.empty()) {
    const Vec3 center = got.center + s.h * got.velocity;
    for (Index i : part) wanted += s.h * (new_x_[i] - center).cross(loads_[i]);
  }
  const Vec3 lack = s.h * (wanted / s.mass - got.angular);
  Mat3 moments = Mat3::Zero();
  for (Index i : part) {
    const Vec3 r = hat_x_[i] - got.center;
    moments += (r + s.h * (new_v_[i] - got.velocity)) * (model_.mass[i] * r).transpose();
  }
  const SpinTurn turn = turn_for(moments, lack);
  for (Index i : part) {
    const Vec3 r = hat_x_[i] - got.center + s.h * (new_v_[i] - got.velocity);
    new_v_[i] += turn.change * r / s.h;
    new_x_[i] = hat_x_[i] + s.h * new_v_[i];
  }
  if (turn.left.norm() <= 1e-13 * s.h * wanted.norm()) return;
  const Vec3 w = rotation_rate(part, model_.mass, hat_x_, turn.left / s.h);
  for (Index i : part) {
    new_v_[i] += w.cross(hat_x_[i] - got.center);
    new_x_[i] = hat_x_[i] + s.h * new_v_[i];
  }
}

/// The same for a part that is held or grabbed: as far as it can move as a whole, what is not elastic in G
/// has no resultant and no moment.
void Body::keep_rigid_motion(Index part, const StepInput& input, const Scheme& s) {
  const std::vector<Index>& nodes = model_.parts[part];
  RigidFreedom freedom((model_.rest[nodes.back()] - model_.rest[nodes.front()]).norm());
  for (std::size_t n = 0; n < input.held.size() && freedom.turns() > 0; ++n)
    if (model_.part_of[input.held[n]] == part) freedom.hold(input.targets[n]);
  if (freedom.turns() == 0) return;
  const Vec3 origin = freedom.shifts() ? new_x_[nodes[0]] : freedom.pivot();
  RigidBalance balance;
  for (Index i : nodes) {
    if (new_held_[i]) continue;
    const double mass = model_.mass[i];
    Vec3 g = mass * (s.mass / s.h * (new_v_[i] - hat_v_[i]) + s.drag * hat_v_[i] - input.gravity);
    if (!loads_.empty()) g -= loads_[i];
    balance.add(s.mass * mass, new_x_[i] - origin, s.elastic * g);
  }
  for (int k = 0; k < pull_count_; ++k) {
    const auto& [spring, target] = pulls_[k];
    const Index i = arrangement_.node[spring.place];
    if (model_.part_of[i] == part)
      balance.add(spring.stiffness, new_x_[i] - origin, spring.stiffness * (new_x_[i] - target));
  }
  Vec3 u, w;
  balance.solve(freedom, u, w);
  for (Index i : nodes) {
    const Vec3 change = u + w.cross(new_x_[i] - origin);
    new_x_[i] += change;
    new_v_[i] += change / s.h;
  }
}

StepTraffic Body::traffic(const StepReport& report) const {
  const std::size_t n = model_.rest.size(), k = std::size_t(report.iterations);
  // Prediction: x, v and their predecessors in, x^, v^, X0 and the load out; acceptance: x^, v^ and D in, x
  // and v out.
  const std::size_t ends = n * (4 * 24 + 2 * 24 + 32 + 16 + 2 * 24 + 16 + 2 * 24);
  StepTraffic out;
  // The direct solver does not tell g . z on its way.
  const std::size_t solve = system_.bytes_per_solve() + (system_.direct() ? n * 2 * 16 : 0);
  if (report.factored_hessian && !report.violent) {
    out.moved = (1 + 2 * k) * sweeps_.gradient_bytes() +
                k * (sweeps_.product_bytes() + sweeps_.update_bytes()) + (1 + k) * solve +
                k * hessian_factor_.solve_bytes();
    out.multiply_adds = double(k) * hessian_factor_.multiply_adds();
  } else if (options_.step_solver == StepSolver::newton && !report.violent)
    out.moved =
        sweeps_.gradient_bytes() + k * (sweeps_.product_bytes() + sweeps_.update_bytes()) + (k + 1) * solve;
  else
    out.moved = k * (sweeps_.gradient_bytes() + system_.bytes_per_solve() + n * 3 * 16);
  // The drag of the start: velocities from x^, v^, X0; a product; it goes into G.
  if (damping_.stiffness > 0) {
    const bool once = options_.step_solver == StepSolver::newton && !report.violent;
    const std::size_t times = report.factored_hessian ? 1 + 2 * k : once ? 1 : k;
    out.moved += times * (sweeps_.product_bytes() + n * (2 * 24 + 32 + 2 * 16));
  }
  out.moved += ends;
  if (!kept_.empty()) out.moved += 3 * system_.bytes_per_solve() + 2 * sweeps_.product_bytes();
  if (options_.plasticity) out.moved += sweeps_.flow_bytes();
  if (report.factored_hessian) out.working_set += hessian_factor_.memory_bytes();
  out.working_set += sweeps_.memory_bytes() + system_.working_set() + n * (6 * 24 + 32 + 7 * 16 + 4);
  return out;
}

}  // namespace pliant::geometric
