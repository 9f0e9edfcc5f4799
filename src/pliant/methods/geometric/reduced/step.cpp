// SPDX-License-Identifier: Apache-2.0
// One time step in reduced space: step.cpp's equation multiplied by Phi^T. With Z0 = Z^ + h' V^ and D the
// unknown change of the columns that no held piece tells,
//   G(D) = (1 + h' alpha) M (Z0 + D - Z^ - h' V^) + h'^2 (alpha M V^ - Phi^T f + g(Z0 + D) + beta c) = 0
//   g(Z) = K Z + sum_i C_i (1 - R_i^T)                               (model.hpp)   [Huang06, Eq. 7]
//   H p  = ((1 + h' alpha) M + (h'^2 + h' beta) K) p - (h'^2 + h' beta) sum_i C_i dR_i^T
// M = Phi^T M Phi, not the unit matrix: columns of held pieces lean on the others. Solved as in full space:
// conjugate gradients on H preconditioned by A = (1 + h' alpha) M + (h'^2 + h' beta) K, here a dense inverse;
// violent steps by Anderson-accelerated local/global iterations. One gradient or one product with H is one
// sweep over C; everything else is k x k, in double.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <utility>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/math/rotation.hpp"
#include "pliant/methods/geometric/newton_stop.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::geometric {
namespace {

constexpr double stiff_step = 150;    // as in step.cpp
constexpr int batches_per_part = 32;  // of a sweep: 512 nodes
constexpr double same_place = 1e-6;   // of the body's size

/// out = a z, column by column: no scratch memory.
void multiply(const Eigen::MatrixXd& a, const Coordinates& z, Coordinates& out) {
  for (int c = 0; c < 3; ++c) out.col(c).noalias() = a * z.col(c);
}

double dot(const Coordinates& a, const Coordinates& b) { return a.cwiseProduct(b).sum(); }

}  // namespace

int ReducedBody::sweep_parts() const { return (reduced_.batches + batches_per_part - 1) / batches_per_part; }

StepReport ReducedBody::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  const FlushTinyNumbers in_this_step;
  StageWatch watch;
  StepReport report;
  report.trouble = take_held(input);
  if (report.ok() && !input.colliders.empty())
    report.trouble = "a reduced body does not meet colliders: take `reduction` or the colliders out";
  if (!report.ok()) return report;
  const Scheme now = scheme(input.h);
  predict(input, now);
  set_springs(input, now);
  if (!prepare_matrix(now, report)) return report;
  set_base(input, now);
  quaternion_before_ = quaternion_;
  if (options_.step_solver == StepSolver::newton)
    newton(now, *input.pool, report, watch);
  else
    local_global(now, *input.pool, report, watch);
  settle(input, now);
  if (!std::isfinite(dot(new_z_, new_z_) + dot(new_v_, new_v_))) {
    quaternion_ = quaternion_before_;
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
    return report;
  }
  accept(input);
  if (options_.plasticity) flow(input, report);
  report.active_rotations = adaptive_.on() ? adaptive_.active() : int(reduced_.cubature.nodes.size());
  report.ms = watch.total();
  report.bytes = traffic(report);
  return report;
}

// ---- what is asked ----

ReducedBody::Scheme ReducedBody::scheme(double h) const {
  Scheme s{{options_.integrator, h, damping_}};
  s.turning = options_.damping_frame == DampingFrame::corotated ? s.stiffness : s.elastic;
  return s;
}

/// Checks the input; new_active_ and told_ from its held nodes, unless they are the last step's: what stays
/// held costs nothing but the comparison.
std::string ReducedBody::take_held(const StepInput& input) {
  PLIANT_CHECK(input.held.size() == input.targets.size());
  const std::size_t count = input.held.size();
  const bool same =
      held_known_ && count == known_held_.size() &&
      (count == 0 || (std::memcmp(input.held.data(), known_held_.data(), count * sizeof(Index)) == 0 &&
                      std::memcmp(input.targets.data(), known_targets_.data(), count * sizeof(Vec3)) == 0));
  StepInput checked = input;
  if (same) checked.held = {}, checked.targets = {};
  std::string trouble = trouble_of(checked, model_.nodes());
  if (same || !trouble.empty()) return trouble;
  held_known_ = false;
  trouble = choose_pieces(input);
  if (trouble.empty()) trouble = aim_pieces(input);
  if (!trouble.empty()) return trouble;
  known_held_.assign(input.held.begin(), input.held.end());
  known_targets_.assign(input.targets.begin(), input.targets.end());
  held_known_ = true;
  return {};
}

/// Which pieces the held nodes are. A basis is made for certain pieces: others cannot be held.
std::string ReducedBody::choose_pieces(const StepInput& input) {
  std::fill(new_active_.begin(), new_active_.end(), 0);
  std::size_t expected = 0;
  for (Index i : input.held) {
    const Index piece = piece_of_[i];
    if (piece < 0)
      return fmt::format("node {} is held, but the basis of this reduced body was made without it", i);
    if (!new_active_[piece]) expected += basis_.pieces[piece].nodes.size();
    new_active_[piece] = 1;
  }
  if (expected != input.held.size())
    return fmt::format("{} of {} nodes of a held piece: a reduced body holds pieces whole", input.held.size(),
                       expected);
  for (std::size_t p = 0; p < new_active_.size(); ++p)
    if (!new_active_[p] && basis_.pieces[p].count == 0)
      return fmt::format(
          "the pin with node {} is let go, but the basis of this reduced body was made with it",
          basis_.pieces[p].nodes.front());
  return {};
}

/// The told coordinates: each piece's motion in its own functions, which must be all of it.
std::string ReducedBody::aim_pieces(const StepInput& input) {
  told_.setZero();
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Index i = input.held[n];
    const Basis::Piece& piece = basis_.pieces[piece_of_[i]];
    const Vec3 u = input.targets[n] - model_.rest[i];
    for (Index c = piece.first; c < piece.first + piece.count; ++c)
      told_.row(c) += basis_.columns(i, c) * u.transpose();
  }
  for (std::size_t n = 0; n < input.held.size(); ++n) {
    const Index i = input.held[n];
    const Basis::Piece& piece = basis_.pieces[piece_of_[i]];
    Vec3 place = model_.rest[i];
    for (Index c = piece.first; c < piece.first + piece.count; ++c)
      place += basis_.columns(i, c) * told_.row(c).transpose();
    if (!((place - input.targets[n]).norm() <= same_place * (size_ + input.targets[n].norm())))
      return piece.count > 0
                 ? fmt::format(
                       "the piece with node {} does not move as one: a reduced body follows rigid "
                       "and affine motion of a handle",
                       i)
                 : fmt::format(
                       "node {} is moved, but the basis of this reduced body was made with it at rest", i);
  }
  return {};
}

bool ReducedBody::history_applies(const StepInput& input) const {
  return state_.has_before && state_.h == input.h && state_.active == new_active_;
}

/// Z^, V^ and Z0; as in step.cpp.
void ReducedBody::predict(const StepInput& input, const Scheme& s) {
  const Extrapolation by(options_.integrator, input.h, history_applies(input));
  hat_z_ = state_.z + by.history * (state_.z - state_.z_before) + by.line * state_.v;
  hat_v_ = state_.v + by.history * (state_.v - state_.v_before);
  start_ = hat_z_ + s.h * hat_v_;
  for (std::size_t p = 0; p < new_active_.size(); ++p) {
    const Basis::Piece& piece = basis_.pieces[p];
    for (Index c = piece.first; new_active_[p] && c < piece.first + piece.count; ++c)
      start_.row(c) = told_.row(c);
  }
}

/// The part of G that does not depend on D, and what plastic flow left.
void ReducedBody::set_base(const StepInput& input, const Scheme& s) {
  velocity_ = s.mass * (start_ - hat_z_ - s.h * hat_v_) + s.elastic * s.drag * hat_v_;
  multiply(reduced_.mass, velocity_, base_);
  for (int c = 0; c < 3; ++c) base_.col(c) -= s.elastic * input.gravity[c] * reduced_.sum;
  for (std::size_t i = 0; i < input.forces.size(); ++i)
    for (int c = 0; c < 3; ++c)
      base_.col(c) -= s.elastic * input.forces[i][c] * basis_.columns.row(Eigen::Index(i)).transpose();
  if (flow_.on()) base_ += s.elastic * flow_.offset();
}

/// Two grabs of one node are one spring: stiffnesses add, the target is their weighted mean.
void ReducedBody::set_springs(const StepInput& input, const Scheme& s) {
  wanted_.spring_count = 0;
  wanted_.springs.fill({});
  for (const Grab& grab : input.grabs) {
    const double stiffness = s.elastic * grab.stiffness;
    const Index piece = piece_of_[grab.node];
    if (!(stiffness > 0) || (piece >= 0 && new_active_[piece])) continue;
    int k = 0;
    while (k < wanted_.spring_count && wanted_.springs[k].node != grab.node) ++k;
    if (k == wanted_.spring_count) {
      wanted_.springs[wanted_.spring_count++] = {grab.node, stiffness};
      targets_[k] = grab.target;
    } else {
      wanted_.springs[k].stiffness += stiffness;
      targets_[k] += stiffness / wanted_.springs[k].stiffness * (grab.target - targets_[k]);
    }
  }
}

/// That no active piece tells.
std::vector<Eigen::Index> ReducedBody::unknown_columns() const {
  std::vector<Eigen::Index> unknown;
  for (Eigen::Index c = 0; c < basis_.own; ++c) unknown.push_back(c);
  for (std::size_t p = 0; p < new_active_.size(); ++p)
    for (Index c = 0; !new_active_[p] && c < basis_.pieces[p].count; ++c)
      unknown.push_back(basis_.pieces[p].first + c);
  return unknown;
}

bool ReducedBody::prepare_matrix(const Scheme& s, StepReport& report) {
  wanted_.mass = s.mass;
  wanted_.stiffness = s.stiffness;
  wanted_.active = new_active_;
  if (wanted_ == have_) return true;
  report.refactored = true;
  matrix_ = s.mass * reduced_.mass + s.stiffness * reduced_.stiffness;
  for (int k = 0; k < wanted_.spring_count; ++k) {
    const auto row = basis_.columns.row(wanted_.springs[k].node);
    matrix_ += wanted_.springs[k].stiffness * row.transpose() * row;
  }
  const std::vector<Eigen::Index> unknown = unknown_columns();
  const Eigen::Index m = Eigen::Index(unknown.size());
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::MatrixXd(matrix_(unknown, unknown)));
  if (factor.info() != Eigen::Success) {
    have_ = {};
    report.trouble =
        "the reduced matrix is not positive definite: stiffness, masses or grabs are beyond "
        "what numbers can hold";
    return false;
  }
  inverse_.setZero();
  const Eigen::MatrixXd solved = factor.solve(Eigen::MatrixXd::Identity(m, m));
  inverse_(unknown, unknown) = solved;
  have_ = wanted_;
  return true;
}

// ---- the equation ----

ReducedArrays ReducedBody::arrays() {
  ReducedArrays out{reduced_.columns(),   reduced_.pull.data(), reduced_.rest.data(), nullptr,
                    reduced_.slew.data(), quaternion_.data(),   finish_rotations};
  if (flow_.on())
    out.pull = flow_.pull(), out.rest = flow_.rest(), out.skew = flow_.skew(), out.slew = flow_.slew();
  return out;
}

/// Z as the sweeps want it.
void ReducedBody::to_single(const Coordinates& z) {
  for (Eigen::Index a = 0; a < z.rows(); ++a)
    for (int c = 0; c < 3; ++c) small_[std::size_t(3 * a + c)] = float(z(a, c));
}

/// sums_ = the sum of all parts, in their order.
void ReducedBody::add_parts() {
  const Eigen::Index k = sums_.rows();
  sums_.setZero();
  for (int part = 0; part < sweep_parts(); ++part) {
    const double* from = partial_.data() + 3 * k * part;
    for (Eigen::Index a = 0; a < k; ++a)
      for (int c = 0; c < 3; ++c) sums_(a, c) += from[3 * a + c];
  }
}

/// Calls sweep(part, lanes, sum, first batch, last batch) for every part and adds up what they leave. Every
/// other sweep goes backwards: it begins with what the last one left in the caches.
template <class Sweep>
void ReducedBody::sweep(const Coordinates& z, Pool& pool, Sweep&& over) {
  to_single(z);
  const std::size_t numbers = 3 * std::size_t(reduced_.columns());
  const bool backwards = std::exchange(backwards_, !backwards_);
  pool.run(sweep_parts(), [&](int turn) {
    const int part = backwards ? sweep_parts() - 1 - turn : turn;
    const int first = part * batches_per_part, last = std::min(first + batches_per_part, reduced_.batches);
    over(part, lanes_.data() + part * numbers * reduced_lanes, partial_.data() + part * numbers, first, last);
  });
  add_parts();
}

/// The rotations at Z, all that `adaptive` asks for.
void ReducedBody::renew_rotations(const Coordinates& z, Pool& pool) {
  if (adaptive_.on()) return spread_rotations(z, pool);
  const ReducedArrays swept = arrays();
  sweep(z, pool, [&](int, float* lanes, double* sum, int first, int last) {
    reduced_kernels().rotate(swept, true, small_.data(), lanes, sum, first, last);
  });
}

/// Covariances of all nodes, then visits from the seeds (adaptive_rotations.hpp).
void ReducedBody::spread_rotations(const Coordinates& z, Pool& pool) {
  to_single(z);
  const ReducedArrays swept = arrays();
  for_blocks(pool, reduced_.batches, batches_per_part, [&](int first, int last) {
    reduced_kernels().measure(swept, small_.data(), covariance_.data(), first, last);
  });
  adaptive_.spread(covariance_.data(), quaternion_.data(), rotation_.data(), pool);
}

/// g_ = G(trial_ - start_).
void ReducedBody::residual(bool renew, const Scheme& s, Pool& pool, StageWatch& watch) {
  watch.add_to(&StageTimes::rhs);
  if (renew && adaptive_.on()) {
    spread_rotations(trial_, pool);
    renew = false;
  }
  const ReducedArrays swept = arrays();
  sweep(trial_, pool, [&](int, float* lanes, double* sum, int first, int last) {
    reduced_kernels().rotate(swept, renew, small_.data(), lanes, sum, first, last);
  });
  watch.add_to(&StageTimes::rotation);
  multiply(reduced_.stiffness, trial_, q_);
  g_ = base_ + s.elastic * (q_ + sums_);
  velocity_ = s.mass * (trial_ - start_);
  multiply(reduced_.mass, velocity_, q_);
  g_ += q_;
  for (int k = 0; k < wanted_.spring_count; ++k) {
    const auto& [node, stiffness] = wanted_.springs[k];
    const Vec3 pull = stiffness * (node_at(node, trial_) - targets_[k]);
    for (int c = 0; c < 3; ++c) g_.col(c) += pull[c] * basis_.columns.row(node).transpose();
  }
  if (s.inner_drag > 0) add_inner_drag(s, pool);
}

/// g_ += h'^2 beta c at the velocities of trial_.
void ReducedBody::add_inner_drag(const Scheme& s, Pool& pool) {
  velocity_ = (trial_ - hat_z_) / s.h;
  multiply(reduced_.stiffness, velocity_, q_);
  if (options_.damping_frame == DampingFrame::corotated) {
    sweep_turns(velocity_, pool);
    q_ -= sums_;
  }
  g_ += s.elastic * s.inner_drag * q_;
}

/// sums_ = sum_i C_i dR_i^T for the motion p. Returns the largest turn, rad.
double ReducedBody::sweep_turns(const Coordinates& p, Pool& pool) {
  const ReducedArrays swept = arrays();
  sweep(p, pool, [&](int part, float* lanes, double* sum, int first, int last) {
    largest_[part] = reduced_kernels().turn(swept, small_.data(), lanes, sum, first, last);
  });
  return std::sqrt(double(*std::max_element(largest_.begin(), largest_.end())));
}

/// q_ = H p_. Returns the largest turn of p_, rad.
double ReducedBody::hessian(const Scheme& s, Pool& pool, StageWatch& watch) {
  const double turn = sweep_turns(p_, pool);
  multiply(matrix_, p_, q_);
  q_ -= s.turning * sums_;
  watch.add_to(&StageTimes::rhs);
  return turn;
}

/// solved_ = A^-1 g_: zero where a held piece tells.
void ReducedBody::solve(StageWatch& watch) {
  watch.add_to(&StageTimes::rhs);
  multiply(inverse_, g_, solved_);
  watch.add_to(&StageTimes::solve);
}

// ---- its solution ----

void ReducedBody::newton(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch) {
  d_.setZero();
  trial_ = start_;
  residual(true, s, pool, watch);
  solve(watch);
  double rho = dot(g_, solved_), turned = 0;
  NewtonStop stop(options_.tolerance, rho);
  p_ = -solved_;
  while (rho > 0) {
    const double turn = hessian(s, pool, watch);
    const double curvature = dot(p_, q_);
    if (!(curvature > 0)) break;
    const double a = rho / curvature;
    d_ += a * p_;
    g_ += a * q_;
    turned += a * turn;  // at least the largest turn of the sum
    solve(watch);
    const double before = rho;
    rho = dot(g_, solved_);
    ++report.iterations;
    if (stop.reached(rho) || report.iterations == few_gradients) break;
    p_ = rho / before * p_ - solved_;
  }
  if (turned > violent_turn) turned = sweep_turns(d_, pool);
  d_ -= solved_;  // the last solve is one more descent, not wasted
  if (turned > violent_turn) {
    report.violent = true;
    anderson(s, pool, report, watch);
  }
}

/// As in step.cpp.
void ReducedBody::anderson(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch) {
  const int count = s.elastic * reduced_.stiffness_ratio > stiff_step ? 20 : 8;
  Eigen::Matrix<double, window + 1, window + 1> gram;
  d_.setZero();
  for (int k = 0; k < count; ++k) {
    const int now = k % (window + 1), known = std::min(k, window);
    trial_ = start_ + d_;
    residual(true, s, pool, watch);
    solve(watch);
    iterate_[now] = d_;
    increment_[now] = -solved_;
    const auto slot = [&](int back) { return (now - back + window + 1) % (window + 1); };
    // In the norm of the matrix' mass, as far as columns are orthonormal.
    for (int j = 0; j <= known; ++j)
      gram(now, slot(j)) = gram(slot(j), now) = dot(increment_[now], increment_[slot(j)]);
    using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, window, window>;
    using Few = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, window, 1>;
    Few theta = Few::Zero(known);
    Small normal(known, known);
    Few right(known);
    for (int r = 0; r < known; ++r) {
      const int a = slot(r + 1);
      right[r] = gram(now, now) - gram(a, now);
      for (int c = 0; c < known; ++c)
        normal(r, c) = gram(now, now) - gram(a, now) - gram(now, slot(c + 1)) + gram(a, slot(c + 1));
    }
    const double trace = normal.trace();
    if (known > 0 && trace > 0) {
      normal.diagonal().array() += 1e-10 * trace;
      theta = normal.ldlt().solve(right);
    }
    d_ = (1 - theta.sum()) * (iterate_[now] + increment_[now]);
    for (int j = 1; j <= known; ++j) d_ += theta[j - 1] * (iterate_[slot(j)] + increment_[slot(j)]);
    ++report.iterations;
  }
}

void ReducedBody::local_global(const Scheme& s, Pool& pool, StepReport& report, StageWatch& watch) {
  const bool from_now = options_.rotation_state == RotationState::current;
  d_.setZero();
  if (from_now) {
    trial_ = state_.z;
    residual(true, s, pool, watch);
  }
  for (int k = 0; k < options_.iterations; ++k) {
    trial_ = start_ + d_;
    residual(k > 0 || !from_now, s, pool, watch);
    solve(watch);
    d_ -= solved_;
    ++report.iterations;
  }
}

// ---- the new state ----

void ReducedBody::settle(const StepInput& input, const Scheme& s) {
  new_z_ = start_ + d_;
  new_v_ = (new_z_ - hat_z_) / s.h;
  if (input.held.empty() && wanted_.spring_count == 0) {
    keep_linear_momentum(input, s);
    if (options_.angular_momentum) keep_angular_momentum(input, s);
  } else if (options_.angular_momentum) {
    keep_rigid_motion(input, s);
  }
  for (std::size_t p = 0; p < new_active_.size(); ++p) {
    const Basis::Piece& piece = basis_.pieces[p];
    for (Index c = piece.first; new_active_[p] && c < piece.first + piece.count; ++c) {
      new_z_.row(c) = told_.row(c);
      new_v_.row(c) = (told_.row(c) - hat_z_.row(c)) / s.h;
    }
  }
}

void ReducedBody::accept(const StepInput& input) {
  state_.z_before.swap(state_.z);
  state_.v_before.swap(state_.v);
  state_.z.swap(new_z_);
  state_.v.swap(new_v_);
  state_.active = new_active_;
  state_.h = input.h;
  state_.has_before = true;
  shown_ = false;
}

/// As in step.cpp: rows flow towards the new state, with its own rotations.
void ReducedBody::flow(const StepInput& input, StepReport& report) {
  Pool& pool = *input.pool;
  renew_rotations(state_.z, pool);
  for_blocks(pool, model_.nodes(), 512, [&](int begin, int end) { show(begin, end); });
  shown_ = true;
  const Points& x = nodes_.x;
  std::atomic<int> flowed = 0;
  for_blocks(pool, model_.nodes(), 128, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const float* q = quaternion_.data() + 4 * reduced_lanes * (i / reduced_lanes) + i % reduced_lanes;
      const Eigen::Quaterniond turn(q[0], q[reduced_lanes], q[2 * reduced_lanes], q[3 * reduced_lanes]);
      const Mat3 r = turn.normalized().toRotationMatrix();
      const int rows = flow_star(model_, *options_.plasticity, input.h, x, i, r, state_.rest_vectors);
      if (rows > 0) flow_.set_node(model_, basis_, i, state_.rest_vectors);
      flowed += rows;
    }
  });
  if (flowed > 0) flow_.set_offset(model_, basis_, state_.rest_vectors, pool);
  report.yields = flowed;
}

StepTraffic ReducedBody::traffic(const StepReport& report) const {
  const std::size_t padded = std::size_t(reduced_.batches) * reduced_lanes,
                    k = std::size_t(reduced_.columns()), count = std::size_t(report.iterations);
  const std::size_t pull = 3 * k * sizeof(float) * padded;
  const std::size_t gradient = pull + padded * (6 + 2 * 4) * sizeof(float);
  const std::size_t product = pull + padded * (6 + 4) * sizeof(float);
  const std::size_t dense = 2 * k * k * sizeof(double);
  const bool drag = damping_.stiffness > 0 && options_.damping_frame == DampingFrame::corotated;
  const std::size_t gradients = gradient + (drag ? product : 0) + dense;
  StepTraffic out;
  if (options_.step_solver == StepSolver::newton && !report.violent)
    out.moved = gradients + count * (product + dense);
  else
    out.moved = count * (gradients + dense);
  out.moved += padded * 4 * 2 * sizeof(float);  // the warm starts are kept
  // Covariances are read apart from the sums: C twice, and 9 numbers a node out and in.
  const std::size_t spread = pull + padded * 3 * 9 * sizeof(float);
  if (adaptive_.on())
    out.moved += (options_.step_solver == StepSolver::newton && !report.violent ? 1 : count) * spread;
  // Rotations and places of the new state, and every row's rest vector.
  if (flow_.on())
    out.moved += gradient + model_.rest.size() * (k * sizeof(double) + 6 * sizeof(Vec3)) +
                 state_.rest_vectors.size() * (sizeof(Vec3) + sizeof(Index));
  out.working_set = pull + padded * (12 + 8) * sizeof(float) + 4 * k * k * sizeof(double);
  return out;
}

}  // namespace pliant::geometric
